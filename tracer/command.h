/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command that a capture watches: forked early, let go once the programs are attached. */
#ifndef TRACER_COMMAND_H
#define TRACER_COMMAND_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "cli/stop.h"

/* What kmemtraced changes for itself and its command must not see. */
struct command_world {
	struct saved_signals signals;
	struct rlimit files; /* RLIMIT_NOFILE */
};

struct command {
	pid_t pid;   /* 0: none */
	int go;	     /* a pipe to the child, until it is let go; else -1 */
	int failure; /* a pipe from it: the errno of its exec */
	bool ended;
	int status; /* as waitpid gave it */
	char errmsg[300];
};

/* Can such a command be run? 0 or -errno, with errmsg set. */
int command_probe(struct command *command, char *const *arguments);

/* Forks a child that waits, with this process's priority of this moment. */
int command_start(struct command *command, char *const *arguments,
		  const struct command_world *before);

/* Lets it run. 0, or -errno with errmsg set: it could not be executed. */
int command_go(struct command *command);

/* Has it ended? */
bool command_poll(struct command *command);

/*
 * Waits for its end, if it was let go; else ends it. With a signal, sends that first; and when
 * somebody asks us to end meanwhile, sends SIGTERM.
 */
void command_wait(struct command *command, int signal_number);

/* Its exit status as a shell has it: 128 + the signal that ended it. */
int command_exit(const struct command *command);

#endif
