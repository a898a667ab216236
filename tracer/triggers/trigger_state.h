/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * When a trigger fires: once its condition is true, and again only after it was false, but not
 * before a pause is over. If the condition became true in the pause, the trigger fires at its end
 * if the condition is true then. The condition of oom is true at the moment of a kill only.
 */
#ifndef TRACER_TRIGGERS_TRIGGER_STATE_H
#define TRACER_TRIGGERS_TRIGGER_STATE_H

#include "tracer/triggers/trigger.h"
#include "tracer/triggers/trigger_history.h"
#include "tracer/triggers/trigger_names.h"

struct trigger_state {
	struct trigger trigger;
	struct trigger_history history;
	bool is_due;		   /* it has not fired since the condition became true */
	bool was_true;		   /* at the last step */
	uint64_t kills;		   /* OOM kills at the last firing */
	uint64_t seen;		   /* OOM kills at the last step */
	uint64_t fired_at;	   /* ns; 0: never */
	char doubt[TRIGGER_DOUBT]; /* why its name may be wrong; "": it is known */
	/* what the last step compared: bytes, or OOM kills since the last firing; and percent */
	uint64_t value;
	double percent;
};

/* 0 or -ENOMEM. */
int trigger_state_init(struct trigger_state *state, const struct trigger *trigger);
void trigger_state_deinit(struct trigger_state *state); /* all zero is allowed */

/*
 * Takes a reading and says whether the trigger fires. part: live bytes, lost events, skipped events
 * or OOM kills; whole: all events, for a share. Their times only grow. The first reading of a
 * window is its begin.
 */
bool trigger_state_step(struct trigger_state *state, const struct trigger_sample *reading,
			uint64_t pause_ns);

#endif
