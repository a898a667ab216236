/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The publishing thread finds figures for triggers: the live bytes in total, those of the
 * caches and functions that triggers name, and who holds most. The thread that drains the rings
 * takes these figures, and does not wait for them.
 */
#ifndef TRACER_PUBLISH_PUBLISH_FIGURES_H
#define TRACER_PUBLISH_PUBLISH_FIGURES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/stats/details.h"
#include "live/stats/metrics.h"
#include "tracer/publish/figures_pairs.h"
#include "tracer/triggers/trigger.h"

struct figures {
	uint64_t time;			/* ns: they include all events before; 0: none */
	uint64_t audited;		/* ns: see trigger_sample.audited; 0: not yet */
	uint64_t generation;		/* of the triggers that they are for */
	uint64_t live;			/* bytes */
	uint64_t uncounted;		/* recorded events that they do not include */
	uint64_t live_of[TRIGGERS_MAX]; /* bytes, by number of the trigger */
	uint16_t found; /* 1 << number each: triggers whose cache or function has events */
	struct figures_holder holders[METRICS_KINDS][FIGURES_HOLDERS];
	struct figures_culprits culprits[TRIGGERS_MAX]; /* by number of the trigger */
};

struct publish_figures {
	bool enabled;
	pthread_mutex_t mutex; /* held for a copy of the following only */
	struct trigger wanted[TRIGGERS_MAX];
	size_t wanted_count;
	uint64_t generation; /* of wanted */
	struct figures latest;

	/* for the publishing thread */
	struct trigger triggers[TRIGGERS_MAX]; /* a copy of wanted */
	size_t trigger_count;
	struct figures next;
	/* by row of the metrics: the triggers that name it, 1 << number each */
	uint16_t *masks[METRICS_KINDS];
	size_t mask_count[METRICS_KINDS], mask_space[METRICS_KINDS];
	struct figures_pairs pairs;
};

/* Without --trigger, only publish_figures_deinit() may be called. */
void publish_figures_init(struct publish_figures *figures);
void publish_figures_deinit(struct publish_figures *figures); /* all zero is allowed */

/*
 * For the thread that drains the rings. False: the publishing thread has the lock, try again later.
 * The figures of the new triggers have the new generation.
 */
bool publish_figures_want(struct publish_figures *figures, const struct trigger *triggers,
			  size_t count);
bool publish_figures_get(struct publish_figures *figures, struct figures *latest);

/*
 * For the publishing thread, after the metrics and the pairs have counted all events before the
 * time (ns). details: NULL: they are not counted. 0 or -ENOMEM.
 */
int publish_figures_step(struct publish_figures *figures, const struct metrics *metrics,
			 const struct details *details, uint64_t time, uint64_t uncounted);

#endif
