/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The disk limit of a set (--max-disk). The keeper knows the bytes of the finished pieces, and
 * removes the oldest when the limit comes near; the drain takes only as many records as there is
 * room for on the disk. Records that find no room in the ring then are lost, and counted.
 */
#ifndef TRACER_PIECES_ROOM_H
#define TRACER_PIECES_ROOM_H

#include "tracer/session.h"

/* The bytes of the streams of the present piece. */
uint64_t session_room_stream_bytes(const struct session *session);

/* The bytes of the set and of its dumps on disk, as far as they are known. */
uint64_t session_room_used(const struct session *session);

/* The pieces that exist. */
unsigned int session_room_pieces(const struct session *session);

/* Must the piece end early, so that older ones can be removed? */
bool session_room_needs_switch(const struct session *session);

/* Is the limit large enough for the rings? 0, or -EINVAL with session->error set. */
int session_room_check(struct session *session);

/* Before a round: lets each drain take what there is room for. False: there is none. */
bool session_room_divide(struct session *session);

/* After each round, at the time now (ns): asks the keeper for room. 0 or -errno. */
int session_room_step(struct session *session, uint64_t now);

#endif
