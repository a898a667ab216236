/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The pass over the events: each allocation enters the heap, each free takes it out and is
 * counted where the object was allocated. Every record ends in exactly one count of the totals.
 */
#ifndef ANALYSIS_MATCHER_H
#define ANALYSIS_MATCHER_H

#include "analysis/analysis.h"
#include "analysis/cache_table.h"
#include "analysis/grouping.h"
#include "analysis/delayed_free.h"

#define PASS_SAME_MAX 64
#define PASS_DOUBTED_MAX 16
#define PASS_FREED_MAX 65536 /* freed addresses that are remembered, to know a second free */

struct matcher {
	struct analysis *analysis;
	const struct status *status;
	const struct select *select; /* NULL: everything */
	bool is_partial;	     /* it takes some objects only */
	struct grouping grouping;
	struct cache_table caches;
	struct delayed_frees delayed;
	struct heap_rules *heap_rules;		  /* NULL: nobody asked for findings */
	uint64_t check_until;			  /* ns: the last that it is asked about */
	uint64_t fastpath_end;			  /* ns: see usual.h; 0: nothing is usual */
	uint64_t last_allocation[UINT16_MAX + 1]; /* by CPU: its address */
	uint32_t last_task;			  /* that is_own() looked at */
	bool last_own;
	struct event same_time[PASS_SAME_MAX]; /* not taken yet */
	size_t same_count;
	struct event doubted[PASS_DOUBTED_MAX]; /* may be told again: not taken yet */
	size_t doubted_count;
	uint64_t freed_count;	   /* with findings: objects freed so far, */
	uint64_t sweep_next;	   /* and of what number on it is time to let old ones go */
	struct slab_object *guess; /* the block of the event's object, or another, or NULL */
};

/* Of the pass's own files. */
static inline bool pass_is_in_window(const struct matcher *matcher, uint64_t time)
{
	return time >= matcher->analysis->window_begin && time < matcher->analysis->window_end;
}

/* Is the task one of kmemtraced's own, which figures leave out? */
static inline bool pass_is_own(struct matcher *matcher, uint32_t task)
{
	if (task != matcher->last_task) {
		matcher->last_task = task;
		matcher->last_own = !matcher->status->include_self &&
				    status_is_own(matcher->status, task);
	}
	return matcher->last_own;
}

static inline struct slab_object *pass_find_block(const struct matcher *matcher, uint64_t address)
{
	struct slab_object *guess = matcher->guess;

	if (guess && address && guess->address == address)
		return guess;
	return object_table_find(&matcher->analysis->objects, address);
}

int pass_open(struct matcher **matcher, struct analysis *analysis); /* 0 or -ENOMEM */
void pass_close(struct matcher *matcher);

/* Events in time order. 0 or -errno. */
int pass_take(struct matcher *matcher, const struct event *events, size_t count);

/* No more of the last one's time will come: nothing waits any longer for one. 0 or -errno. */
int pass_settle(struct matcher *matcher);

/* No more will come. end: of the window that is looked at, ns. */
int pass_end(struct matcher *matcher, uint64_t end);

#endif
