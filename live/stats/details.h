/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts what an online analysis by site takes: for each pair of a call site and a cache, and for
 * each process, task name and cgroup that allocated; and what samples estimate, for each stack.
 * Writes it as a text (details_text.h), which kmemtraced publishes beside its statistics file, for
 * kmemtrace-top.
 *
 * The rows of a table add up to all allocations and frees. The number of rows is limited: row 0 has
 * the rest, rows for which there was no room, or which had to make room.
 */
#ifndef LIVE_STATS_DETAILS_H
#define LIVE_STATS_DETAILS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/analysis.h"
#include "analysis/tallies.h"
#include "analysis/task_tallies.h"
#include "base/hash_map.h"
#include "live/stats/details_stacks.h"

enum details_owner {
	DETAILS_PROCESS,
	DETAILS_COMM,
	DETAILS_CGROUP,
	DETAILS_OWNERS
};
_Static_assert(DETAILS_OWNERS == TASK_TALLY_OWNERS, "each tally has an owner of each kind");

#define DETAILS_ROWS_MAX 8192

/* The first rows of each table. */
enum {
	DETAILS_REST,
	DETAILS_INTERRUPT, /* allocated in an interrupt: of no task */
	DETAILS_UNKNOWN,   /* of tasks whose name, process or cgroup is not known */
	DETAILS_FIRST
};

struct details_row {
	uint64_t key; /* process: its id; else hash_keyed_text() of the name */
	char *name;   /* process: the name of its main thread; NULL: one of the first rows */
	struct details_counts counts;
	uint32_t cgroup; /* process: the row of the cgroup that its main thread is in */
};

struct details_table {
	struct details_row *rows;
	size_t count;
	struct hash_map by_key;
};

struct details_cgroup {
	uint64_t id;
	char *path; /* NULL: it is gone */
};

struct details_cgroups {
	struct details_cgroup *list;
	size_t count;
	struct hash_map by_id;
};

/* One live object, or several, of a pair and a process. */
struct details_held {
	uint32_t pair, process;
	uint64_t objects, bytes;
};

/* Of a pair: found by looking at all live objects. */
struct details_live {
	uint64_t objects, requested; /* requested: bytes */
	uint32_t least, most;	     /* bytes requested */
	struct tally_lifetimes ages;
};

struct details_scan {
	uint64_t time, next; /* ns: of the last scan; the next is not before */
	struct details_live *pairs;
	size_t pair_count;
	struct details_held *held; /* with the most bytes first */
	size_t held_count;
};

/* All slabs of the kernel, by the last reading of the slab allocator. */
struct details_slabs {
	uint64_t time;			  /* ns: of the reading; 0: there was none */
	uint64_t given, given_bytes;	  /* objects that are given out */
	uint64_t room;			  /* objects, given out or free */
	uint64_t slab_bytes, spare_bytes; /* see struct census_cache */
};

struct details_pair {
	struct details_counts counts;
	uint64_t lifetimes[TALLY_LIFETIMES]; /* freed objects, as struct tally_lifetimes */
};

struct details {
	const struct capture *capture;
	struct tallies *tallies; /* the pairs, in this order */
	struct task_tallies tasks;
	struct details_pair *pairs; /* by index of the tally */
	size_t pair_count;
	struct details_table tables[DETAILS_OWNERS];
	struct details_cgroups cgroups;
	struct details_scan scan;
	struct details_slabs slabs;
	struct details_stacks stacks; /* if with_stacks */
	bool with_stacks;	      /* allocations are sampled */
	bool only_stacks;	      /* the objects are samples, and count for their stacks only */
	char **sites;		      /* names by group; NULL: not known yet */
	size_t site_count;
	uint64_t taken; /* ns: all events before are counted */
	uint64_t drops; /* how often rows made room */
	size_t swept;	/* rows and tallies that were left when room was made; 0: never */
};

/* The capture and the tallies must outlive the details. 0 or -ENOMEM. */
int details_init(struct details *details, const struct capture *capture, struct tallies *tallies);
void details_deinit(struct details *details); /* all zero is allowed */

/*
 * Takes lines of tasks, cgroups and stacks, as in kernel/tasks, kernel/cgroups and kernel/stacks of
 * a capture, before their events are taken. 0 or -ENOMEM.
 */
int details_names(struct details *details, const char *text);

/* For struct observer: data is the struct details. */
int details_on_transition(void *details, const struct analysis *analysis,
			  const struct transition *transition);

/* Adds what the analysis counted in a tally. 0 or -ENOMEM. */
int details_add_tally(struct details *details, const struct tally *tally,
		      const struct tally_count *count);

/*
 * The symbols of the capture were replaced: sites and stacks without a function are looked up
 * again.
 */
void details_symbols_changed(struct details *details);

/*
 * Adds what was counted for tasks to the rows, and makes room for new tasks. All events before the
 * time (ns) were taken. 0 or -ENOMEM.
 */
int details_flush(struct details *details, uint64_t time);

/* Looks at the live objects, if the last time is long enough ago. now: ns. 0 or -ENOMEM. */
int details_scan_live(struct details *details, const struct analysis *analysis, uint64_t now);

/* Between the files of details. */
int64_t details_get_row(struct details_table *table, uint64_t key, const char *name);
int details_tables_init(struct details *details);
void details_tables_deinit(struct details *details);
void details_cgroups_deinit(struct details_cgroups *cgroups);
void details_scan_deinit(struct details_scan *scan);

#endif
