/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command of a capture: forked early, and executed after the programs are attached. */
#ifndef TRACER_SYSTEM_COMMAND_H
#define TRACER_SYSTEM_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "tracer/system/process_state.h"

struct command {
	pid_t pid;   /* 0: none */
	int go;	     /* a pipe to the child, until command_go(); else -1 */
	int failure; /* a pipe from the child: the errno of its exec */
	bool ended;
	int status; /* from waitpid() */
	char errmsg[300];
};

/* Checks that the command can be run. 0, or -errno with errmsg set. */
int command_probe(struct command *command, char *const *arguments);

/* Forks a child that waits for command_go(). It inherits the present priority of this process. */
int command_start(struct command *command, char *const *arguments,
		  const struct saved_process_state *saved);

/* Lets the child execute the command. 0, or -errno with errmsg set. */
int command_go(struct command *command);

/* Has the command ended? */
bool command_poll(struct command *command);

/*
 * Waits until the command ends; a child that still waits for command_go() exits. Sends the signal
 * first, unless it is 0, and SIGTERM if this process is asked to stop while it waits.
 */
void command_wait(struct command *command, int signal_number);

/* The exit status of the command, as in a shell: 128 + the signal that ended it. */
int command_exit(const struct command *command);

#endif
