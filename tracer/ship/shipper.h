/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --ship-to: a process that kmemtraced forks before it gives up its privileges. It runs
 * kmemtrace-ship as a user without privileges, starts it again when it ends, and hands it the files
 * of summaries, open for reading: they belong to root, and other users cannot open them. Whatever
 * happens to the server, to the network or to these two processes, kmemtraced never waits for them.
 */
#ifndef TRACER_SHIP_SHIPPER_H
#define TRACER_SHIP_SHIPPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "tracer/ship/shipper_report.h"

struct shipper {
	pid_t pid;  /* 0: there is none, or it has ended */
	int socket; /* -1: none */
	bool is_ending;
	struct shipper_report report;
};

/*
 * Checks all that is needed, and forks. Call it before there are threads. 0, or -errno with error
 * set.
 */
int shipper_start(struct shipper *shipper, const struct shipper_settings *settings,
		  struct error *error);

/* kmemtraced writes summaries: kmemtrace-ship is started. */
void shipper_go(struct shipper *shipper);

/* kmemtrace-ship is started again: the file of the password may have changed. */
void shipper_restart(struct shipper *shipper);

/* Updates the report. */
void shipper_step(struct shipper *shipper);

/* All summaries are written: one more attempt, for a few seconds. False: it goes on without us. */
bool shipper_end(struct shipper *shipper);

/* Does not wait for the process. */
void shipper_close(struct shipper *shipper);

#endif
