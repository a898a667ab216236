// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The kinds, certainties and reasons of findings in words. */
#include "config.h"

#include "analysis/heap_findings.h"

const char *finding_kind_text(enum finding_kind kind)
{
	static const char *const texts[FINDING_KIND_COUNT] = {
		[FINDING_KMALLOC_TO_CACHE] = "kmalloc-freed-to-cache",
		[FINDING_WRONG_CACHE] = "wrong-cache",
		[FINDING_CACHE_KFREED] = "cache-object-kfreed",
		[FINDING_DOUBLE_FREE] = "double-free",
		[FINDING_INTERIOR_FREE] = "interior-free",
		[FINDING_UNKNOWN_FREE] = "unknown-free",
		[FINDING_OVERLAP] = "overlap",
		[FINDING_MISSED_FREE] = "missed-free",
		[FINDING_SHORT_ALLOCATION] = "short-allocation",
		[FINDING_FAILED_ALLOCATION] = "failed-allocation",
	};

	return texts[kind];
}

/* kmemtrace-report(1) has the same sentences. */
const char *finding_kind_about(enum finding_kind kind)
{
	static const char *const texts[FINDING_KIND_COUNT] = {
		[FINDING_KMALLOC_TO_CACHE] =
			"kmem_cache_free() of an object of kmalloc(), with any cache, also its own.",
		[FINDING_WRONG_CACHE] =
			"kmem_cache_free() with another cache than that of the object; merged caches count as one.",
		[FINDING_CACHE_KFREED] =
			"kfree() of an object of a slab cache: legal since Linux 6.4.",
		[FINDING_DOUBLE_FREE] = "A free of an address that is already free.",
		[FINDING_INTERIOR_FREE] =
			"A free of an address inside an object, which counts as live after it.",
		[FINDING_UNKNOWN_FREE] =
			"A free of an address that was never allocated, neither in the capture nor before.",
		[FINDING_OVERLAP] =
			"An object that was allocated over a live one; both count as live until they are freed.",
		[FINDING_MISSED_FREE] =
			"An address was allocated again while it was live: its free was not recorded.",
		[FINDING_SHORT_ALLOCATION] = "Fewer bytes allocated than requested.",
		[FINDING_FAILED_ALLOCATION] =
			"An allocation that failed; one row for each combination of GFP flags.",
	};

	return texts[kind];
}

const char *certainty_text(enum certainty certainty)
{
	static const char *const texts[] = { "legal", "explained", "possible", "certain" };

	return texts[certainty];
}

/* Why the rule of the kind can be wrong although all events were recorded. */
static const char *guess_text(enum finding_kind kind)
{
	switch (kind) {
	case FINDING_MISSED_FREE:
		return "either the kernel freed the object without an event (not an error), or it gave out the memory of a live object";
	case FINDING_UNKNOWN_FREE:
		return "the sizes of the objects around it changed, so that the slab seems to be new; if it is not, the object is older than the capture";
	case FINDING_WRONG_CACHE:
		return "the free names its cache by the address only, and the name can have changed, or it is the late record of the free of an earlier object";
	case FINDING_CACHE_KFREED:
		return "the release of the kernel is not known, or the object can be from a cache of kmalloc() of the same size";
	case FINDING_KMALLOC_TO_CACHE:
		return "the free can be the late record of the free of an earlier object at the address";
	case FINDING_DOUBLE_FREE:
		return "the first free can be the late record of the free of an earlier object at the address";
	default:
		return "the rule can be wrong";
	}
}

const char *finding_reason_text(enum finding_reason reason, enum finding_kind kind)
{
	switch (reason) {
	case REASON_LOST:
		return "events were lost during this time";
	case REASON_SKIPPED:
		return "the kernel skipped events during this time";
	case REASON_MISSED:
		return "some frees of this cache were not recorded";
	case REASON_UNOBSERVED:
		return "some paths are not observed";
	case REASON_FROM_BACKUP:
		return "a backup program recorded the free";
	case REASON_TRACED_SOME:
		return "only some processes were captured";
	case REASON_SKIPS_UNKNOWN:
		return "the number of skipped events is unknown";
	case REASON_ATTACHING:
		return "not all tracing programs were attached";
	case REASON_CLAMPED:
		return "some timestamps were clamped";
	case REASON_UNKNOWN:
		return "some records have unknown kinds";
	case REASON_GUESS:
		return guess_text(kind);
	case REASON_MANY:
		return "there were too many cases to compare each with the losses";
	}
	return "";
}
