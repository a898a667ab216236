// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes and parses the lines "probe" and "no_probe" of kernel/status. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>

#include "base/array.h"
#include "capture/status_probes.h"

int status_probes_add(struct status_probes *probes, const struct status_probe *probe,
		      const char *name, const char *text)
{
	struct status_probe *list = array_grow(probes->list, probes->count, sizeof(*list));
	struct status_probe *copy;

	if (!list)
		return -ENOMEM;
	probes->list = list;
	copy = &list[probes->count++];
	*copy = *probe;
	snprintf(copy->name, sizeof(copy->name), "%s", name);
	snprintf(copy->text, sizeof(copy->text), "%s", text);
	return 0;
}

static void write_count(FILE *file, const char *key, uint64_t count)
{
	if (count == STATUS_UNKNOWN)
		fprintf(file, " %s unknown", key);
	else
		fprintf(file, " %s %" PRIu64, key, count);
}

void status_probes_write(const struct status_probes *probes, FILE *file)
{
	for (size_t i = 0; i < probes->count; i++) {
		const struct status_probe *probe = &probes->list[i];

		fputs(probe->is_recorded ? "probe " : "no_probe ", file);
		text_write_word(file, probe->name);
		if (probe->is_recorded) {
			write_count(file, "counted", probe->counted);
			write_count(file, "skipped", probe->skipped);
		}
		putc(' ', file);
		text_write_rest(file, probe->text);
		putc('\n', file);
	}
}

static bool parse_count(struct line *line, const char *key, uint64_t *count)
{
	if (!line_key(line, key))
		return false;
	if (!line_key(line, "unknown"))
		return line_u64(line, 10, count);
	*count = STATUS_UNKNOWN;
	return true;
}

int status_probes_parse(struct status_probes *probes, struct line *line, bool is_recorded)
{
	struct status_probe probe = { .is_recorded = is_recorded };
	char name[sizeof(probe.name)], text[sizeof(probe.text)];

	line_word(line, name, sizeof(name));
	if (!name[0] || (is_recorded && (!parse_count(line, "counted", &probe.counted) ||
					 !parse_count(line, "skipped", &probe.skipped))))
		return 0;
	line_rest(line, text, sizeof(text));
	return status_probes_add(probes, &probe, name, text);
}

bool status_probes_lack_skips(const struct status_probes *probes)
{
	for (size_t i = 0; i < probes->count; i++)
		if (probes->list[i].is_recorded && probes->list[i].skipped == STATUS_UNKNOWN)
			return true;
	return false;
}
