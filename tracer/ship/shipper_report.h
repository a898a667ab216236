/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The settings of the process of shipper.h, from its start on; and its reports to kmemtraced. */
#ifndef TRACER_SHIP_SHIPPER_REPORT_H
#define TRACER_SHIP_SHIPPER_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer/ship/ship_options.h"
#include "tracer/system/process_state.h"

#define SHIPPER_TEXT 500 /* bytes */

struct shipper_report {
	uint64_t sent, dropped; /* summaries, since kmemtraced started */
	uint64_t waiting;	/* bytes of files */
	uint64_t failing_since; /* ns since 1970; 0: all is well */
	uint64_t last_sent;	/* ns since 1970; 0: none was sent yet */
	char failure[SHIPPER_TEXT];
};

struct shipper_settings {
	const struct ship_options *options;
	const char *directory; /* of the files */
	const struct saved_process_state *saved;
	bool quiet;
};

#endif
