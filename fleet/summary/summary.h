/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A summary: what a host, or several hosts together, allocated and freed in an interval of time, by
 * kernel code (function, module, slab cache), by cgroup and by task name, with the events that it
 * does not include. Names only, never addresses. kmemtrace-summaries(5) has the file format.
 *
 * Summaries add up, in any order and any grouping:
 *
 *   - counts and variances are sums; a sum that is too large for its type stays at the maximum
 *   - begin is the earliest, end the latest
 *   - live objects and bytes, their number of hosts, and the memory of kmemtraced, are those at the
 *     time live_at: the summary with the later live_at has them; if it is the same, they are sums:
 *     of several hosts, since no two summaries of one run may end at the same time. Growth is a
 *     sum: allocated - freed.
 *   - sources are a union; a summary that has a source in common with the sum is not added: if the
 *     sum has all its sources, it counts already, and else it is an error
 *   - facts of the host are those of the summary that ends last; of several hosts there are none
 */
#ifndef FLEET_SUMMARY_SUMMARY_H
#define FLEET_SUMMARY_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/missing.h"
#include "base/hash_map.h"

#define SUMMARY_NAMES 3 /* of a row at most */
#define SUMMARY_ROWS_MAX 65536
#define SUMMARY_REST "(other)"		 /* the name of a row that has what found no room */
#define SUMMARY_UNKNOWN "(unknown)"	 /* the name of code without a symbol, ... */
#define SUMMARY_INTERRUPT "(interrupts)" /* the name of a task: none, an interrupt allocated */

/*
 * Variances are multiples of this, so that their sums are exact in any order, up to 2^73 square
 * bytes.
 */
#define SUMMARY_VARIANCE_UNIT ((double)(1 << 20))

/* The rows of each kind add up to all that was counted. */
enum summary_kind {
	SUMMARY_CODE,	/* names: function, module ("kernel": none), slab cache */
	SUMMARY_CGROUP, /* names: path */
	SUMMARY_COMM,	/* names: name of the task */
	SUMMARY_KINDS
};

struct summary_counts {
	uint64_t allocations, frees; /* objects; frees includes missed */
	uint64_t allocated, freed;   /* bytes */
	uint64_t failed;	     /* allocations */
	uint64_t cross_cpu;	     /* frees on another CPU than that of the allocation */
	uint64_t missed;	     /* frees that had no event, proven by the next allocation */
	uint64_t live_objects, live_bytes; /* at live_at, allocated since tracing began */
	/* of the bytes, if allocations are sampled: squares of standard errors */
	double allocated_variance, live_variance;
};

struct summary_row {
	enum summary_kind kind;
	char *names[SUMMARY_NAMES]; /* those that the kind does not have: NULL */
	struct summary_counts counts;
};

/* One run of kmemtraced on one boot of one host numbers its summaries from 0 on. */
struct summary_source {
	char *host, *boot;    /* boot: the kernel's boot id */
	uint64_t run;	      /* ns since 1970: when tracing began */
	uint64_t first, last; /* the summaries that are in here */
};

/* Facts of one host; a sum of hosts has none: kernel is NULL. */
struct summary_host {
	char *kernel, *arch, *role; /* role: as the user named it, may be empty */
	uint32_t cpus;
	uint64_t memory, slab_reclaimable, slab_unreclaimable; /* bytes, /proc/meminfo at the end */
};

struct summary {
	uint64_t begin, end; /* ns since 1970 */
	uint64_t live_at;    /* ns since 1970 */
	uint64_t live_hosts; /* whose live objects the rows have; 1 of one run */
	uint64_t cpu_ns;     /* CPU time of kmemtraced in the interval */
	uint64_t resident;   /* bytes: its memory at live_at */
	struct summary_host host;
	struct missing missing;
	struct summary_source
		*sources; /* in order of host, boot, run, first; they do not overlap */
	size_t source_count;
	struct summary_row *rows; /* in order of their names, if summary_sort() was called */
	size_t row_count;
	struct hash_map by_names; /* of rows */
};

/* Of an empty summary, which has no source: the sum of nothing. 0 or -ENOMEM. */
int summary_init(struct summary *summary);
void summary_deinit(struct summary *summary); /* all zero is allowed */

/* How many names a kind has. */
size_t summary_name_count(enum summary_kind kind);

/*
 * The row of these names (as many as the kind has; an empty one is SUMMARY_UNKNOWN), which is added
 * with all counts 0 if need be. NULL: no memory. The row is valid until the next call.
 */
struct summary_row *summary_get_row(struct summary *summary, enum summary_kind kind,
				    const char *const *names);

/*
 * The same for those who count events: at SUMMARY_ROWS_MAX rows, the row named SUMMARY_REST. Sums
 * have no such bound, so that they do not depend on the order.
 */
struct summary_row *summary_count_row(struct summary *summary, enum summary_kind kind,
				      const char *const *names);

/* Copies the facts; the kernel may be NULL: none. 0 or -ENOMEM. */
int summary_set_host(struct summary *summary, const struct summary_host *host);

/*
 * Copies a source, with first <= last. 0, -EEXIST: a part of it is there already, or -ENOMEM.
 * Neighbours become one.
 */
int summary_add_source(struct summary *summary, const struct summary_source *source);

/* The same for many sources in any order: append each, then order them once: -EEXIST or 0. */
int summary_append_source(struct summary *summary, const struct summary_source *source);
int summary_order_sources(struct summary *summary);

/* The index of the first source that ends at or behind the begin of this one. */
size_t summary_find_source(const struct summary *summary, const struct summary_source *source);

bool summary_is_of_one_host(const struct summary *summary);

/*
 * How many of the sources of the other summary are in this one: 0: none; -EALREADY: all; -EEXIST:
 * some, or a part of one.
 */
int summary_compare_sources(const struct summary *summary, const struct summary *other);

/*
 * Adds another summary, as above. 0, -EALREADY: all of it is in the sum already (it is not added
 * again), -EEXIST: a part of it is (nothing is added), -EINVAL: it has no source, or -ENOMEM (the
 * sum is of no use then).
 */
int summary_add(struct summary *sum, const struct summary *other);

void summary_add_counts(struct summary_counts *sum, const struct summary_counts *counts);

/* Rows in order of kind and names. */
void summary_sort(struct summary *summary);

/* The sum of the rows of a kind. */
struct summary_counts summary_total(const struct summary *summary, enum summary_kind kind);

/* The next multiple of SUMMARY_VARIANCE_UNIT; 0 of a variance that is not a number or negative. */
double summary_round_variance(double variance);

#endif
