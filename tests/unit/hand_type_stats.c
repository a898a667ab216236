// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Type statistics that a test fills in by hand. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "tests/unit/hand_type_stats.h"

void hand_type_stats_init(struct type_stats *type_stats)
{
	*type_stats =
		(struct type_stats){ .generation = 1,
				     .class_count = 3,
				     .class_bytes = { 8, 16, 32 },
				     .types = calloc(HAND_TYPES_MAX, sizeof(*type_stats->types)) };
	assert_non_null(type_stats->types);
}

void hand_type_stats_deinit(struct type_stats *type_stats)
{
	for (size_t i = 0; i < type_stats->count; i++) {
		free(type_stats->types[i].name);
		free(type_stats->types[i].cpus);
	}
	free(type_stats->types);
}

struct type_stats_type *hand_type_stats_add(struct type_stats *type_stats,
					    enum type_stats_kind kind, const char *name,
					    size_t cpus)
{
	struct type_stats_type *type = &type_stats->types[type_stats->count++];

	assert_in_range(type_stats->count, 1, HAND_TYPES_MAX);
	*type = (struct type_stats_type){ .kind = kind,
					  .name = strdup(name),
					  .cpus = calloc(cpus + 1, sizeof(struct type_stats_cpu)),
					  .cpu_count = cpus,
					  .changed = type_stats->generation };
	assert_non_null(type->name);
	assert_non_null(type->cpus);
	return type;
}

void hand_type_stats_change(struct type_stats *type_stats, struct type_stats_type *type,
			    uint64_t number)
{
	bool is_cache = type->kind == TYPE_STATS_CACHE;

	type->object_size = is_cache ? 100 : 0;
	type->size = is_cache ? 128 : 0;
	type->numallocs = 10 * number;
	type->numfrees = 7 * number;
	type->memalloced = is_cache ? 0 : 160 * number;
	type->memfreed = is_cache ? 0 : 112 * number;
	type->sizemask = is_cache ? 0 : 2;
	type->failures = 1 + number;
	type->xdomain = 2 + number;
	type->missed_frees = 2 * number;
	type->frees_unmatched = 3 + number;
	type->initial_count = is_cache ? 4 : 0;
	type->kegfree = is_cache ? 5 + number : 0;
	for (size_t cpu = 0; cpu < type->cpu_count; cpu++)
		type->cpus[cpu] = (struct type_stats_cpu){ .numallocs = number + cpu,
							   .numfrees = 2 * number + cpu,
							   .memalloced = 3 * number + cpu,
							   .memfreed = 4 * number + cpu,
							   .sizemask = is_cache ? 0 : 1 + cpu };
	type->changed = type_stats->generation;
}

struct stats_file *hand_stats_file_create(const char *path)
{
	const struct stats_file_settings settings = {
		.path = path, .group = (gid_t)-1, .cpus = 2, .types_max = { 4, 4 }
	};
	struct stats_file *stats_file = NULL;
	struct error error = { 0 };

	if (stats_file_create(&stats_file, &settings, &error))
		fail_msg("%s", error.text);
	return stats_file;
}

void hand_stats_file_write(struct stats_file *stats_file, struct type_stats *type_stats,
			   uint64_t time)
{
	const struct stats_snapshot snapshot = { .time = time, .begin = 1 };

	stats_file_write(stats_file, type_stats, &snapshot);
	type_stats->generation++;
}
