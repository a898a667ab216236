// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Compares a reading with the limit, and remembers whether the trigger has fired. */
#include "config.h"

#include <string.h>

#include "tracer/triggers/trigger_state.h"

#define AUDITED_WINDOW 60000000000ULL /* ns */

int trigger_state_init(struct trigger_state *state, const struct trigger *trigger)
{
	memset(state, 0, sizeof(*state));
	state->trigger = *trigger;
	return trigger_history_init(&state->history, trigger->window_ns);
}

void trigger_state_deinit(struct trigger_state *state)
{
	trigger_history_deinit(&state->history);
}

static uint64_t subtract_bytes(uint64_t now, uint64_t then)
{
	return now > then ? now - then : 0;
}

static bool compare_sample(struct trigger_state *state, const struct trigger_sample *now)
{
	const struct trigger_sample *then = trigger_history_then(&state->history, now->time);
	bool is_true;

	state->span_ns = then ? now->time - then->time : 0;
	switch (state->trigger.kind) {
	case TRIGGER_OOM:
		state->value = now->part - state->kills;
		is_true = now->part > state->seen;
		state->seen = now->part;
		return is_true;
	case TRIGGER_LIVE:
		state->value = now->part;
		return state->value > state->trigger.bytes;
	case TRIGGER_GROWTH:
		state->value = then ? subtract_bytes(now->part, then->part) : 0;
		return state->value > state->trigger.bytes;
	default:
		state->value = then ? subtract_bytes(now->part, then->part) : 0;
		state->percent =
			then && now->whole > then->whole
				? 100 * (double)state->value / (double)(now->whole - then->whole)
				: 0;
		return state->percent > state->trigger.percent;
	}
}

/*
 * After each reading of the allocator, the live bytes are right: those samples are kept. A short
 * window would have too few of them.
 */
static void add_sample(struct trigger_state *state, const struct trigger_sample *reading)
{
	if (reading->audited != UINT64_MAX && state->trigger.window_ns >= AUDITED_WINDOW &&
	    state->history.count && reading->audited == state->audited)
		return;
	state->audited = reading->audited;
	trigger_history_add(&state->history, reading);
}

bool trigger_state_step(struct trigger_state *state, const struct trigger_sample *reading,
			uint64_t pause_ns)
{
	bool is_true = compare_sample(state, reading), fires;

	add_sample(state, reading);
	if (is_true && !state->was_true)
		state->true_since = reading->time;
	/* each kill is a condition of its own */
	if (is_true && (!state->was_true || state->trigger.kind == TRIGGER_OOM))
		state->is_due = true;
	state->is_due &= is_true;
	state->was_true = is_true;
	fires = state->is_due && (!state->fired_at || reading->time - state->fired_at >= pause_ns);
	state->needs_audit = fires && reading->audited < state->true_since;
	if (!fires || state->needs_audit)
		return false;
	state->is_due = false;
	state->fired_at = reading->time;
	state->kills = reading->part;
	return true;
}
