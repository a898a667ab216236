// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <sys/param.h>

#include "analysis/analysis.h"
#include "analysis/estimate.h"
#include "tracer/publish/watermark.h"

struct missing watermark_missing(const struct watermark *watermark, const struct analysis *analysis)
{
	const struct analysis_totals *totals = &analysis->totals;
	struct missing missing = watermark->missing;

	missing.uncounted = watermark->queue_dropped + totals->untracked + totals->unknown +
			    analysis->caches_unknown;
	if (analysis->estimates)
		missing.sampling = MAX(missing.sampling, analysis->estimates->interval_most);
	return missing;
}
