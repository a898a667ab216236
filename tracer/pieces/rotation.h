/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of a session with a set: its pieces and their limits. See session_rotate.h. */
#ifndef TRACER_PIECES_ROTATION_H
#define TRACER_PIECES_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash_map.h"
#include "capture/directory.h"
#include "capture/status.h"
#include "kernel/ring.h"
#include "tracer/pieces/keeper.h"

/* How far the switch to the next piece is. */
enum rotation_state {
	ROTATION_IDLE,	    /* one piece is written */
	ROTATION_SWITCHING, /* streams are switched, each at its own moment */
	ROTATION_CLOSING,   /* all that is left of the old piece is its symbols and its status */
};

/* Counters of kernel/status that go on through all pieces, at the begin of the present one. */
struct rotation_base {
	uint64_t skipped, names_lost, hook_calls_skipped, mappings_lost;
	struct status_probes probes;
	struct hash_map lost_tasks; /* thread id: index in lost; if lost_count */
	uint64_t *lost;		    /* events that earlier pieces have as lost */
	size_t lost_count;
};

struct rotation {
	struct directory set;
	struct keeper keeper;
	unsigned int piece;   /* number of the piece that session->directory has */
	uint64_t piece_begin; /* ns: when it was begun, for its age */
	enum rotation_state state;
	struct directory other;	    /* switching: of the next piece; closing: of the old one */
	bool *switched;		    /* by CPU, while switching */
	uint64_t first, last;	    /* ns: the least and the greatest time of the streams' switch */
	struct status other_status; /* of the piece of other */
	struct rotation_base base;
	uint64_t old_bytes; /* on disk, of the old piece, until the keeper counts it */
	unsigned int old_piece;
	uint64_t tables;       /* bytes on disk of the present piece's tables */
	uint64_t next_tables;  /* ns: when they are measured again */
	uint64_t next_request; /* ns: for room, if the last one was in vain */
	bool said_full;
	bool requested; /* SIGUSR2 came */
};

/* All zero is allowed. */
void rotation_close(struct rotation *rotation);

#endif
