// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The memstat_get_*() functions that read the counters of a type. None of them can fail. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "live/memstat/internal.h"

const char *memstat_get_name(const struct memory_type *mtp)
{
	return mtp ? mtp->name : NULL;
}

int memstat_get_allocator(const struct memory_type *mtp)
{
	return mtp ? mtp->allocator : ALLOCATOR_UNKNOWN;
}

static const struct type_counters *counters_of(const struct memory_type *type)
{
	static const struct type_counters nothing;

	return type ? &type->shown.counters : &nothing;
}

uint64_t memstat_get_countlimit(const struct memory_type *mtp)
{
	return counters_of(mtp)->countlimit;
}

uint64_t memstat_get_byteslimit(const struct memory_type *mtp)
{
	return counters_of(mtp)->countlimit * counters_of(mtp)->size;
}

uint64_t memstat_get_sizemask(const struct memory_type *mtp)
{
	return counters_of(mtp)->sizemask;
}

uint64_t memstat_get_size(const struct memory_type *mtp)
{
	return counters_of(mtp)->size;
}

uint64_t memstat_get_rsize(const struct memory_type *mtp)
{
	return counters_of(mtp)->rsize;
}

uint64_t memstat_get_memalloced(const struct memory_type *mtp)
{
	return counters_of(mtp)->memalloced;
}

uint64_t memstat_get_memfreed(const struct memory_type *mtp)
{
	return counters_of(mtp)->memfreed;
}

uint64_t memstat_get_numallocs(const struct memory_type *mtp)
{
	return counters_of(mtp)->numallocs;
}

uint64_t memstat_get_numfrees(const struct memory_type *mtp)
{
	return counters_of(mtp)->numfrees;
}

uint64_t memstat_get_bytes(const struct memory_type *mtp)
{
	return counters_of(mtp)->memalloced - counters_of(mtp)->memfreed;
}

uint64_t memstat_get_count(const struct memory_type *mtp)
{
	return counters_of(mtp)->numallocs - counters_of(mtp)->numfrees;
}

uint64_t memstat_get_free(const struct memory_type *mtp)
{
	uint64_t objects = counters_of(mtp)->zonefree + counters_of(mtp)->kegfree;

	for (size_t cpu = 0; mtp && cpu < mtp->shown.cpus; cpu++)
		objects += mtp->shown.percpu[cpu].free;
	return objects;
}

uint64_t memstat_get_failures(const struct memory_type *mtp)
{
	return counters_of(mtp)->failures;
}

uint64_t memstat_get_sleeps(const struct memory_type *mtp)
{
	return counters_of(mtp)->sleeps;
}

uint64_t memstat_get_xdomain(const struct memory_type *mtp)
{
	return counters_of(mtp)->xdomain;
}

uint64_t memstat_get_zonefree(const struct memory_type *mtp)
{
	return counters_of(mtp)->zonefree;
}

uint64_t memstat_get_kegfree(const struct memory_type *mtp)
{
	return counters_of(mtp)->kegfree;
}

static const struct percpu_counters *percpu_of(const struct memory_type *type, int cpu)
{
	static const struct percpu_counters nothing;

	if (!type || cpu < 0 || (size_t)cpu >= type->shown.cpus)
		return &nothing;
	return &type->shown.percpu[cpu];
}

uint64_t memstat_get_percpu_memalloced(const struct memory_type *mtp, int cpu)
{
	return percpu_of(mtp, cpu)->memalloced;
}

uint64_t memstat_get_percpu_memfreed(const struct memory_type *mtp, int cpu)
{
	return percpu_of(mtp, cpu)->memfreed;
}

uint64_t memstat_get_percpu_numallocs(const struct memory_type *mtp, int cpu)
{
	return percpu_of(mtp, cpu)->numallocs;
}

uint64_t memstat_get_percpu_numfrees(const struct memory_type *mtp, int cpu)
{
	return percpu_of(mtp, cpu)->numfrees;
}

uint64_t memstat_get_percpu_sizemask(const struct memory_type *mtp, int cpu)
{
	return percpu_of(mtp, cpu)->sizemask;
}

uint64_t memstat_get_percpu_free(const struct memory_type *mtp, int cpu)
{
	return percpu_of(mtp, cpu)->free;
}
