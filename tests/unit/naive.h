/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A second implementation of the analysis, for tests to compare with: it keeps all events of a
 * small trace in one list and uses plain loops, to be obviously correct. It shares no code with
 * analysis/.
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
#define NAIVE_ANONYMOUS "unnamed-" /* prefix of the names of anonymous caches */

/* An entry of kernel/caches. */
struct naive_cache {
	uint64_t address, since, until; /* ns */
	uint32_t object_size, size;
	char name[32];
};

struct naive_span {
	uint64_t after, before;
};

/* id KMT_NONE: the event was lost. The fields from own on are set by the model. */
struct naive_event {
	uint64_t time, sequence, pointer, site, cache_address;
	uint32_t requested, allocated, task, gfp;
	unsigned int cpu;
	int id;

	bool own;
	const struct naive_cache *cache; /* at cache_address; NULL: unknown */
	char cache_name[NAIVE_NAME];	 /* of the object, or named by the free; "": none */
	bool done;			 /* it was processed */
	bool live;			 /* an allocation whose object is live */
	bool overlap_reported;		 /* an overlap with it was reported */
	bool freed; /* a free of an object whose address was not allocated again */
	const struct naive_event *object; /* the allocation whose object a free freed */
	uint64_t freed_at;		  /* ns: the time of that */
	struct naive_event *replaced;	  /* the live object whose address an allocation got */
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
	bool skips_known; /* the capture is complete */
};

struct naive_counters {
	char key[NAIVE_NAME]; /* the site's address, or naive_cache_name() */
	uint64_t first_time;
	uint64_t allocations, frees, missed_frees, failed;
	uint64_t bytes_requested, bytes_allocated, live_objects, live_bytes, peak_bytes;
	uint64_t temporary, cross_cpu_frees, frees_unmatched;
	uint64_t flow_waste, live_waste, peak_waste; /* peak: when the bytes of all were highest */
	bool allocates; /* it has allocations, not only frees that name it */
};

struct naive_totals {
	uint64_t null_frees, resizes, own_allocations, own_frees, own_frees_by_others, from_backup,
		unknown, lost, peak_time;
};

/* A finding of one event, or the sum of equal findings. */
struct naive_finding {
	enum finding_kind kind;
	enum certainty certainty;
	uint64_t count, certain;
	uint32_t reasons, gfp;
	uint64_t alloc_site, free_site, other_site, first_time, last_time, address;
	char cache[NAIVE_NAME], free_cache[NAIVE_NAME];
};

struct naive_case {
	const struct naive_event *event; /* that broke the rule */
	struct naive_finding finding;
	uint64_t begin;	  /* ns: events that were not recorded after this time can explain it */
	uint32_t reasons; /* of this case alone */
	bool depends_on_losses;	       /* false: finding.certainty is final */
	char blamed_cache[NAIVE_NAME]; /* missed frees of this cache can explain the case */
	bool withdrawn;		       /* a delayed free explained it */
};

/* The layout of the last objects in a page of 4096 bytes. */
struct naive_page {
	uint64_t number, stride, phase;
	bool changed; /* the layout was different before */
};

struct naive {
	struct naive_trace *trace;
	struct naive_event *order[NAIVE_EVENTS_MAX]; /* by time */
	size_t count;
	struct naive_event *taken[NAIVE_EVENTS_MAX]; /* in the order of processing */
	size_t taken_count, delayed;		     /* delayed: frees */
	struct naive_counters all, sites[NAIVE_EVENTS_MAX], caches[NAIVE_EVENTS_MAX];
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

/* The unique name of the event's cache; "" for a free that names none. */
void naive_cache_name(const struct naive_event *event, char *name);
bool naive_is_kmalloc_name(const char *name);

bool naive_has_object(const struct naive_event *event);
bool naive_is_allocation(const struct naive_event *event);
bool naive_is_free(const struct naive_event *event);
bool naive_is_from_backup(const struct naive_event *event);

/* The live object at the address, or NULL. */
struct naive_event *naive_live(const struct naive *naive, uint64_t address);

/* Findings of the event; called before the event changes anything. */
void naive_check_allocation(struct naive *naive, struct naive_event *event);
void naive_check_free(struct naive *naive, struct naive_event *event);

/* The object was freed: withdraw the missed free that the event, which got its address, showed. */
void naive_withdraw_missed(struct naive *naive, const struct naive_event *event);

/* At the end: sets the certainty of each case, and sums up the findings. */
void naive_classify(struct naive *naive);

#endif
