/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process that writes dumps and full captures, and runs the command of --trigger-command, one
 * after the other, with the privileges that kmemtraced was started with. It is forked before these
 * are given up, and knows the command since then: a request has only what the command gets in its
 * environment.
 */
#ifndef TRACER_PIECES_TRIGGER_PROCESS_H
#define TRACER_PIECES_TRIGGER_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/worker.h"
#include "tracer/pieces/dumps.h"
#include "tracer/system/command.h"
#include "tracer/triggers/trigger.h"

struct trigger_process_settings {
	const char *command; /* for the shell; NULL: none */
	const char *path;    /* of the capture; NULL: none */
	const char *full;    /* for so long a trigger begins a full capture; NULL: none */
	const struct saved_process_state *saved;
	struct set_dump_settings dump;
	struct set_dump_left_list *left; /* dumps to finish at first; NULL: none */
	/* that another process waits for the end of: closed in this one; -1: none */
	int other_pipes[2];
};

struct trigger_request {
	char trigger[TRIGGER_LENGTH]; /* its text */
	char message[1500];
	char victim_name[20];
	uint32_t victim;     /* process id, of an OOM kill; 0: none */
	uint32_t last_piece; /* of the dump; 0: no dump */
	uint64_t time;	     /* ns, CLOCK_MONOTONIC: of the trigger */
	uint32_t is_signal;  /* not 0: there is no trigger, and no command is run */
	uint32_t is_last;    /* not 0: the process ends, and the rest has no meaning */
};

/* Of a dump or a full capture that was written, or of a command that has ended. */
struct trigger_answer {
	char trigger[TRIGGER_LENGTH];
	char path[DUMP_PATH]; /* of the dump, or of the full capture; "": of a command */
	struct error error;   /* of a dump that failed */
	uint32_t pieces;
	uint32_t incomplete; /* the piece without a checkpoint; 0: none */
	uint32_t is_full;    /* not 0: of a full capture */
	uint32_t is_left;    /* not 0: a kmemtraced that was killed had begun the dump */
	int32_t status;	     /* of waitpid() */
	int32_t err;	     /* -errno: the dump has failed, or the command could not be started */
};

/* Call it before there are threads. 0 or -errno. */
int trigger_process_start(struct worker *process, const struct trigger_process_settings *settings);

/* False: too many requests wait, or the process has ended. */
bool trigger_process_request(struct worker *process, const struct trigger_request *request);

/* The next answer that has come. False: there is none. */
bool trigger_process_answer(struct worker *process, struct trigger_answer *answer);

/*
 * Says that no more requests come: the process ends when all commands have ended. True: it has
 * ended. Then status is set, as of waitpid(), unless an earlier call has set it.
 */
bool trigger_process_ends(struct worker *process, int *status);

/* A full capture for a while, beside a profile: another kmemtraced records it. */

/*
 * Records PATH.full.TIME for the duration, as -d takes it, and waits for the end. name: becomes the
 * path. 0 and the status of waitpid(), or -errno.
 */
int trigger_record_full(const char *path, const char *duration,
			const struct saved_process_state *saved, char *name, size_t size,
			int *status);

#endif
