/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which piece a stream belongs to, while streams are switched: see pieces_switch.h. */
#ifndef TRACER_PIECES_H
#define TRACER_PIECES_H

#include "tracer/session.h"

/* Streams are being switched, each at its own moment. */
static inline bool session_piece_is_switching(const struct session *session)
{
	return session->rotation.state == ROTATION_SWITCHING;
}

/* Where the stream of a CPU without one begins. */
struct directory *session_piece_directory(struct session *session);

/* A stream has begun, in the next piece if streams are being switched. */
void session_piece_opened(struct session *session, unsigned int cpu);

/* The skipped events that the packets of a CPU have: those since the begin of its piece. */
uint64_t session_piece_skipped(const struct session *session, unsigned int cpu);

#endif
