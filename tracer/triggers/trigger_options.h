/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of --trigger. */
#ifndef TRACER_TRIGGERS_TRIGGER_OPTIONS_H
#define TRACER_TRIGGERS_TRIGGER_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/value_range.h"
#include "tracer/triggers/trigger.h"

#define TRIGGER_PAUSE_DEFAULT 60000000000ULL /* ns */

struct trigger_options {
	struct trigger list[TRIGGERS_MAX];
	size_t count;
	uint64_t pause_ns;   /* between two firings of a trigger */
	const char *command; /* for the shell; NULL: none */
	const char *full;    /* how long a full capture is recorded, as -d takes it; NULL: none */
	bool has_pause;	     /* --trigger-pause was given */
};

/* A child of the table of kmemtraced's options. Its input is struct trigger_options, all zero. */
extern const struct argp trigger_argp;

/* After all options are parsed: checks them, and sets the defaults. */
void trigger_options_complete(struct argp_state *state, struct trigger_options *options);

/* Is a trigger among them for which a thread has to aggregate the events? */
bool trigger_options_need_figures(const struct trigger_options *options);

bool trigger_options_have(const struct trigger_options *options, enum trigger_kind kind);

extern const struct value_range trigger_pause;

#endif
