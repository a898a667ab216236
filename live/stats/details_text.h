/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The text of details, which readers parse: lines of words, as the tables of a capture (see
 * base/text.h). Numbers are decimal. COUNTS are four: objects allocated and freed, bytes allocated
 * and freed, since tracing began. Times are ns of CLOCK_MONOTONIC.
 *
 *	details VERSION
 *	moment TIME BEGIN LOST DROPS
 *		LOST: events in no count, or "-": not known
 *		DROPS: how often rows of tasks were added to row 0
 *	slabs TIME OBJECTS ROOM BYTES SLAB_BYTES SPARE_BYTES
 *		the last reading of the slab allocator, if there was one
 *		OBJECTS, BYTES: given out; ROOM: objects, given out or free
 *		SPARE_BYTES: of slabs that would come back if the objects were packed
 *	cache NUMBER NAME
 *	site NUMBER NAME
 *	pair NUMBER SITE CACHE COUNTS
 *	lifetimes PAIR CLASS:OBJECTS...
 *		freed objects; class n: below 2^(n+9) ns, the last: all others
 *	process NUMBER PID COUNTS NAME CGROUP
 *		CGROUP: the number of the cgroup of its main thread
 *	comm NUMBER COUNTS NAME
 *	cgroup NUMBER COUNTS PATH
 *	scan TIME
 *		the lines below are of the objects that were live then
 *	live PAIR OBJECTS REQUESTED LEAST MOST
 *		bytes requested: of all, of the least object, of the largest
 *	ages PAIR CLASS:OBJECTS...
 *	held PAIR PROCESS OBJECTS BYTES
 *		with the most bytes first
 *	sampling INTERVAL INTERVAL_MOST WHAT
 *		if allocations are sampled: bytes, the least interval and the largest; the lines
 *		below are estimates from samples, see analysis/estimate.h. WHAT: "stacks", or
 *		"profile": there are no lines but these
 *	stack NUMBER COUNTS ALLOCATED_ERROR LIVE_ERROR SAMPLES LIVE_SAMPLES NAME
 *		ERROR: bytes, the standard error of the bytes allocated, and of those that are live;
 *		NAME: functions, the innermost first, with " < " between them
 *	syscall NUMBER COUNTS ALLOCATED_ERROR LIVE_ERROR SAMPLES LIVE_SAMPLES NAME
 *	unlisted DROPS DROPS
 *		how often rows of stacks, and of system calls, were added to row 0
 *	end
 *
 * Rows 0 to 2 of processes, comms and cgroups have no name ("-"): other tasks, interrupts, and
 * tasks whose process, name or cgroup is not known. Row 0 of stacks and system calls has those that
 * are not listed. A later version may add kinds of lines, and words at the ends of lines. A reader
 * ignores these; another VERSION means that lines changed.
 */
#ifndef LIVE_STATS_DETAILS_TEXT_H
#define LIVE_STATS_DETAILS_TEXT_H

#include <stdio.h>

#include "live/stats/details.h"

#define DETAILS_VERSION 1
#define DETAILS_HELD_MAX 8192 /* lines */

struct details_moment {
	uint64_t time, begin;	/* ns */
	uint64_t lost;		/* UINT64_MAX: not known */
	uint64_t drops;		/* for a reader: details.drops */
	uint64_t interval_most; /* bytes: the largest between samples */
};

/* 0 or -ENOMEM. Errors of the file are the file's. */
int details_write(struct details *details, const struct analysis *analysis,
		  const struct details_moment *moment, FILE *file);

#endif
