/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * When a trigger fires: once its condition is true, and again only after it was false, but not
 * before a pause is over. If the condition became true in the pause, the trigger fires at its end
 * if the condition is true then. The condition of oom is true at the moment of a kill only.
 *
 * Live bytes may have objects that were freed without an event. If the slab allocator is read for
 * them (--audit), a trigger waits for a reading that begins after its condition became true.
 */
#ifndef TRACER_TRIGGERS_TRIGGER_STATE_H
#define TRACER_TRIGGERS_TRIGGER_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "tracer/triggers/trigger.h"

/* The counters of the last minutes, so that their values of a given time ago are known. */

#define TRIGGER_HISTORY_SAMPLES 4096 /* in a window */

struct trigger_sample {
	uint64_t time; /* ns */
	uint64_t part, whole;
	/* ns: no object in part was freed before; UINT64_MAX: the allocator is not read */
	uint64_t audited;
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

/*
 * Compares the names in triggers with the slab caches and functions that the kernel has now. A name
 * that it does not have is allowed, since a module may bring it, but is mostly mistyped.
 */

#define TRIGGER_DOUBT 240

/* Paths of the files to read. */
struct trigger_name_files {
	const char *slab;     /* a directory with an entry for each slab cache, and for aliases */
	const char *slabinfo; /* has the names by which the kernel's events name them */
	const char *kallsyms;
};
extern const struct trigger_name_files trigger_name_files;

/*
 * Why the trigger may never fire; "": there is no reason known. Where the names of the kernel
 * cannot be read, none is.
 */
void trigger_names_check(const struct trigger *trigger, const struct trigger_name_files *files,
			 char doubt[TRIGGER_DOUBT]);

struct trigger_state {
	struct trigger trigger;
	struct trigger_history history;
	bool is_due;		   /* it has not fired since the condition became true */
	bool was_true;		   /* at the last step */
	bool needs_audit;	   /* it fires if the condition is true after the next reading */
	uint64_t true_since;	   /* ns: when the condition became true */
	uint64_t audited;	   /* of the last sample in the history */
	uint64_t kills;		   /* OOM kills at the last firing */
	uint64_t seen;		   /* OOM kills at the last step */
	uint64_t fired_at;	   /* ns; 0: never */
	char doubt[TRIGGER_DOUBT]; /* why its name may be wrong; "": it is known */
	/* what the last step compared: bytes, or OOM kills since the last firing; and percent */
	uint64_t value;
	double percent;
	uint64_t span_ns; /* of growth, lost and skipped: the time since the value before */
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
