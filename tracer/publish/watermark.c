// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include "tracer/publish/watermark.h"

struct missing watermark_missing(const struct watermark *watermark, const struct analysis *analysis)
{
	struct missing missing = watermark->missing;

	missing_set_uncounted(&missing, analysis);
	missing.uncounted += watermark->queue_dropped;
	return missing;
}
