/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Goes from one piece to the next while events come: first the streams, each in a round in which
 * its drain has caught up, then the tables. The old piece is complete once its symbols are, too.
 * Functions return 0, or -errno with session->error set. Without --switch-output they do nothing.
 */
#ifndef TRACER_PIECES_SWITCH_H
#define TRACER_PIECES_SWITCH_H

#include "tracer/session.h"

/* After the start: the keeper makes the directory of the next piece. */
int session_rotate_begin(struct session *session, uint64_t now);

/* After a round over the ring of a CPU: switches its stream, if that is wanted and possible. */
int session_rotate_stream(struct session *session, unsigned int cpu);

/* After a round over all rings and messages: begins or goes on with a switch. */
int session_rotate_step(struct session *session, uint64_t now);

/* After the programs were detached: completes the old piece, if a switch has begun. */
int session_rotate_finish(struct session *session);

/* Waits for the keeper at the very end. */
void session_rotate_end(struct session *session);

#endif
