/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One line on the terminal that says how the capture goes. */
#ifndef TRACER_PROGRESS_H
#define TRACER_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/progress.h"

struct progress {
	struct progress_line line;
	uint64_t begin, last; /* ns */
	uint64_t last_events;
};

void progress_init(struct progress *progress, bool quiet, uint64_t now);
void progress_update(struct progress *progress, uint64_t now, uint64_t events, uint64_t lost);

/* Wipes the line, so that something else can be printed. */
void progress_clear(struct progress *progress);

#endif
