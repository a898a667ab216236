// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Puts the types of type statistics, which both sources have, into an update. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "live/memstat/internal.h"

_Static_assert(MEMSTAT_MISSED_UNKNOWN == TYPE_STATS_UNKNOWN, "missed_frees is passed on unchanged");
_Static_assert(CLASSES_MAX >= TYPE_STATS_CLASSES_MAX, "a sizemask holds all classes");

static int reserve_cpus(struct update *update, size_t cpus)
{
	struct percpu_counters *percpu;

	if (cpus <= update->percpu_space)
		return 0;
	percpu = calloc(cpus, sizeof(*percpu));
	if (!percpu)
		return -ENOMEM;
	free(update->percpu);
	update->percpu = percpu;
	update->percpu_space = cpus;
	return 0;
}

int update_put_type_stats(struct update *update, const struct type_stats_type *type)
{
	struct source_type source = {
		.allocator = type->kind == TYPE_STATS_CACHE ? ALLOCATOR_UMA : ALLOCATOR_MALLOC,
		.name = type->name,
		.aliases = type->aliases,
		.counters = { .size = type->object_size,
			      .rsize = type->size,
			      .numallocs = type->numallocs,
			      .numfrees = type->numfrees,
			      .memalloced = type->memalloced,
			      .memfreed = type->memfreed,
			      .sizemask = type->sizemask,
			      .failures = type->failures,
			      .xdomain = type->xdomain,
			      .kegfree = type->kegfree,
			      .missed_frees = type->missed_frees },
		.initial_count = type->initial_count,
		.frees_unmatched = type->frees_unmatched,
		.cpus = type->cpu_count,
	};

	if (!(update->allocators & 1u << source.allocator))
		return 0;
	if (reserve_cpus(update, type->cpu_count))
		return update_fail(update, MEMSTAT_ERROR_NOMEMORY, ENOMEM, "%m");
	for (size_t cpu = 0; cpu < type->cpu_count; cpu++) {
		const struct type_stats_cpu *from = &type->cpus[cpu];

		update->percpu[cpu] = (struct percpu_counters){ .numallocs = from->numallocs,
								.numfrees = from->numfrees,
								.memalloced = from->memalloced,
								.memfreed = from->memfreed,
								.sizemask = from->sizemask };
	}
	source.percpu = update->percpu;
	return update_put(update, &source);
}
