// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Events so far, and their rate. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "tracer/progress.h"

void progress_init(struct progress *progress, bool quiet, uint64_t now)
{
	memset(progress, 0, sizeof(*progress));
	progress_line_init(&progress->line, quiet, PROGRESS_INTERVAL);
	progress->begin = progress->last = now;
}

void progress_update(struct progress *progress, uint64_t now, uint64_t events, uint64_t lost)
{
	uint64_t passed = now - progress->last, drawn = progress_now();

	if (!passed || !progress_line_is_due(&progress->line, drawn))
		return;
	progress_line_draw(&progress->line, drawn,
			   "%7.1f s  %" PRIu64 " events  %.0f/s  %" PRIu64 " lost",
			   (now - progress->begin) / 1e9, events,
			   (events - progress->last_events) * 1e9 / passed, lost);
	progress->last = now;
	progress->last_events = events;
}

void progress_clear(struct progress *progress)
{
	progress_line_clear(&progress->line);
}
