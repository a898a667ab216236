// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Frames from the values of the keys of --by. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fields/allocations.h"
#include "analysis/fields/field_table.h"
#include "analysis/stack_path.h"
#include "base/text.h"
#include "report/views/flame_paths.h"

#define FRAMES_MAX 256 /* of a stack, with its entry */

static bool is_stack(const struct event_field *field)
{
	return field && (field->get == value_get_stack || field->get == value_get_user_stack);
}

void flame_put_stack(FILE *file, const char *text, bool bottom_up)
{
	struct {
		const char *name;
		size_t length;
	} frames[FRAMES_MAX];
	size_t count = 0;

	while (count < FRAMES_MAX) {
		const char *end = strstr(text, STACK_SEPARATOR);

		frames[count].name = text;
		frames[count++].length = end ? (size_t)(end - text) : strlen(text);
		if (!end)
			break;
		text = end + strlen(STACK_SEPARATOR);
	}
	for (size_t i = 0; i < count; i++) {
		size_t frame = bottom_up ? i : count - 1 - i;

		if (i)
			putc(FLAME_SEPARATOR, file);
		flame_put_name(file, frames[frame].name, frames[frame].length);
	}
}

static void put_frame_text(FILE *file, const char *text)
{
	flame_put_name(file, text, strlen(text));
}

static void put_value(const struct report *report, FILE *file, const struct expression *key,
		      struct value value)
{
	if (!value.known) {
		put_frame_text(file, "(no ");
		put_frame_text(file, key->text);
		put_frame_text(file, ")");
		return;
	}
	if (key->type == VALUE_TEXT) {
		const char *text =
			texts_get(&report->allocations->source.texts, (uint32_t)value.number);

		if (is_stack(key->field))
			flame_put_stack(file, text, report->bottom_up);
		else
			put_frame_text(file, text);
		return;
	}
	put_frame_text(file, key->text);
	if (key->type == VALUE_BOOL)
		fputs(value.number ? " true" : " false", file);
	else if (key->type == VALUE_ADDRESS || key->type == VALUE_FLAGS)
		fprintf(file, " 0x%" PRIx64, (uint64_t)value.number);
	else
		fprintf(file, " %" PRId64, value.number);
}

static int add_label(const struct report *report, struct flame_path *path,
		     const struct expression *key, struct value value)
{
	struct flame_label *label;

	if (!value.known)
		return 0;
	if (!path->labels)
		path->labels = calloc(FLAME_LABELS_MAX, sizeof(*path->labels));
	if (!path->labels)
		return -ENOMEM;
	label = &path->labels[path->label_count++];
	*label = (struct flame_label){ .key = key->text, .number = value.number };
	if (key->type == VALUE_TEXT)
		label->text = texts_get(&report->allocations->source.texts, (uint32_t)value.number);
	return 0;
}

int flame_set_text(const struct report *report, struct flame_path *path, size_t keys,
		   const struct group *group)
{
	const struct value *values = report->allocations->groups.groups[group->key]->keys;
	const struct query *query = report->query;
	size_t size;
	FILE *file = text_open(&path->text, &size);
	int err = 0;

	if (!file)
		return -ENOMEM;
	for (size_t i = 0; i < keys; i++) {
		if (i)
			putc(FLAME_SEPARATOR, file);
		put_value(report, file, &query->by[i], values[i]);
	}
	if (text_close(file, &path->text))
		return -ENOMEM;
	for (size_t i = keys; i < query->by_count - query->hidden_count && !err; i++)
		err = add_label(report, path, &query->by[i], values[i]);
	return err;
}
