// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The text that perf script prints for the tracepoints of kmem. Call sites and flags are names, and
 * times are cut to microseconds. The lines are in the order of the events.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "capture/import/function_addresses.h"
#include "capture/import/gfp_bits.h"
#include "capture/import/import_source.h"
#include "capture/import/text_line.h"

#define LINE_BYTES 16384
#define POINTER_DIGITS 16 /* of a hashed pointer, the first half zeros */

struct perf {
	struct import_target *target;
	const char *path;
	struct function_addresses functions;
	struct gfp_bits gfp_bits;
	uint64_t line;	  /* the number of the current line */
	uint64_t time;	  /* of the event before */
	uint64_t shifted; /* events that got a later time, to keep their order */
	bool coarse;	  /* times are microseconds */
	bool cut;	  /* the last line has no newline */
	uint64_t bad_lines, first_bad_line, no_time, no_cpu, no_pointer, hashed, lost;
};

static bool is_perf(const unsigned char *bytes, size_t size)
{
	static const char key[] = " kmem:";

	return !memchr(bytes, '\0', size) && memmem(bytes, size, key, strlen(key));
}

static const struct {
	const char *name;
	uint8_t id;
} events[] = {
	{ "kmalloc", KMT_KMALLOC },
	{ "kmalloc_node", KMT_KMALLOC },
	{ "kfree", KMT_KFREE },
	{ "kmem_cache_alloc", KMT_CACHE_ALLOC },
	{ "kmem_cache_alloc_node", KMT_CACHE_ALLOC },
	{ "kmem_cache_free", KMT_CACHE_FREE },
};

static uint8_t record_id(const struct text_line *line)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (strlen(events[i].name) == line->event_size &&
		    !strncmp(events[i].name, line->event, line->event_size))
			return events[i].id;
	return KMT_NONE;
}

static void count_bad_line(struct perf *perf)
{
	if (!perf->bad_lines++)
		perf->first_bad_line = perf->line;
}

/* 1, or 0: the line has no pointer. */
static int parse_pointer(struct perf *perf, const struct text_line *line, uint64_t *pointer)
{
	const char *at;
	char text[40];

	if (!text_line_field(line, "ptr=", NULL, text, sizeof(text)))
		return 0;
	if (!strcmp(text, "(nil)") || !strcmp(text, "(null)")) {
		*pointer = 0;
		return 1;
	}
	at = text;
	if (!number_parse(&at, 16, pointer) || *at)
		return 0;
	if (strlen(text) == POINTER_DIGITS && *pointer && !(*pointer >> 32))
		perf->hashed++;
	return 1;
}

static int parse_sizes(struct perf *perf, const struct text_line *line, struct import_event *event)
{
	char text[256];
	const char *at;
	uint64_t node;

	if (!text_line_number(line, "bytes_req=", &event->requested) ||
	    !text_line_number(line, "bytes_alloc=", &event->allocated)) {
		count_bad_line(perf);
		return -EINVAL;
	}
	if (text_line_field(line, "node=", NULL, text, sizeof(text))) {
		at = text;
		if (number_parse(&at, 10, &node) && !*at && node <= INT16_MAX)
			event->node = (int64_t)node;
	}
	if (text_line_field(line, "gfp_flags=", NULL, text, sizeof(text)) &&
	    gfp_bits_parse(&perf->gfp_bits, &perf->target->gfp, text, &event->gfp))
		return error_set(&perf->target->error, -ENOMEM, strerror(ENOMEM));
	return 0;
}

/* Lines with equal times become one nanosecond apart, in their order. */
static uint64_t next_time(struct perf *perf, uint64_t time)
{
	if (perf->target->begun && time <= perf->time) {
		perf->shifted++;
		time = perf->time + 1;
	}
	perf->time = time;
	return time;
}

static int import_event_line(struct perf *perf, const struct text_line *line)
{
	struct import_event event = {
		.id = record_id(line), .task = line->tid, .cpu = line->cpu, .node = KMT_NODE_ANY
	};
	char call_site[512], cache[64];
	int err;

	if (event.id == KMT_NONE)
		return 0;
	if (!parse_pointer(perf, line, &event.pointer)) {
		perf->no_pointer++;
		return import_target_count_lost(perf->target, line->cpu, 1,
						next_time(perf, line->time));
	}
	if (event.id == KMT_KMALLOC || event.id == KMT_CACHE_ALLOC) {
		err = parse_sizes(perf, line, &event);
		if (err)
			return err == -EINVAL ? 0 : err;
	}
	if (event.id != KMT_KMALLOC && event.id != KMT_KFREE &&
	    text_line_field(line, "name=", " bytes_req=", cache, sizeof(cache)) && *cache)
		event.cache = cache;
	if (!text_line_field(line, "call_site=", " ptr=", call_site, sizeof(call_site)))
		call_site[0] = '\0';
	err = function_addresses_find(&perf->functions, perf->target, call_site, &event.call_site);
	if (err)
		return err;
	event.time = next_time(perf, line->time);
	perf->coarse |= line->coarse;
	perf->no_cpu += !line->has_cpu;
	err = import_target_name_task(perf->target, line->tid, line->pid, line->comm, event.time);
	return err ? err : import_target_put_event(perf->target, &event);
}

static int import_lost_line(struct perf *perf, const struct text_line *line)
{
	uint64_t count;
	const char *at = strstr(line->fields, " lost ");

	if (at)
		at += strlen(" lost ");
	if (!at || !number_parse(&at, 10, &count)) {
		count_bad_line(perf);
		return 0;
	}
	perf->lost += count;
	return import_target_count_lost(perf->target, line->cpu, count,
					next_time(perf, line->time));
}

/* "# hostname : vm", which perf script --header prints. */
static void parse_header(struct metadata *metadata, const char *line)
{
	static const struct {
		const char *key;
		size_t offset;
	} keys[] = {
		{ "# hostname : ", offsetof(struct metadata, hostname) },
		{ "# os release : ", offsetof(struct metadata, release) },
		{ "# arch : ", offsetof(struct metadata, machine) },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strncmp(line, keys[i].key, strlen(keys[i].key)))
			snprintf((char *)metadata + keys[i].offset, METADATA_TEXT, "%.*s",
				 (int)strcspn(line + strlen(keys[i].key), "\n"),
				 line + strlen(keys[i].key));
}

static int import_line(struct perf *perf, const char *text)
{
	struct text_line line;

	switch (text_line_parse(&line, text)) {
	case TEXT_EVENT:
		return import_event_line(perf, &line);
	case TEXT_LOST:
		return import_lost_line(perf, &line);
	case TEXT_NO_TIME:
		perf->no_time++;
		/* fall through */
	case TEXT_BAD:
		count_bad_line(perf);
		return 0;
	default:
		parse_header(&perf->target->metadata, text);
		return 0;
	}
}

/*
 * A line that does not fit text is ignored, and so is a last line without a newline: its last
 * number may have lost digits.
 */
static int import_lines(struct perf *perf, FILE *file, char *text)
{
	bool rest = false;
	int err = 0;

	while (!err && fgets(text, LINE_BYTES, file)) {
		bool whole = strchr(text, '\n') != NULL;

		perf->line += !rest;
		perf->cut = !whole;
		if (!rest && whole)
			err = import_line(perf, text);
		rest = !whole;
	}
	if (!err && ferror(file))
		err = error_set_at(&perf->target->error, -EIO, perf->path);
	return err;
}

static void add_notes(const struct perf *perf)
{
	struct import_target *target = perf->target;

	if (perf->cut)
		import_target_damage(target,
				     "%s: is cut off: ignored line %" PRIu64 ", which has no end",
				     perf->path, perf->line);
	if (perf->bad_lines)
		import_target_damage(target,
				     "%s: ignored kmem lines that could not be parsed: %" PRIu64
				     ", first line %" PRIu64,
				     perf->path, perf->bad_lines, perf->first_bad_line);
	if (perf->no_cpu)
		import_target_note(target,
				   "%s: lines without a CPU: %" PRIu64
				   ": assumed CPU 0; perf script -F +cpu prints it",
				   perf->path, perf->no_cpu);
	if (perf->no_pointer)
		import_target_note(target,
				   "%s: lines without a pointer: %" PRIu64 ": counted as lost",
				   perf->path, perf->no_pointer);
	if (perf->hashed)
		import_target_note(
			target,
			"%s: hashed pointers: %" PRIu64
			": they are not addresses, and different objects may have the same",
			perf->path, perf->hashed);
	if (perf->functions.unresolved)
		import_target_note(target, "%s: call sites that could not be parsed: %" PRIu64,
				   perf->path, perf->functions.unresolved);
	if (perf->functions.far)
		import_target_note(
			target,
			"%s: call sites 64 KiB or more behind their symbol, which is that of another function: %" PRIu64,
			perf->path, perf->functions.far);
	if (perf->gfp_bits.left_out)
		import_target_note(target, "%s: ignored GFP flags above 32: %" PRIu64, perf->path,
				   perf->gfp_bits.left_out);
	if (perf->shifted)
		import_target_note(
			target,
			"events moved to a later time, to keep the order of the lines: %" PRIu64
			"%s",
			perf->shifted, perf->coarse ? "; perf script --ns prints nanoseconds" : "");
	if (perf->lost)
		import_target_note(target,
				   "the text reports %" PRIu64
				   " lost events: perf counts those of all kinds together",
				   perf->lost);
	else
		import_target_note(
			target,
			"the text reports no lost events: perf script --show-lost-events prints them, if there are any");
	import_target_note(
		target,
		"addresses of functions and caches, and bits of GFP flags, are invented: the text has only their names");
}

static int check_result(struct perf *perf)
{
	if (!perf->target->events && perf->no_time)
		return error_format(
			&perf->target->error, -ENODATA,
			"%s: its lines have no time: print them with perf script -F comm,tid,cpu,time,event,trace",
			perf->path);
	if (!perf->target->events)
		return error_format(
			&perf->target->error, -ENODATA,
			"%s: has no kmem event: record with perf record -a -e 'kmem:*' and print with perf script",
			perf->path);
	add_notes(perf);
	return 0;
}

static int import_perf(struct import_target *target, char *const *paths, size_t count)
{
	struct perf perf = { .target = target, .path = paths[0] };
	char *text = malloc(LINE_BYTES);
	FILE *file = fopen(paths[0], "re");
	int err;

	(void)count;
	if (!text || function_addresses_init(&perf.functions))
		err = error_set(&target->error, -ENOMEM, strerror(ENOMEM));
	else if (!file)
		err = error_set_at(&target->error, -errno, paths[0]);
	else
		err = import_lines(&perf, file, text);
	if (!err)
		err = check_result(&perf);
	if (file)
		fclose(file);
	free(text);
	function_addresses_deinit(&perf.functions);
	return err;
}

const struct import_source source_perf = {
	.name = "perf",
	.description = "the text of perf script",
	.is = is_perf,
	.import = import_perf,
};
