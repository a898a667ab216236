/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Allocations and frees counted by the task that allocated, and lifetimes by tally. A task id is
 * used by one task after the other, and a task may get another name or another cgroup: each time
 * begins a new tally, and an object counts for the tally of the time when it was allocated. Objects
 * that an interrupt allocated count for no task.
 *
 * The number of tallies is limited: objects of tasks without one count for a tally of the rest.
 */
#ifndef ANALYSIS_TASK_TALLIES_H
#define ANALYSIS_TASK_TALLIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/object_table.h"
#include "base/hash_map.h"

#define TASK_TALLIES_MAX 65536
#define TASK_TALLIES_MEMOS 1024
#define TASK_TALLY_OWNERS 3 /* numbers that the owner of the tallies stores */

enum {
	TASK_TALLY_REST,      /* all that found no room */
	TASK_TALLY_INTERRUPT, /* of interrupts */
	TASK_TALLY_FIRST,     /* of a task */
};

struct task_tally {
	uint32_t allocations, frees; /* objects, since the owner took them */
	uint64_t allocated, freed;   /* bytes */
	uint64_t live_bytes;	     /* of all its live objects */
	uint64_t since;		     /* ns: objects allocated before count for an earlier tally */
	uint32_t task;
	uint32_t earlier; /* index of the tally before, of the same id; 0: the rest */
	uint32_t owners[TASK_TALLY_OWNERS];
	uint32_t live; /* objects, modulo 2^32 */
};

_Static_assert(sizeof(struct task_tally) == 64, "a line of the processor's cache");

struct task_tallies_memo {
	uint32_t task, index; /* index 0: empty */
};

struct task_tallies {
	struct task_tally *list; /* TASK_TALLIES_MAX */
	size_t count;
	struct hash_map by_task; /* the last tally of each id */
	struct task_tallies_memo memos[TASK_TALLIES_MEMOS];
};

int task_tallies_init(struct task_tallies *tallies);	/* 0 or -ENOMEM */
void task_tallies_deinit(struct task_tallies *tallies); /* all zero is allowed */

/* The index of the last tally of the id, or TASK_TALLY_REST. */
uint32_t task_tallies_search(struct task_tallies *tallies, uint32_t task);

/*
 * Begins a tally of the id at this time (ns). Returns its index, TASK_TALLY_REST if there are too
 * many, or -ENOMEM. Its owners are those of the last tally of the id, or 0.
 */
int64_t task_tallies_begin(struct task_tallies *tallies, uint32_t task, uint64_t since);

/* Decides which tallies stay. */
struct task_tallies_sweeper {
	bool (*keeps)(void *data, const struct task_tally *last);
	/* Called for each tally that goes; NULL: not needed. */
	void (*dropped)(void *data, const struct task_tally *tally);
	void *data;
};

/*
 * Removes the tallies of each id whose last tally is not kept; their objects count for the rest
 * from now on. Of the other ids, removes earlier tallies without live objects. All events before
 * taken (ns) have been counted, and the owner has taken the counts. 0 or -ENOMEM.
 */
int task_tallies_sweep(struct task_tallies *tallies, uint64_t taken,
		       const struct task_tallies_sweeper *sweeper);

/* The tally of an object that the task allocated at this time. */
static inline struct task_tally *task_tallies_find(struct task_tallies *tallies, uint32_t task,
						   uint64_t time)
{
	const struct task_tallies_memo *memo = &tallies->memos[task % TASK_TALLIES_MEMOS];
	uint32_t index = memo->index && memo->task == task ? memo->index
							   : task_tallies_search(tallies, task);

	while (index && time < tallies->list[index].since)
		index = tallies->list[index].earlier;
	return &tallies->list[index];
}

static inline struct task_tally *task_tallies_of(struct task_tallies *tallies,
						 const struct slab_object *object)
{
	return object->flags & OBJECT_IN_INTERRUPT
		       ? &tallies->list[TASK_TALLY_INTERRUPT]
		       : task_tallies_find(tallies, object->task, object->time);
}

static inline void task_tallies_allocated(struct task_tallies *tallies,
					  const struct slab_object *object)
{
	struct task_tally *tally = task_tallies_of(tallies, object);

	tally->allocations++;
	tally->allocated += object->allocated;
	tally->live++;
	tally->live_bytes += object->allocated;
}

static inline void task_tallies_freed(struct task_tallies *tallies,
				      const struct slab_object *object)
{
	struct task_tally *tally = task_tallies_of(tallies, object);

	tally->frees++;
	tally->freed += object->allocated;
	tally->live--;
	tally->live_bytes -= object->allocated;
}

#endif
