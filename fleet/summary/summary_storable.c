// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include "fleet/summary/summary_storable.h"

#include <stdbool.h>

/* A figure, and the sum of those of a kind, are exact as a double. */
#define FIGURE_MAX (UINT64_C(1) << 53)
#define TIME_MAX (UINT64_C(1) << 62)

static bool counts_are_possible(const struct summary_counts *counts)
{
	const uint64_t values[] = { counts->allocations, counts->frees,	       counts->allocated,
				    counts->freed,	 counts->failed,       counts->cross_cpu,
				    counts->missed,	 counts->live_objects, counts->live_bytes };

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (values[i] >= FIGURE_MAX)
			return false;
	return true;
}

static bool figures_are_possible(const struct summary *summary)
{
	const struct missing *missing = &summary->missing;
	const struct summary_host *host = &summary->host;

	if (summary->end >= TIME_MAX || summary->begin >= summary->end ||
	    summary->sources->run >= TIME_MAX || summary->sources->last >= FIGURE_MAX ||
	    summary->cpu_ns >= FIGURE_MAX || summary->resident >= FIGURE_MAX ||
	    missing->recorded >= FIGURE_MAX || missing->lost >= FIGURE_MAX ||
	    missing->skipped >= FIGURE_MAX || missing->uncounted >= FIGURE_MAX ||
	    missing->unobserved >= FIGURE_MAX || missing->sampling >= FIGURE_MAX ||
	    host->memory >= FIGURE_MAX || host->slab_reclaimable >= FIGURE_MAX ||
	    host->slab_unreclaimable >= FIGURE_MAX)
		return false;
	for (enum summary_kind kind = 0; kind < SUMMARY_KINDS; kind++) {
		const struct summary_counts total = summary_total(summary, kind);

		if (!counts_are_possible(&total))
			return false;
	}
	return true;
}

const char *summary_why_not_stored(const struct summary *summary)
{
	if (summary->source_count != 1 || !summary->host.kernel)
		return "it is a sum of several hosts or runs: use the files that it was made from";
	if (summary->sources->first != summary->sources->last)
		return "it is a sum of several intervals: use the file that it was made from";
	if (!figures_are_possible(summary))
		return "it has a time or a figure that no host can have";
	if (summary->end - summary->begin > SUMMARY_INTERVAL_MAX)
		return "its interval is longer than a day: give kmemtrace-merge a shorter --interval";
	return NULL;
}
