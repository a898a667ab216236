// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Collects findings and classifies their certainty: a finding is possible only, not certain, if an
 * event that was not recorded could explain it.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "analysis/model.h"
#include "analysis/heap_findings.h"
#include "base/hash_map.h"

/*
 * Cases to classify at the end, when all losses are known. Further cases count as possible, with
 * REASON_MANY.
 */
#define CASES_MAX ((size_t)1 << 20)

struct open_case {
	uint64_t since, time; /* ns */
	uint32_t finding;
	uint32_t cache; /* of the object */
};

struct span {
	uint64_t after, before; /* ns, inclusive */
};

/* After spans_sort(): disjoint, in order of time. */
struct spans {
	struct span *list;
	size_t count;
};

struct heap_findings {
	const struct analysis *analysis;
	struct heap_finding *list;
	size_t count;
	struct hash_map by_key; /* index of the first finding with a hash; next: of the others */
	uint32_t *next;		/* by finding: the next with the same hash, or HASH_MAP_NONE */
	struct open_case *cases;
	size_t case_count;
	struct spans lost, skipped;
	struct hash_map missed_sizes; /* of anonymous caches with missed frees */
	uint32_t capture_reasons;     /* that hold for the whole capture */
};

static uint32_t reasons_of_capture(const struct analysis *analysis)
{
	const struct status *status = &analysis->capture->status;
	uint32_t reasons = 0;
	uint64_t known = 0;

	if (!status->path_count)
		reasons |= REASON_UNOBSERVED;
	for (size_t i = 0; i < status->path_count; i++)
		if (!status->paths[i].observed)
			reasons |= REASON_UNOBSERVED;
	if (status->traced_pid_count)
		reasons |= REASON_TRACED_SOME;
	if (!capture_knows_skips(analysis->capture))
		return reasons | REASON_SKIPS_UNKNOWN;
	for (size_t i = 0; i < status->skip_span_count; i++)
		known += status->skip_spans[i].count;
	return known < status->skipped ? reasons | REASON_SKIPPED : reasons;
}

static int spans_add(struct spans *spans, uint64_t after, uint64_t before)
{
	struct span *list = array_grow(spans->list, spans->count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	spans->list = list;
	list[spans->count++] = (struct span){ after, before };
	return 0;
}

static int compare_spans(const void *left, const void *right)
{
	const struct span *a = left, *b = right;

	return (a->after > b->after) - (a->after < b->after);
}

static void spans_sort(struct spans *spans)
{
	size_t last_index = 0;

	if (!spans->count)
		return;
	qsort(spans->list, spans->count, sizeof(*spans->list), compare_spans);
	for (size_t i = 1; i < spans->count; i++) {
		struct span *last = &spans->list[last_index];

		if (spans->list[i].after > last->before)
			spans->list[++last_index] = spans->list[i];
		else if (spans->list[i].before > last->before)
			last->before = spans->list[i].before;
	}
	spans->count = last_index + 1;
}

static bool spans_overlap(const struct spans *spans, uint64_t since, uint64_t time)
{
	size_t low = 0, high = spans->count;

	/* find the first span that ends at since or later */
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (spans->list[middle].before < since)
			low = middle + 1;
		else
			high = middle;
	}
	return low < spans->count && spans->list[low].after <= time;
}

int heap_findings_open(struct heap_findings **result, const struct analysis *analysis)
{
	const struct status *status = &analysis->capture->status;
	struct heap_findings *findings = calloc(1, sizeof(*findings));
	int err;

	if (!findings)
		return -ENOMEM;
	findings->analysis = analysis;
	findings->capture_reasons = reasons_of_capture(analysis);
	err = hash_map_init(&findings->by_key);
	if (!err)
		err = hash_map_init(&findings->missed_sizes);
	for (size_t i = 0; i < status->skip_span_count && !err; i++)
		err = spans_add(&findings->skipped, status->skip_spans[i].after,
				status->skip_spans[i].before);
	if (err) {
		heap_findings_close(findings);
		return err;
	}
	*result = findings;
	return 0;
}

void heap_findings_close(struct heap_findings *findings)
{
	if (!findings)
		return;
	hash_map_deinit(&findings->by_key);
	hash_map_deinit(&findings->missed_sizes);
	free(findings->list);
	free(findings->next);
	free(findings->cases);
	free(findings->lost.list);
	free(findings->skipped.list);
	free(findings);
}

/* Same kind, sites and caches; of failed allocations also the same GFP flags. */
static bool is_same_finding(const struct heap_finding *a, const struct heap_finding *b)
{
	return a->kind == b->kind && a->alloc_site == b->alloc_site &&
	       a->free_site == b->free_site && a->other_site == b->other_site &&
	       a->cache == b->cache && a->free_cache == b->free_cache &&
	       (a->kind != FINDING_FAILED_ALLOCATION || a->gfp == b->gfp);
}

/* The seed prevents a hostile capture from choosing sites that all have the same hash. */
static uint64_t hash_of(uint64_t seed, const struct heap_finding *found)
{
	const uint64_t parts[] = { found->kind, found->alloc_site, found->free_site,
				   found->other_site,
				   (uint64_t)found->cache << 32 | found->free_cache };
	uint64_t hash = seed;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		hash = ((hash ^ hash >> 29) + parts[i]) * (seed | 1);
	return hash;
}

/* The finding of the case, added if it is new; NULL: no memory. */
static struct heap_finding *find_or_add(struct heap_findings *findings,
					const struct heap_finding *found, uint64_t time)
{
	uint64_t hash = hash_of(findings->by_key.seed, found);
	uint32_t at = hash_map_find(&findings->by_key, hash), last = at, *next;
	struct heap_finding *finding;

	for (; at != HASH_MAP_NONE; last = at, at = findings->next[at])
		if (is_same_finding(&findings->list[at], found))
			return &findings->list[at];
	at = (uint32_t)findings->count;
	finding = array_grow(findings->list, findings->count, sizeof(*finding));
	if (!finding)
		return NULL;
	findings->list = finding;
	next = array_grow(findings->next, findings->count, sizeof(*next));
	if (!next)
		return NULL;
	findings->next = next;
	if (last == HASH_MAP_NONE && hash_map_add(&findings->by_key, hash, at))
		return NULL;
	if (last != HASH_MAP_NONE)
		findings->next[last] = at;
	findings->next[at] = HASH_MAP_NONE;
	finding = &findings->list[findings->count++];
	*finding = *found;
	finding->certainty = CERTAINTY_LEGAL;
	finding->count = finding->certain = 0;
	finding->reasons = 0;
	finding->first_time = finding->last_time = time;
	return finding;
}

/* Cases of missed frees can come out of time order: see delayed_free.h. The first is described. */
static void count_case(struct heap_finding *finding, const struct heap_finding *found,
		       uint64_t time)
{
	if (time < finding->first_time ||
	    (time == finding->first_time && found->address < finding->address)) {
		const struct heap_finding later = *finding;

		*finding = *found;
		finding->certainty = later.certainty;
		finding->count = later.count;
		finding->certain = later.certain;
		finding->reasons = later.reasons;
		finding->first_time = time;
		finding->last_time = later.last_time;
	}
	if (time > finding->last_time)
		finding->last_time = time;
	finding->count++;
}

static void add_certainty(struct heap_finding *finding, enum certainty certainty, uint32_t reasons)
{
	if (certainty > finding->certainty)
		finding->certainty = certainty;
	finding->certain += certainty == CERTAINTY_CERTAIN;
	finding->reasons |= reasons;
}

/* A case among the objects of a checkpoint was found in the piece where it happened. */
static bool is_of_checkpoint(const struct heap_findings *findings, uint64_t time)
{
	return time < findings->analysis->capture->checkpoint.begin;
}

int heap_findings_add_classified(struct heap_findings *findings, const struct heap_finding *found,
				 uint64_t time, enum certainty certainty)
{
	struct heap_finding *finding;

	if (is_of_checkpoint(findings, time))
		return 0;
	finding = find_or_add(findings, found, time);
	if (!finding)
		return -ENOMEM;
	count_case(finding, found, time);
	add_certainty(finding, certainty, 0);
	return 0;
}

int heap_findings_add(struct heap_findings *findings, const struct heap_finding *found,
		      uint64_t time, uint64_t since, uint32_t cache, uint32_t reasons)
{
	const struct capture *capture = findings->analysis->capture;
	uint64_t begin = capture->checkpoint.begin ? capture->checkpoint.since
						   : capture->status.begin;
	struct heap_finding *finding;
	struct open_case *cases;

	if (is_of_checkpoint(findings, time))
		return 0;
	finding = find_or_add(findings, found, time);
	if (!finding)
		return -ENOMEM;
	count_case(finding, found, time);
	reasons |= findings->capture_reasons;
	if ((begin && since < begin) || (capture->status.end && time > capture->status.end))
		reasons |= REASON_ATTACHING;
	/* the case cannot be kept until the losses are known: one of them might explain it */
	if (!reasons && findings->case_count == CASES_MAX)
		reasons |= REASON_MANY;
	if (reasons) {
		add_certainty(finding, CERTAINTY_POSSIBLE, reasons);
		return 0;
	}
	cases = array_grow(findings->cases, findings->case_count, sizeof(*cases));
	if (!cases)
		return -ENOMEM;
	findings->cases = cases;
	cases[findings->case_count++] = (struct open_case){
		.since = since,
		.time = time,
		.finding = (uint32_t)(finding - findings->list),
		.cache = cache,
	};
	return 0;
}

int heap_findings_add_losses(struct heap_findings *findings, const struct loss *loss)
{
	int err = 0;

	for (size_t i = 0; i < loss->count && !err; i++)
		err = spans_add(&findings->lost, loss->spans[i].after, loss->spans[i].before);
	return err;
}

int heap_findings_add_loss(struct heap_findings *findings, uint64_t after, uint64_t before)
{
	return spans_add(&findings->lost, after, before);
}

/*
 * Can a clamped timestamp explain the case? A record with a clamped timestamp can come too late in
 * the order: an allocation after the second of two frees, or any record after another one that is
 * not more than clamped_max later.
 */
static bool is_clamped_between(const struct status *status, enum finding_kind kind,
			       const struct open_case *open_case)
{
	return status->clamped && (kind == FINDING_DOUBLE_FREE || kind == FINDING_UNKNOWN_FREE ||
				   open_case->time - open_case->since <= status->clamped_max);
}

static int find_missed_sizes(struct heap_findings *findings)
{
	const struct analysis *analysis = findings->analysis;
	int err = 0;

	for (size_t i = 0; i < analysis->cache_count && !err; i++) {
		const struct analysis_cache *cache = &analysis->caches[i];

		if (cache->is_anonymous && cache->missed_frees &&
		    hash_map_find(&findings->missed_sizes, cache->size) == HASH_MAP_NONE)
			err = hash_map_add(&findings->missed_sizes, cache->size, 0);
	}
	return err;
}

/*
 * Has the cache missed frees? If the kernel merges a cache into another, it raises the requested
 * size of later allocations: one anonymous cache then appears as two with the same size.
 */
static bool has_missed_frees(const struct heap_findings *findings, uint32_t index)
{
	const struct analysis_cache *cache;

	if (index == CACHE_NONE)
		return false;
	cache = &findings->analysis->caches[index];
	if (cache->is_anonymous)
		return hash_map_find(&findings->missed_sizes, cache->size) != HASH_MAP_NONE;
	return cache->missed_frees;
}

static uint32_t reasons_of(const struct heap_findings *findings, const struct open_case *open_case)
{
	const struct analysis *analysis = findings->analysis;
	enum finding_kind kind = findings->list[open_case->finding].kind;
	uint32_t reasons = 0;

	if (is_clamped_between(&analysis->capture->status, kind, open_case))
		reasons |= REASON_CLAMPED;
	if (analysis->totals.unknown)
		reasons |= REASON_UNKNOWN;
	if (spans_overlap(&findings->lost, open_case->since, open_case->time))
		reasons |= REASON_LOST;
	if (spans_overlap(&findings->skipped, open_case->since, open_case->time))
		reasons |= REASON_SKIPPED;
	if (has_missed_frees(findings, open_case->cache))
		reasons |= REASON_MISSED;
	return reasons;
}

#define COMPARE(a, b)                              \
	do {                                       \
		if ((a) != (b))                    \
			return (a) < (b) ? -1 : 1; \
	} while (0)

static int compare_findings(const void *left, const void *right)
{
	const struct heap_finding *a = left, *b = right;

	COMPARE(b->certainty, a->certainty);
	COMPARE(a->kind, b->kind);
	COMPARE(b->count, a->count);
	COMPARE(a->alloc_site, b->alloc_site);
	COMPARE(a->free_site, b->free_site);
	COMPARE(a->other_site, b->other_site);
	COMPARE(a->cache, b->cache);
	COMPARE(a->free_cache, b->free_cache);
	COMPARE(a->gfp, b->gfp);
	return 0;
}

/*
 * The free of an object that was freed before, or was never allocated: was it allocated without an
 * event? Objects of its cache were, says the slab allocator.
 */
static bool is_explained(const struct analysis *analysis, const struct heap_finding *found)
{
	uint32_t cache = found->free_cache != CACHE_NONE ? found->free_cache : found->cache;

	return found->certainty == CERTAINTY_POSSIBLE && found->reasons & REASON_UNOBSERVED &&
	       (found->kind == FINDING_DOUBLE_FREE || found->kind == FINDING_UNKNOWN_FREE) &&
	       cache != CACHE_NONE && analysis->caches[cache].has_unseen;
}

int heap_findings_classify(struct heap_findings *findings)
{
	int err = find_missed_sizes(findings);

	if (err)
		return err;
	spans_sort(&findings->lost);
	spans_sort(&findings->skipped);
	for (size_t i = 0; i < findings->case_count; i++) {
		const struct open_case *open_case = &findings->cases[i];
		uint32_t reasons = reasons_of(findings, open_case);

		add_certainty(&findings->list[open_case->finding],
			      reasons ? CERTAINTY_POSSIBLE : CERTAINTY_CERTAIN, reasons);
	}
	findings->case_count = 0;
	for (size_t i = 0; i < findings->count; i++)
		if (is_explained(findings->analysis, &findings->list[i]))
			findings->list[i].certainty = CERTAINTY_EXPLAINED;
	if (findings->count)
		qsort(findings->list, findings->count, sizeof(*findings->list), compare_findings);
	return 0;
}

size_t heap_findings_count(const struct heap_findings *findings)
{
	return findings->count;
}

const struct heap_finding *heap_findings_get(const struct heap_findings *findings, size_t index)
{
	return &findings->list[index];
}
