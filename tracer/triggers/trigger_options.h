/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of --trigger. */
#ifndef TRACER_TRIGGERS_TRIGGER_OPTIONS_H
#define TRACER_TRIGGERS_TRIGGER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/option_table.h"
#include "tracer/triggers/trigger.h"

#define TRIGGER_PAUSE_DEFAULT 60000000000ULL /* ns */

struct trigger_options {
	struct trigger list[TRIGGERS_MAX];
	size_t count;
	uint64_t pause_ns;   /* between two firings of a trigger */
	const char *command; /* for the shell; NULL: none */
	const char *full;    /* how long a full capture is recorded, as -d takes it; NULL: none */
};

extern const struct option_row trigger_rows[];

/* Is a trigger among them for which a thread has to aggregate the events? */
bool trigger_options_need_figures(const struct trigger_options *options);

bool trigger_options_have(const struct trigger_options *options, enum trigger_kind kind);

#endif
