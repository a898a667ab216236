/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The one flag that signals set to end a program's work: every signal that would end the program
 * and that is not about a fault of it. One that the caller ignores, as nohup does with SIGHUP,
 * stays ignored. SIGPIPE and SIGXFSZ are ignored: the write that fails is reported with its file.
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

/* From now on this signal ends nothing, unless the caller ignores it: it is a request. */
void stop_make_request(int number);

/* Has this signal come since the last call? */
bool stop_take_request(int number);

/* Writes its name, such as SIGTERM or SIGRTMIN+1, to buffer, and returns buffer. */
const char *stop_signal_name(char *buffer, size_t size);

/* Restores the actions in a child process, before it runs another program. */
void stop_restore_signals(const struct saved_signals *saved);

#endif
