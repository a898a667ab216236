/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A subscriber receives what the matcher finds out about events. The subscribers are the observers,
 * which are callbacks of the caller of the analysis (struct observer in model.h), the counters and
 * the heap rules. Only this file knows all of them. Counters and rules are called directly: a
 * function pointer per event would cost too much.
 */
#ifndef ANALYSIS_SUBSCRIBERS_H
#define ANALYSIS_SUBSCRIBERS_H

#include "analysis/counters.h"
#include "analysis/heap_rules.h"
#include "analysis/model.h"

struct subscribers {
	struct analysis *analysis;
	struct heap_rules *heap_rules; /* NULL: findings were not requested */
	uint64_t check_until;	       /* ns: later events are not checked against the rules */
	bool is_observed;	       /* there are observers */
};

int subscribers_open(struct subscribers *subscribers, struct analysis *analysis); /* or -ENOMEM */
void subscribers_close(struct subscribers *subscribers);

/* Observers first, then the counters. 0 or -errno. */
int subscribers_emit_observed(const struct subscribers *subscribers,
			      const struct transition *transition);

/* fast: a constant; true in the fast path. */
__attribute__((always_inline)) static inline int
subscribers_emit(const struct subscribers *subscribers, const struct transition *transition,
		 const bool fast)
{
	return fast && !subscribers->is_observed
		       ? counters_count(subscribers->analysis, transition, true)
		       : subscribers_emit_observed(subscribers, transition);
}

/* Nothing is pending in the counters after this. */
static inline void subscribers_finish(const struct subscribers *subscribers)
{
	counters_flush_all(subscribers->analysis);
}

/*
 * Is the event checked against the heap rules? When the tracer detaches its programs one after the
 * other, the remaining ones record frees whose allocations are no longer recorded. fast: a
 * constant; true where the event is known not to be later than check_until.
 */
static inline bool subscribers_check(const struct subscribers *subscribers,
				     const struct event *event, const bool fast)
{
	return subscribers->heap_rules && (fast || event->time <= subscribers->check_until);
}

/*
 * Before an allocation enters the object table. old: the object at its address, live or freed; or
 * NULL. OBJECT_MATCHES_PAGE, 0 or -ENOMEM.
 */
static inline int subscribers_check_allocation(const struct subscribers *subscribers,
					       const struct event *event, uint32_t cache,
					       const struct slab_object *old, const bool fast)
{
	return subscribers_check(subscribers, event, fast)
		       ? heap_rules_check_allocation(subscribers->heap_rules, event, cache, old)
		       : 0;
}

/* A free of the live object; cache: that the free names. 0 or -ENOMEM, as all below. */
static inline int subscribers_check_free(const struct subscribers *subscribers,
					 const struct event *event, uint32_t cache,
					 const struct slab_object *object, const bool fast)
{
	return subscribers_check(subscribers, event, fast)
		       ? heap_rules_check_free(subscribers->heap_rules, event, cache, object)
		       : 0;
}

/* A free of no live object. freed: the object that was freed at the address before, or NULL. */
static inline int subscribers_check_unmatched(const struct subscribers *subscribers,
					      const struct event *event, uint32_t cache,
					      const struct slab_object *freed)
{
	return subscribers_check(subscribers, event, false)
		       ? heap_rules_check_unmatched(subscribers->heap_rules, event, cache, freed)
		       : 0;
}

/* The event allocated the address of the live object; subscribers_check() was true for it. */
static inline int subscribers_check_missed(const struct subscribers *subscribers,
					   const struct event *event,
					   const struct slab_object *object)
{
	return heap_rules_check_missed(subscribers->heap_rules, event, object);
}

/* A failed allocation is reported at any time: it needs no other event to be recorded. */
static inline int subscribers_check_failed(const struct subscribers *subscribers,
					   const struct event *event, uint32_t cache)
{
	return subscribers->heap_rules
		       ? heap_rules_check_failed(subscribers->heap_rules, event, cache)
		       : 0;
}

/* Prefetches what the rules read about an address. */
static inline void subscribers_prefetch(const struct subscribers *subscribers, uint64_t address)
{
	if (subscribers->heap_rules)
		heap_rules_prefetch(subscribers->heap_rules, address);
}

#endif
