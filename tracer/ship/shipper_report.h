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
	uint64_t sent, dropped;	    /* summaries, since kmemtraced started */
	uint64_t waiting;	    /* bytes of files */
	uint64_t failing_since;	    /* ns since 1970; 0: all is well */
	uint64_t last_sent;	    /* ns since 1970; 0: none was sent yet */
	char failure[SHIPPER_TEXT]; /* the sentence of the first server that fails; "": none does */
};

/* Takes a status of kmemtrace-ship, a text. The last time of a sent summary stays if it has none.
 */
void shipper_report_parse(struct shipper_report *report, const char *text);

/* The next report of the process on a socket that does not block. False: none has come. */
bool shipper_report_receive(struct shipper_report *report, int socket);

struct shipper_settings {
	const struct ship_options *options;
	const char *directory; /* of the files */
	const struct saved_process_state *saved;
	bool quiet;
};

#endif
