// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The memory types of a tally, whether it is a capture's or the running system's. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "memstat/internal.h"

_Static_assert(CLASSES_MAX >= TYPE_STATS_CLASSES_MAX, "a sizemask holds all classes");

static int reserve(struct update *update, size_t cpus)
{
	struct percpu_counters *room;

	if (cpus <= update->room_cpus)
		return 0;
	room = calloc(cpus, sizeof(*room));
	if (!room)
		return -ENOMEM;
	free(update->room);
	update->room = room;
	update->room_cpus = cpus;
	return 0;
}

int update_put_type_stats(struct update *update, const struct type_stats_type *type)
{
	struct source_type told = {
		.allocator = type->kind == TYPE_STATS_CACHE ? ALLOCATOR_UMA : ALLOCATOR_MALLOC,
		.name = type->name,
		.aliases = type->aliases,
		.figures = { .size = type->object_size,
			     .rsize = type->size,
			     .numallocs = type->numallocs,
			     .numfrees = type->numfrees,
			     .memalloced = type->memalloced,
			     .memfreed = type->memfreed,
			     .sizemask = type->sizemask,
			     .failures = type->failures,
			     .xdomain = type->xdomain,
			     .kegfree = type->kegfree },
		.initial_count = type->initial_count,
		.frees_unmatched = type->frees_unmatched,
		.cpus = type->cpu_count,
	};

	if (!(update->allocators & 1u << told.allocator))
		return 0;
	if (reserve(update, type->cpu_count))
		return update_fail(update, MEMSTAT_ERROR_NOMEMORY, ENOMEM, "%m");
	for (size_t cpu = 0; cpu < type->cpu_count; cpu++) {
		const struct type_stats_cpu *from = &type->cpus[cpu];

		update->room[cpu] = (struct percpu_counters){ .numallocs = from->numallocs,
							      .numfrees = from->numfrees,
							      .memalloced = from->memalloced,
							      .memfreed = from->memfreed,
							      .sizemask = from->sizemask };
	}
	told.percpu = update->room;
	return update_put(update, &told);
}
