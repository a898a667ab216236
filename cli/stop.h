/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The one flag that signals set to end a program's work: every signal that would end the program
 * and that is not about a fault of it. A signal that the caller ignores, as nohup does with SIGHUP,
 * stays ignored, except for SIGINT and SIGTERM. SIGPIPE and SIGXFSZ are ignored: the write that
 * fails is reported with its file.
 */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

struct saved_signals {
	struct sigaction actions[NSIG]; /* by number */
};

/* saved: the actions until now; NULL: not needed. */
void stop_handle_signals(struct saved_signals *saved);

/* The number of the last signal that asked to stop; 0: none. */
int stop_signal(void);

/* From now on, stop_take_request() reports this signal, not stop_signal(), unless it is ignored. */
void stop_make_request(int number);

/* Has this signal come since the last call? */
bool stop_take_request(int number);

/* Writes the name of stop_signal(), such as SIGTERM or SIGRTMIN+1, to buffer; returns buffer. */
const char *stop_signal_name(char *buffer, size_t size);

/* Restores the actions in a child process, before it runs another program. */
void stop_restore_signals(const struct saved_signals *saved);

#endif
