/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The one flag that signals set to end a program's work: SIGINT, SIGTERM, and SIGHUP unless nohup
 * ignores it. SIGPIPE and SIGXFSZ are ignored: the write that fails is reported with its file.
 */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <signal.h>

#define STOP_SIGNALS 5

struct saved_signals {
	struct sigaction actions[STOP_SIGNALS];
};

/* saved: the actions until now; NULL: not needed. */
void stop_handle_signals(struct saved_signals *saved);

/* The number of the last signal that asked to stop; 0: none. */
int stop_signal(void);

/* Restores the actions in a child process, before it runs another program. */
void stop_restore_signals(const struct saved_signals *saved);

#endif
