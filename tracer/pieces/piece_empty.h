/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Takes the events out of a piece whose tables are still needed. */
#ifndef TRACER_PIECES_PIECE_EMPTY_H
#define TRACER_PIECES_PIECE_EMPTY_H

#include <stdbool.h>

/*
 * Each stream of the piece, which is finished, keeps its first packet and gets a last one, in which
 * all its events are lost: so the checkpoint of the next piece has them as lost. A stream that is a
 * part of a dump, too, stays as it is. set: the open directory. 0 or -errno.
 */
int piece_empty(int set, unsigned int number);

/* Are streams of the piece a part of a dump, too, so that they must stay as they are? */
bool piece_is_in_dump(int set, unsigned int number);

/* Were the events of the piece, an open directory, removed, or will they be in a moment? */
bool piece_is_empty(int piece);

#endif
