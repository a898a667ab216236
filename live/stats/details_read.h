/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The text of details, parsed. Nothing in it is trusted: numbers of rows are checked, so that each
 * pair has a site and a cache, and each held object a pair and a process.
 */
#ifndef LIVE_STATS_DETAILS_READ_H
#define LIVE_STATS_DETAILS_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/stats/details.h"
#include "live/stats/details_text.h"

#define DETAILS_NUMBERS_MAX (1 << 16) /* rows of one kind; higher numbers are damage */

struct details_view_name {
	const char *text; /* NULL: the text has no such number */
};

struct details_view_owner {
	const char *name; /* NULL: the text has no such number; "-": it has no name */
	uint64_t id;	  /* of a process */
	uint32_t cgroup;  /* of a process: its number */
	struct details_counts counts;
};

/* The estimates of a row of stacks or system calls. */
struct details_view_estimate {
	const char *name; /* NULL: the text has no such number; "-": row 0, all others */
	struct details_counts counts;
	uint64_t allocated_error, live_error; /* bytes: standard errors */
	uint64_t samples, live_samples;
};

struct details_view_pair {
	bool exists;
	uint32_t site, cache;
	struct details_counts counts;
	uint64_t lifetimes[TALLY_LIFETIMES];
	struct details_live live;
};

struct details_view {
	struct details_moment moment;
	struct details_slabs slabs;
	uint64_t scanned; /* ns: when the live objects were looked at; 0: not yet */
	/* each by number */
	struct details_view_name *sites, *caches;
	struct details_view_pair *pairs;
	struct details_view_owner *owners[DETAILS_OWNERS];
	size_t site_count, cache_count, pair_count, owner_counts[DETAILS_OWNERS];
	struct details_held *held;
	size_t held_count;
	uint64_t interval, interval_most; /* bytes: between samples; 0: no stacks are sampled */
	bool is_profile;		  /* there are stacks and system calls only */
	struct details_view_estimate *sampled[DETAILS_SAMPLED]; /* by number */
	size_t sampled_counts[DETAILS_SAMPLED];
	uint64_t sampled_drops[DETAILS_SAMPLED];
	char *names; /* the memory of all names */
};

/* The view is empty before, or had a text: this one replaces it. 0, -EBADMSG: it is damaged, or
 * -EPROTONOSUPPORT, or -ENOMEM; then it is empty. */
int details_view_parse(struct details_view *view, const char *text);

/* Reads the file beside the statistics file at path. Also as details_file_read(). */
int details_view_read(struct details_view *view, const char *path);
void details_view_deinit(struct details_view *view); /* all zero is allowed */

#endif
