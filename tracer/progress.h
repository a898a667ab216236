/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One line on the terminal that says how the capture goes, at most ten times a second. */
#ifndef TRACER_PROGRESS_H
#define TRACER_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool shown;	      /* stderr is a terminal and somebody wants it */
	bool dirty;	      /* a line stands there */
	uint64_t begin, last; /* ns */
	uint64_t last_events;
};

void progress_init(struct progress *progress, bool quiet, uint64_t now);
void progress_update(struct progress *progress, uint64_t now, uint64_t events, uint64_t lost);

/* Wipes the line, so that something else can be printed. */
void progress_clear(struct progress *progress);

#endif
