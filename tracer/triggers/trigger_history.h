/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The counters of the last minutes: what they were a given time ago. */
#ifndef TRACER_TRIGGERS_TRIGGER_HISTORY_H
#define TRACER_TRIGGERS_TRIGGER_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#define TRIGGER_HISTORY_SAMPLES 4096 /* in a window */

struct trigger_sample {
	uint64_t time; /* ns */
	uint64_t part, whole;
};

/*
 * A ring of samples. The first is at or before the begin of the window, if there was one; a window
 * is too long by at most the time between two samples.
 */
struct trigger_history {
	uint64_t window_ns, spacing_ns;
	struct trigger_sample *samples;
	size_t first, count;
};

/* 0 or -ENOMEM. window_ns 0: it keeps nothing. */
int trigger_history_init(struct trigger_history *history, uint64_t window_ns);
void trigger_history_deinit(struct trigger_history *history); /* all zero is allowed */

/* Samples come in the order of time; one that follows the last too soon is not kept. */
void trigger_history_add(struct trigger_history *history, const struct trigger_sample *sample);

/*
 * The newest sample that is as old as the window, or else the oldest; NULL: there is none. Forgets
 * the samples before it. now: ns, not before that of an earlier call.
 */
const struct trigger_sample *trigger_history_then(struct trigger_history *history, uint64_t now);

#endif
