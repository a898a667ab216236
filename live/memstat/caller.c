// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The caller's own data in a type. The slots of a CPU take 256 bytes and few programs use them, so
 * they are allocated when the first of them is set.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "live/memstat/internal.h"

static bool is_slot(int index)
{
	return index >= 0 && index < MEMSTAT_MAXCALLER;
}

void *memstat_get_caller_pointer(const struct memory_type *mtp, int index)
{
	return mtp && is_slot(index) ? mtp->caller.pointer[index] : NULL;
}

void memstat_set_caller_pointer(struct memory_type *mtp, int index, void *value)
{
	if (mtp && is_slot(index))
		mtp->caller.pointer[index] = value;
}

uint64_t memstat_get_caller_uint64(const struct memory_type *mtp, int index)
{
	return mtp && is_slot(index) ? mtp->caller.number[index] : 0;
}

void memstat_set_caller_uint64(struct memory_type *mtp, int index, uint64_t value)
{
	if (mtp && is_slot(index))
		mtp->caller.number[index] = value;
}

static const struct caller_slots *slots_of(const struct memory_type *type, int cpu)
{
	if (!type || cpu < 0 || (size_t)cpu >= type->percpu_callers)
		return NULL;
	return type->percpu_caller[cpu];
}

/* Allocates them if need be; NULL: no such CPU, or no memory. */
static struct caller_slots *slots_make(struct memory_type *type, int cpu)
{
	struct caller_slots **grown;
	size_t cpus;

	if (!type || cpu < 0 || (size_t)cpu >= type->list->cpus)
		return NULL;
	cpus = type->list->cpus;
	if ((size_t)cpu >= type->percpu_callers) {
		grown = calloc(cpus, sizeof(*grown));
		if (!grown)
			return NULL;
		for (size_t i = 0; i < type->percpu_callers; i++)
			grown[i] = type->percpu_caller[i];
		free(type->percpu_caller);
		type->percpu_caller = grown;
		type->percpu_callers = cpus;
	}
	if (!type->percpu_caller[cpu])
		type->percpu_caller[cpu] = calloc(1, sizeof(struct caller_slots));
	return type->percpu_caller[cpu];
}

void *memstat_get_percpu_caller_pointer(const struct memory_type *mtp, int cpu, int index)
{
	const struct caller_slots *slots = slots_of(mtp, cpu);

	return slots && is_slot(index) ? slots->pointer[index] : NULL;
}

void memstat_set_percpu_caller_pointer(struct memory_type *mtp, int cpu, int index, void *value)
{
	struct caller_slots *slots = is_slot(index) ? slots_make(mtp, cpu) : NULL;

	if (slots)
		slots->pointer[index] = value;
}

uint64_t memstat_get_percpu_caller_uint64(const struct memory_type *mtp, int cpu, int index)
{
	const struct caller_slots *slots = slots_of(mtp, cpu);

	return slots && is_slot(index) ? slots->number[index] : 0;
}

void memstat_set_percpu_caller_uint64(struct memory_type *mtp, int cpu, int index, uint64_t value)
{
	struct caller_slots *slots = is_slot(index) ? slots_make(mtp, cpu) : NULL;

	if (slots)
		slots->number[index] = value;
}
