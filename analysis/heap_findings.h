/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is wrong, or may be: frees of the wrong kind, of the wrong cache, twice, of what was never
 * allocated; objects over one another; and how sure that is, given what was not seen.
 */
#ifndef ANALYSIS_HEAP_FINDINGS_H
#define ANALYSIS_HEAP_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum finding_kind {
	FINDING_KMALLOC_TO_CACHE,  /* kmem_cache_free() of what kmalloc() gave */
	FINDING_WRONG_CACHE,	   /* kmem_cache_free() to another cache than the object's */
	FINDING_CACHE_KFREED,	   /* kfree() of a slab cache's object: legal since 6.4 */
	FINDING_DOUBLE_FREE,	   /* other_site: that freed it first */
	FINDING_INTERIOR_FREE,	   /* of an address inside a live object */
	FINDING_UNKNOWN_FREE,	   /* never allocated, and not from before the capture */
	FINDING_OVERLAP,	   /* other_site: that allocated the live object beneath */
	FINDING_MISSED_FREE,	   /* other_site: that was given the live object's address */
	FINDING_SHORT_ALLOCATION,  /* fewer bytes than requested */
	FINDING_FAILED_ALLOCATION, /* told apart by GFP flags */
	FINDING_KIND_COUNT
};

enum certainty {
	CERTAINTY_LEGAL,    /* not wrong on this kernel */
	CERTAINTY_POSSIBLE, /* something that was not seen can explain it: reasons */
	CERTAINTY_CERTAIN,
};

/* Why it is only possible. */
enum finding_reason {
	REASON_LOST = 1,	 /* events were lost between */
	REASON_SKIPPED = 2,	 /* the kernel hid events between */
	REASON_MISSED = 4,	 /* the cache's frees were not all seen */
	REASON_UNOBSERVED = 8,	 /* a path is not observed on this kernel */
	REASON_FROM_BACKUP = 16, /* it rests on a record of a second program */
	REASON_FILTERED = 32,	 /* only some processes were captured */
	REASON_CUT_OFF = 64,	 /* the capture does not tell all that was skipped */
	REASON_ATTACHING = 128,	 /* not everything was attached, yet or any more */
	REASON_GUESS = 256,	 /* the rule itself can be wrong */
	REASON_CLAMPED = 512,	 /* records may not be in their true order */
	REASON_UNKNOWN = 1024,	 /* there are records of kinds that this version does not know */
};
#define FINDING_REASONS 11

/* One entry for each kind, pair of sites, and pair of caches. */
struct heap_finding {
	enum finding_kind kind;
	enum certainty certainty; /* the strongest of its cases */
	uint64_t count;
	uint64_t certain;    /* cases of them that are certain */
	uint32_t reasons;    /* of the cases that are not: enum finding_reason */
	uint64_t alloc_site; /* addresses; 0: not known, or none */
	uint64_t free_site, other_site;
	uint32_t cache, free_cache;	/* index in analysis.caches, or CACHE_NONE */
	uint64_t first_time, last_time; /* ns, of the events that showed it */
	/* the first case */
	uint64_t address;
	uint64_t alloc_time, other_time; /* ns; 0: not known */
	uint32_t task, alloc_task;	 /* of the event that showed it; of the allocation */
	uint16_t cpu, alloc_cpu;
	uint32_t requested, allocated; /* bytes */
	uint32_t gfp;
};

struct heap_findings;
struct analysis;
struct loss;

int heap_findings_open(struct heap_findings **findings,
		       const struct analysis *analysis); /* or -ENOMEM */
void heap_findings_close(struct heap_findings *findings);

/*
 * One case: count, certain, certainty and the times are set here, from time. It is certain if it
 * must be wrong, reasons is 0, and nothing that happened from since to time was hidden; that is
 * judged when all is known, from what befell the cache object. 0 or -ENOMEM.
 */
int heap_findings_add(struct heap_findings *findings, const struct heap_finding *found,
		      uint64_t time, uint64_t since, uint32_t cache, uint32_t reasons);

/* As heap_findings_add() where there is nothing to judge. */
int heap_findings_add_plain(struct heap_findings *findings, const struct heap_finding *found,
			    uint64_t time, enum certainty certainty);

/* The settled losses of one CPU: told before heap_findings_classify(). 0 or -ENOMEM. */
int heap_findings_add_losses(struct heap_findings *findings, const struct loss *loss);

/* Events that were lost between the two times. 0 or -ENOMEM. */
int heap_findings_add_loss(struct heap_findings *findings, uint64_t after, uint64_t before);

/* Judges every case, once the pass is over, and sorts. 0 or -ENOMEM. */
int heap_findings_classify(struct heap_findings *findings);

/* Certain before possible before legal, then by kind, count (highest first), and sites. */
size_t heap_findings_count(const struct heap_findings *findings);
const struct heap_finding *heap_findings_get(const struct heap_findings *findings, size_t index);

const char *finding_kind_text(enum finding_kind kind);	     /* "double-free" */
const char *finding_kind_legend(enum finding_kind kind);     /* a phrase for people */
const char *certainty_text(enum certainty certainty);	     /* "possible" */
const char *finding_reason_text(enum finding_reason reason); /* "events were lost between" */

#endif
