// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Draws the progress line over itself. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tracer/progress.h"

#define PROGRESS_INTERVAL 100000000ULL /* ns */

void progress_init(struct progress *progress, bool quiet, uint64_t now)
{
	memset(progress, 0, sizeof(*progress));
	progress->shown = !quiet && isatty(STDERR_FILENO);
	progress->begin = progress->last = now;
}

void progress_update(struct progress *progress, uint64_t now, uint64_t events, uint64_t lost)
{
	uint64_t passed = now - progress->last;

	if (!progress->shown || passed < PROGRESS_INTERVAL)
		return;
	fprintf(stderr, "\r%7.1f s  %" PRIu64 " events  %.0f/s  %" PRIu64 " lost\033[K",
		(now - progress->begin) / 1e9, events,
		(events - progress->last_events) * 1e9 / passed, lost);
	fflush(stderr);
	progress->dirty = true;
	progress->last = now;
	progress->last_events = events;
}

void progress_clear(struct progress *progress)
{
	if (progress->dirty)
		fprintf(stderr, "\r\033[K");
	progress->dirty = false;
}
