/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process that works for this one. It ends when this one closes its pipe or says so, and not by a
 * signal for all processes of a terminal or of a service.
 */
#ifndef BASE_WORKER_H
#define BASE_WORKER_H

#include <sys/types.h>

struct worker {
	pid_t pid;    /* 0: none */
	int requests; /* to the worker; -1: closed. Neither this nor answers blocks. */
	int answers;  /* of the worker; -1: closed */
};

/* The worker's exit status is that of work(), whose descriptors block. 0 or -errno. */
int worker_start(struct worker *worker, int (*work)(void *data, int requests, int answers),
		 void *data);

/* Closes what is open; the worker goes on until it sees that. */
void worker_close(struct worker *worker);

/* In the worker: ignores all signals but SIGCHLD. */
void worker_ignore_signals(void);

/*
 * In the worker: closes all descriptors but standard input, output, error, and `count` others, of
 * which -1 is none.
 */
void worker_close_others(int *kept, size_t count);

/*
 * In a child, before it becomes another program: sets each signal to its default and unblocks all.
 * Otherwise the program would inherit the signals that this process, or its parent, ignores or
 * blocks.
 */
void worker_default_signals(void);

/* How a child ended, from its status of waitpid(): "ended by signal 9 (Killed)". Returns text. */
const char *worker_end_text(int status, char *text, size_t size);

/* Waits for the end of a child. Its status, as of waitpid(); -1: there is no such child. */
int worker_wait(pid_t pid);

#endif
