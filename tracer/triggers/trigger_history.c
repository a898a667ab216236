// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The ring has room for the samples of a window, and for one on each side of it. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/triggers/trigger_state.h"

#define CAPACITY (TRIGGER_HISTORY_SAMPLES + 2)

int trigger_history_init(struct trigger_history *history, uint64_t window_ns)
{
	*history = (struct trigger_history){ .window_ns = window_ns };
	if (!window_ns)
		return 0;
	history->spacing_ns = window_ns / TRIGGER_HISTORY_SAMPLES + 1;
	history->samples = calloc(CAPACITY, sizeof(*history->samples));
	return history->samples ? 0 : -ENOMEM;
}

void trigger_history_deinit(struct trigger_history *history)
{
	free(history->samples);
	memset(history, 0, sizeof(*history));
}

static struct trigger_sample *sample_at(const struct trigger_history *history, size_t number)
{
	return &history->samples[(history->first + number) % CAPACITY];
}

static void drop_first(struct trigger_history *history)
{
	history->first = (history->first + 1) % CAPACITY;
	history->count--;
}

void trigger_history_add(struct trigger_history *history, const struct trigger_sample *sample)
{
	if (!history->samples)
		return;
	if (history->count &&
	    sample->time < sample_at(history, history->count - 1)->time + history->spacing_ns)
		return;
	/* the ring is full only if trigger_history_then() was not called for so long */
	if (history->count == CAPACITY)
		drop_first(history);
	history->count++;
	*sample_at(history, history->count - 1) = *sample;
}

const struct trigger_sample *trigger_history_then(struct trigger_history *history, uint64_t now)
{
	if (!history->count)
		return NULL;
	while (history->count > 1 && sample_at(history, 1)->time + history->window_ns <= now)
		drop_first(history);
	return sample_at(history, 0);
}
