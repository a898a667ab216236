/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of the keeper's process, and how it answers. For keeper_*.c only. */
#ifndef TRACER_PIECES_KEEPER_WORK_H
#define TRACER_PIECES_KEEPER_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracer/pieces/keeper.h"
#include "tracer/system/thread_list.h"

/* A piece that needs a checkpoint. */
struct job {
	unsigned int piece;
	struct thread_list threads; /* before the piece began; none: not known */
	bool is_empty;		    /* the piece before is removed then, whole or without events */
};

struct keeper_work {
	const struct keeper_settings *settings;
	int requests, answers;
	unsigned int writing; /* the oldest piece that kmemtraced writes to */
	struct job *waiting;  /* by piece */
	size_t waiting_count;
	pid_t job; /* makes the checkpoint of job_piece, the first that waits; 0: none */
	unsigned int job_piece;
	struct thread_list threads; /* before the next piece begins */
	unsigned int prepared;	    /* its number; 0: none */
	struct keeper_answer sizes; /* the last KEEPER_SIZES */
	uint64_t without_job;	    /* bytes of the last KEEPER_SIZES, without those of the job */
	unsigned int dumping;	    /* dumps that are being written */
	bool said_dump;		    /* that one cannot be removed */
};

void keeper_answer(struct keeper_work *work, const struct keeper_answer *answer);

__attribute__((format(printf, 2, 3))) void keeper_say(struct keeper_work *work, const char *format,
						      ...);

/* KEEPER_SIZES or KEEPER_ROOM, as everything is now. nothing_left: see KEEPER_ROOM. */
void keeper_send_sizes(struct keeper_work *work, enum keeper_answer_kind kind, bool nothing_left);

/* KEEPER_SIZES while only a checkpoint or a dump grows. */
void keeper_update_sizes(struct keeper_work *work);

/* Removes the dumps above the limit of their number. */
void keeper_limit_dumps(struct keeper_work *work);

/* Removes the oldest dump for the room that it takes. False: the dumps that are left stay. */
bool keeper_remove_dump(struct keeper_work *work);

#endif
