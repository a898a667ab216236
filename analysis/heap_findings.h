/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Findings: frees by the wrong function, to the wrong cache, of freed objects or of addresses that
 * were never allocated; overlapping objects; failed allocations. Each has a certainty, which
 * depends on what the capture did not record.
 */
#ifndef ANALYSIS_HEAP_FINDINGS_H
#define ANALYSIS_HEAP_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum finding_kind {
	FINDING_KMALLOC_TO_CACHE, /* kmem_cache_free() of an object of kmalloc() */
	FINDING_WRONG_CACHE,	  /* kmem_cache_free() that names another cache than the object's */
	FINDING_CACHE_KFREED,	  /* kfree() of an object of kmem_cache_alloc(): legal since 6.4 */
	FINDING_DOUBLE_FREE,	  /* free_site: of the second free; other_site: of the first */
	FINDING_INTERIOR_FREE,	  /* of an address inside a live object */
	FINDING_UNKNOWN_FREE, /* of an address that was never allocated, not even before the capture
			       */
	FINDING_OVERLAP,      /* other_site: of the allocation of the overlapped object */
	FINDING_MISSED_FREE,  /* other_site: of the new allocation that returned the address */
	FINDING_SHORT_ALLOCATION,  /* fewer bytes than requested */
	FINDING_FAILED_ALLOCATION, /* one finding for each set of GFP flags */
	FINDING_KIND_COUNT
};

enum certainty {
	CERTAINTY_LEGAL, /* not an error on this kernel: legal, or a failed allocation */
	/*
	 * Possible, but the slab allocator shows what explains it: the cache, which is none of
	 * kmalloc(), has allocations without an event. See audit.h.
	 */
	CERTAINTY_EXPLAINED,
	CERTAINTY_POSSIBLE, /* an event that was not recorded can explain it: see reasons */
	CERTAINTY_CERTAIN,
};

/*
 * Why a finding is possible only. The interval of a case is [since, time]: see heap_findings_add().
 */
enum finding_reason {
	REASON_LOST = 1,	   /* events were lost in the interval */
	REASON_SKIPPED = 2,	   /* the kernel skipped events in it, or at an unknown time */
	REASON_MISSED = 4,	   /* some frees of the cache were not recorded */
	REASON_UNOBSERVED = 8,	   /* some allocation paths are not observed on this kernel */
	REASON_FROM_BACKUP = 16,   /* a backup program recorded the free */
	REASON_TRACED_SOME = 32,   /* only some processes were captured */
	REASON_SKIPS_UNKNOWN = 64, /* the number of skipped events is unknown */
	REASON_ATTACHING = 128,	   /* not all programs were attached */
	REASON_GUESS = 256,	   /* the rule can be wrong: finding_reason_text() says why */
	REASON_CLAMPED = 512,	   /* timestamps were clamped: the order of records can be wrong */
	REASON_UNKNOWN = 1024,	   /* records have kinds that this version does not know */
	REASON_MANY = 2048,	   /* there were too many cases to compare each with the losses */
};
#define FINDING_REASONS 12

/* One for each kind, combination of sites and combination of caches. */
struct heap_finding {
	enum finding_kind kind;
	enum certainty certainty; /* the strongest of its cases */
	uint64_t count;
	uint64_t certain;    /* number of certain cases */
	uint32_t reasons;    /* of the other cases: enum finding_reason */
	uint64_t alloc_site; /* addresses; 0: not known, or none */
	uint64_t free_site, other_site;
	/* Indexes in analysis.caches, or CACHE_NONE. cache: of the object. free_cache: that the
	 * free named; of FINDING_OVERLAP, which has no free, the cache of the live object below. */
	uint32_t cache, free_cache;
	uint64_t first_time, last_time; /* ns: of the events that broke the rule */
	/* of the first case: */
	uint64_t address;
	uint64_t alloc_time, other_time; /* ns; 0: not known, as are alloc_task and alloc_cpu */
	uint32_t task, alloc_task;	 /* of the event that broke the rule; of the allocation */
	uint16_t cpu, alloc_cpu;	 /* of the same */
	uint32_t requested, allocated;	 /* bytes */
	uint32_t gfp;
};

struct heap_findings;
struct analysis;
struct loss;

int heap_findings_open(struct heap_findings **findings,
		       const struct analysis *analysis); /* or -ENOMEM */
void heap_findings_close(struct heap_findings *findings);

/*
 * Adds a case. The times, count and certainty in found are ignored. The case is certain if reasons
 * is 0 and all events from since to time were recorded: heap_findings_classify() decides it.
 * cache: of the object; its missed frees can explain the case. 0 or -ENOMEM.
 */
int heap_findings_add(struct heap_findings *findings, const struct heap_finding *found,
		      uint64_t time, uint64_t since, uint32_t cache, uint32_t reasons);

/* The same for a case whose certainty does not depend on what is recorded. */
int heap_findings_add_classified(struct heap_findings *findings, const struct heap_finding *found,
				 uint64_t time, enum certainty certainty);

/* The losses of one CPU; before heap_findings_classify(). 0 or -ENOMEM. */
int heap_findings_add_losses(struct heap_findings *findings, const struct loss *loss);

/* Events were lost between the two times. 0 or -ENOMEM. */
int heap_findings_add_loss(struct heap_findings *findings, uint64_t after, uint64_t before);

/* Classifies every case, when the whole capture is read, and sorts. 0 or -ENOMEM. */
int heap_findings_classify(struct heap_findings *findings);

/*
 * The findings, once they are classified: certain before possible before explained before
 * legal, then by kind, count (highest first), and sites.
 */
size_t heap_findings_count(const struct heap_findings *findings);
const struct heap_finding *heap_findings_get(const struct heap_findings *findings, size_t index);

const char *finding_kind_text(enum finding_kind kind);	/* "double-free" */
const char *finding_kind_about(enum finding_kind kind); /* a sentence */
const char *certainty_text(enum certainty certainty);	/* "possible" */
/* A phrase; why a rule can be wrong depends on the kind. */
const char *finding_reason_text(enum finding_reason reason, enum finding_kind kind);

#endif
