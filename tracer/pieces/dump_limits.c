// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Removes old dumps. */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/inside.h"
#include "tracer/pieces/dumps.h"
#include "tracer/pieces/piece_set.h"

static const char *name_of(const struct dump_limits *limits)
{
	return strrchr(limits->set_path, '/') + 1;
}

static int list_dumps(const struct dump_limits *limits, enum dump_state state,
		      struct dump_list *dumps)
{
	*dumps = (struct dump_list){ 0 };
	return limits->parent < 0 ? 0
				  : dump_list_read(dumps, limits->parent, name_of(limits), state);
}

void dump_limits_clean(const struct dump_limits *limits)
{
	struct dump_list dumps;

	if (list_dumps(limits, DUMP_IS_REMOVED, &dumps))
		return;
	for (size_t i = 0; i < dumps.count; i++)
		inside_remove_directory(limits->parent, dumps.names[i]);
	dump_list_deinit(&dumps);
}

int dump_limits_measure(const struct dump_limits *limits, uint64_t *bytes, uint32_t *count)
{
	int err = 0;

	*bytes = 0;
	for (enum dump_state state = DUMP_IS_FINISHED; state <= DUMP_IS_REMOVED && !err; state++) {
		struct dump_list dumps;

		err = list_dumps(limits, state, &dumps);
		if (state == DUMP_IS_FINISHED)
			*count = (uint32_t)dumps.count;
		for (size_t i = 0; i < dumps.count && !err; i++)
			err = piece_set_measure_directory(limits->parent, dumps.names[i], bytes);
		dump_list_deinit(&dumps);
	}
	return err;
}

/* dump_limits_clean() removes files that cannot be removed now. */
static void remove_dump(const struct dump_limits *limits, const char *name, const char *why,
			char *text, size_t size)
{
	const int length = (int)(name_of(limits) - limits->set_path);
	char removed[NAME_MAX + sizeof(DUMP_REMOVED)];
	int err;

	snprintf(removed, sizeof(removed), "%.255s" DUMP_REMOVED, name);
	err = inside_rename(limits->parent, name, removed);
	if (!err)
		err = inside_remove_directory(limits->parent, removed);
	if (err)
		snprintf(text, size, "%.*s%s: cannot be removed: %s", length, limits->set_path,
			 name, strerror(-err));
	else
		snprintf(text, size, "%.*s%s: removed: %s", length, limits->set_path, name, why);
}

bool dump_limits_keep_most(const struct dump_limits *limits, char *text, size_t size)
{
	struct dump_list dumps;
	bool is_over;
	char why[80];

	if (!limits->most || list_dumps(limits, DUMP_IS_FINISHED, &dumps))
		return false;
	is_over = dumps.count > limits->most;
	snprintf(why, sizeof(why), "--max-dumps=%u: to keep a dump, rename it", limits->most);
	if (is_over)
		remove_dump(limits, dumps.names[0], why, text, size);
	dump_list_deinit(&dumps);
	return is_over;
}

/* A dump that was written with another limit may be too large for this one. */
static bool is_too_large(const struct dump_limits *limits, const char *name)
{
	uint64_t bytes = 0;

	return !piece_set_measure_directory(limits->parent, name, &bytes) &&
	       bytes > limits->max_disk / DUMP_LIMITS_SHARE;
}

bool dump_limits_make_room(const struct dump_limits *limits, char *text, size_t size)
{
	struct dump_list dumps;
	bool may_remove;

	if (!limits->max_disk || list_dumps(limits, DUMP_IS_FINISHED, &dumps))
		return false;
	may_remove = dumps.count > 1 || (dumps.count && is_too_large(limits, dumps.names[0]));
	if (may_remove)
		remove_dump(limits, dumps.names[0], "--max-disk leaves no room for it", text, size);
	dump_list_deinit(&dumps);
	return may_remove;
}
