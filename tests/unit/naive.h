/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The analysis over again, for tests to compare with: all events of a small trace in one list,
 * plain loops over it, and as obviously right as we could write it. Shares nothing with trace/.
 */
#ifndef TESTS_UNIT_NAIVE_H
#define TESTS_UNIT_NAIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/heap_findings.h" /* for the names of kinds and reasons only */

#define NAIVE_EVENTS_MAX 400
#define NAIVE_CACHES_MAX 16
#define NAIVE_SPANS_MAX 4
#define NAIVE_CASES_MAX (NAIVE_EVENTS_MAX * 4)
#define NAIVE_NAME 100
#define NAIVE_UNNAMED "unnamed-" /* so begins the name of caches that nothing but sizes tells */

/* As kernel/caches tells it. */
struct naive_cache {
	uint64_t address, since, until; /* ns */
	uint32_t object_size, size;
	char name[32];
};

struct naive_span {
	uint64_t after, before;
};

/* KMT_NONE: the event was lost. The fields from own on are the model's work. */
struct naive_event {
	uint64_t time, sequence, pointer, site, cache_address;
	uint32_t requested, allocated, task, gfp;
	unsigned int cpu;
	int id;

	bool own;
	const struct naive_cache *cache; /* that cache_address stood for; NULL: not known */
	char cache_name[NAIVE_NAME];	 /* of the object, or that a free names; "": none */
	bool done;			 /* its turn has been */
	bool live;			 /* an allocation whose object is there */
	bool overlaid;			 /* an overlap on it was told */
	bool freed;			 /* a free of an object whose address is not in use again */
	const struct naive_event *object; /* that a free freed */
	uint64_t freed_at;		  /* ns: when it did that */
	struct naive_event *replaced;	  /* the live object whose place an allocation took */
};

struct naive_trace {
	uint64_t begin, attached, end; /* ns */
	unsigned int major, minor;     /* of the kernel */
	struct naive_cache caches[NAIVE_CACHES_MAX];
	size_t cache_count;
	struct naive_event events[NAIVE_EVENTS_MAX];
	size_t count;
	struct naive_span skips[NAIVE_SPANS_MAX];
	size_t skip_count;
	uint64_t skipped;
	uint32_t own_task;
	bool include_self, filtered, unobserved;
	bool skips_told; /* the capture came to its end as it should */
};

struct naive_figures {
	char key[NAIVE_NAME]; /* of a site its address, of a cache as naive_cache_name() */
	uint64_t first_time;
	uint64_t allocations, frees, missed_frees, failed;
	uint64_t bytes_requested, bytes_allocated, live_objects, live_bytes, peak_bytes;
	uint64_t temporary, cross_cpu_frees, frees_unmatched;
	bool allocates; /* it stands for more than a free that names it */
};

struct naive_totals {
	uint64_t null_frees, resizes, own_allocations, own_frees, from_backup, unknown, lost,
		peak_time;
};

/* One thing that one event showed, or an entry of the same things. */
struct naive_finding {
	enum finding_kind kind;
	enum certainty certainty;
	uint64_t count, certain;
	uint32_t reasons, gfp;
	uint64_t alloc_site, free_site, other_site, first_time, last_time, address;
	char cache[NAIVE_NAME], free_cache[NAIVE_NAME];
};

struct naive_case {
	const struct naive_event *event; /* that showed it */
	struct naive_finding finding;
	uint64_t begin;		 /* ns: what was not seen from then on may explain it */
	uint32_t reasons;	 /* that this case has for itself */
	bool is_judged;		 /* else it is as certain as finding says */
	char blamed[NAIVE_NAME]; /* cache: missed frees of it may explain the case */
	bool withdrawn;		 /* a free told late explained it */
};

/* Of a page of 4096 bytes: how the objects lie that were last begun in it. */
struct naive_page {
	uint64_t number, stride, phase;
	bool changed; /* they lay otherwise before */
};

struct naive {
	struct naive_trace *trace;
	struct naive_event *order[NAIVE_EVENTS_MAX]; /* by time */
	size_t count;
	struct naive_event *taken[NAIVE_EVENTS_MAX]; /* as their turns came */
	size_t taken_count, late;		     /* late: frees that were told so */
	struct naive_figures all, sites[NAIVE_EVENTS_MAX], caches[NAIVE_EVENTS_MAX];
	size_t site_count, cache_count;
	struct naive_totals totals;
	struct naive_case cases[NAIVE_CASES_MAX];
	size_t case_count;
	struct naive_finding findings[NAIVE_CASES_MAX];
	size_t finding_count;
	struct naive_page pages[NAIVE_EVENTS_MAX];
	size_t page_count;
	struct naive_span lost[NAIVE_EVENTS_MAX];
	size_t lost_count;
};

void naive_run(struct naive *naive, struct naive_trace *trace);

/* The name that tells one cache from any other; "" for a free that names none. */
void naive_cache_name(const struct naive_event *event, char *name);
bool naive_is_kmalloc_name(const char *name);

bool naive_has_object(const struct naive_event *event);
bool naive_is_allocation(const struct naive_event *event);
bool naive_is_free(const struct naive_event *event);
bool naive_is_rescued(const struct naive_event *event);

/* The live object at the address, or NULL. */
struct naive_event *naive_live(const struct naive *naive, uint64_t address);

/* What the event shows; called before it changes anything. */
void naive_look_at_allocation(struct naive *naive, struct naive_event *event);
void naive_look_at_free(struct naive *naive, struct naive_event *event);

/* The object was freed after all: no missed free was told when the event got its address. */
void naive_withdraw_missed(struct naive *naive, const struct naive_event *event);

/* Once all is seen: how certain each case is, and the entries that they make. */
void naive_judge(struct naive *naive);

#endif
