/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process that does for the set of pieces what must not delay the drain: it makes the directory
 * of the next piece, makes checkpoints, and removes the oldest pieces and dumps. All that it does
 * can be done again from the files after both processes were killed. The functions of kmemtraced's
 * side never wait, except keeper_finish().
 */
#ifndef TRACER_PIECES_KEEPER_H
#define TRACER_PIECES_KEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/worker.h"
#include "tracer/pieces/dumps.h"

struct keeper_settings {
	int set;		/* the open directory */
	unsigned int first;	/* number of the first piece of this run */
	unsigned int max_files; /* pieces, with the one that is written; 0: any number */
	bool has_max_disk;
	struct dump_limits dumps;
};

enum keeper_request_kind {
	KEEPER_PREPARE,	  /* the directory of this piece */
	KEEPER_ENDED,	  /* this piece is whole, and the next one is written */
	KEEPER_MAKE_ROOM, /* remove so many bytes of the oldest dumps and pieces */
	KEEPER_DUMP,	  /* a dump is being written */
	KEEPER_DUMPED,	  /* a dump is finished; piece 0: KEEPER_DUMP was not sent for it */
};

struct keeper_request {
	uint32_t kind;
	uint32_t piece;
	uint64_t bytes;
};

enum keeper_answer_kind {
	KEEPER_PREPARED, /* err: of making it */
	KEEPER_SIZES,	 /* bytes: as piece_set_measure() with piece; pieces and dumps that exist */
	KEEPER_ROOM,	 /* the same, after KEEPER_MAKE_ROOM; err: nothing more can be removed */
	KEEPER_SAYS,	 /* text, for the user */
};

struct keeper_answer {
	uint32_t kind;
	uint32_t piece;
	int32_t err;
	uint32_t pieces, dumps;
	uint64_t bytes, dump_bytes;
	char text[400];
};

struct keeper {
	struct worker worker;
	bool failed;		      /* it ended by a signal, or with another status than 0 */
	struct keeper_answer partial; /* of the pipe: bytes that were read */
	size_t partial_size;
	unsigned int prepared; /* the piece whose directory is ready; 0: none */
	bool making_room;      /* not answered yet */
	bool no_room;	       /* the last answer: nothing more can be removed */
	unsigned int writing;  /* bytes: of pieces below this one, see piece_set_measure() */
	uint64_t bytes, dump_bytes;
	unsigned int pieces, dumps;
	char errmsg[200];
};

/*
 * Starts the process; call it before there are threads, and before the privileges are given up.
 * 0 or -errno, as all functions below; they set errmsg.
 */
int keeper_start(struct keeper *keeper, const struct keeper_settings *settings);

/* Asks for something. */
int keeper_request(struct keeper *keeper, enum keeper_request_kind kind, unsigned int piece,
		   uint64_t bytes);

/* Takes the answers that have come. say: gets texts for the user. */
int keeper_read(struct keeper *keeper, void (*say)(const char *text));

/* Lets the process finish what was asked for, up to so many seconds, and end. */
int keeper_finish(struct keeper *keeper, unsigned int seconds, void (*say)(const char *text));

/* Ends the process. All zero is allowed. */
void keeper_close(struct keeper *keeper);

/* The work of the process, until the pipe of requests is closed. */
int keeper_work(const struct keeper_settings *settings, int requests, int answers);

#endif
