/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A kmemtraced that kmemtrace-top starts for itself, and ends. */
#ifndef LIVE_TOP_CHILD_H
#define LIVE_TOP_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/stop.h"

struct child {
	pid_t pid;  /* 0: none */
	int log;    /* its standard error; -1: none */
	int status; /* as of waitpid(), once it has ended */
	bool ended;
	char *directory; /* private, of the file that it publishes */
	char *path;	 /* of this file */
	char text[2000]; /* the last lines of its standard error */
};

/* Starts it, with the signals as they were before. 0, or -errno after a message. */
int child_start(struct child *child, bool with_stacks, const struct saved_signals *signals);

/* True, too, if none was started. */
bool child_is_alive(struct child *child);

/* EXIT_OK; or EXIT_TROUBLE after a message, if the child has ended by itself. */
int child_exit_status(struct child *child);

/* Ends it, and removes its directory. All zero is allowed. */
void child_end(struct child *child);

#endif
