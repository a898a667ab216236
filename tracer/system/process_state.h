/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of the process that kmemtraced changes for itself, and restores for commands. */
#ifndef TRACER_SYSTEM_PROCESS_STATE_H
#define TRACER_SYSTEM_PROCESS_STATE_H

#include <stdbool.h>
#include <sys/resource.h>

#include "cli/stop.h"

struct saved_process_state {
	struct saved_signals signals;
	struct rlimit files;   /* RLIMIT_NOFILE */
	bool output_to_stderr; /* the capture goes to standard output */
	bool has_oom_score;    /* it was changed */
	int oom_score;	       /* /proc/self/oom_score_adj */
};

/* The rings and streams of many CPUs may need more open files than the default limit allows. */
void process_state_raise_files(struct saved_process_state *saved);

/*
 * Lets the kernel prefer other processes when it kills one for lack of memory, also to the
 * processes that this one forks. 0 or -errno.
 */
int process_state_protect(struct saved_process_state *saved);

/* In a child, before it executes a command. */
void process_state_restore(const struct saved_process_state *saved);

#endif
