/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which part of a capture is selected. An object is selected by its allocation, and its free goes
 * with it, so that the parts of a capture add up to the whole. A free whose allocation is unknown
 * is selected by its own call site, task and CPU; its size is 0.
 */
#ifndef ANALYSIS_SELECT_H
#define ANALYSIS_SELECT_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "capture/event.h"
#include "kernel/tasks.h"
#include "kernel/topology.h"

#define SELECT_LIST_MAX 64

struct select_range {
	uint32_t first, last;
};

struct select_list {
	struct select_range list[SELECT_LIST_MAX];
	size_t count; /* 0: any */
};

/* All zero: everything is selected. Set by the select_*() functions below. */
struct select {
	uint64_t after, before; /* ns from the capture's begin: after <= time < before; 0: open */
	bool after_is_date, before_is_date; /* they are ns since 1970 instead */
	bool is_at;			    /* --at: only the objects that are live at `before` */
	bool at_begin; /* before is 0 and not open: only events before the begin */
	struct select_list pids, cpus, nodes;
	char *comm; /* exactly this name; NULL: any */
	bool has_site, has_cache;
	bool leaves_unknown_cache; /* the text of an unknown cache is empty */
	regex_t site, cache;	   /* POSIX extended, anywhere in the text */
	bool has_max_size;
	uint32_t min_size, max_size; /* bytes requested */
	uint64_t older;		     /* ns: only objects with at least this lifetime or age */
	struct error error;	     /* after a failure */
};

void select_deinit(struct select *select);

/*
 * Each parses the text of its option; returns 0, -ENOMEM, or -EINVAL with error set.
 *	time   "A,B": durations since the begin of the capture, see duration_parse(), or dates, see
 *	       utc_parse(); either may be empty
 *	list   "0-3,8"
 *	size   see size_parse()
 *	older  a duration
 */
int select_time(struct select *select, const char *text);
int select_at(struct select *select, const char *text); /* as time ",T" */
int select_list(struct select *select, struct select_list *list, const char *option,
		const char *text);
int select_comm(struct select *select, const char *text);
int select_site(struct select *select, const char *text);
int select_cache(struct select *select, const char *text);
int select_min_size(struct select *select, const char *text);
int select_max_size(struct select *select, const char *text);
int select_older(struct select *select, const char *text);

/* Does it exclude anything, apart from time and age? */
bool select_is_partial(const struct select *select);

/*
 * An unknown node or task name is never selected. A thread without a known process is selected if
 * its tid is in the list of pids. The work of an interrupt belongs to no process, and its context
 * is its task name.
 */
bool select_takes_size(const struct select *select, uint32_t requested);
bool select_takes_cpu(const struct select *select, const struct topology *topology, uint16_t cpu);
bool select_takes_task(const struct select *select, const struct tasks *tasks,
		       const struct event *event);

/* 1: selected; 0, or -ENOMEM. */
int select_takes_site(const struct select *select, const char *text);
int select_takes_cache(const struct select *select, const char *name);

#endif
