// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <sys/param.h>

#include "analysis/analysis.h"
#include "analysis/estimate.h"
#include "tracer/publish/watermark.h"

uint64_t watermark_uncounted(const struct watermark *watermark, const struct analysis *analysis)
{
	const struct analysis_totals *totals = &analysis->totals;

	return watermark->queue_dropped + totals->untracked + totals->unknown +
	       analysis->caches_unknown;
}

uint64_t watermark_interval_most(const struct watermark *watermark, const struct analysis *analysis)
{
	uint64_t most = watermark->interval_most;

	return analysis->estimates ? MAX(most, analysis->estimates->interval_most) : most;
}
