/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stacks of a trace.dat: an event kernel_stack, which ftrace writes behind the event that it
 * belongs to, on the same CPU. Events of other CPUs, and of interrupts with stacks of their own,
 * can be between. So events wait for their stacks, in order of time.
 */
#ifndef CAPTURE_IMPORT_DAT_STACKS_H
#define CAPTURE_IMPORT_DAT_STACKS_H

#include <event-parse.h>

#include "capture/import/import_target.h"

#define DAT_CACHE_NAME 64

struct dat_stacks {
	struct tep_event *event; /* kernel_stack; NULL: this kernel does not have it */
	struct tep_format_field *caller;
	unsigned int word_bytes;
	struct held_dat_event *held; /* circular, by time */
	size_t first, count;
	bool seen;	    /* the recording has a stack of an imported event */
	uint64_t unmatched; /* stacks that belong to no waiting event */
	const struct held_dat_event
		*last; /* that got a stack by the last dat_stacks_take(); or NULL */
};

int dat_stacks_init(struct dat_stacks *stacks, struct tep_handle *tep); /* 0 or -ENOMEM */
void dat_stacks_deinit(struct dat_stacks *stacks);

/*
 * Each imports the events that have waited long enough: put also takes a new one. 0 or -errno with
 * target->error set.
 */
int dat_stacks_put(struct dat_stacks *stacks, struct import_target *target,
		   const struct import_event *event);
int dat_stacks_finish(struct dat_stacks *stacks, struct import_target *target); /* all */

/* Gives the stack of an event kernel_stack to the waiting event that it belongs to. */
void dat_stacks_take(struct dat_stacks *stacks, const struct import_target *target,
		     const struct tep_record *record);

bool dat_stacks_is(const struct dat_stacks *stacks, const struct tep_event *event);

/* The frames that the last dat_stacks_take() has set; count 0: the stack has no waiting event. */
const uint64_t *dat_stacks_last(const struct dat_stacks *stacks, uint32_t *count);

#endif
