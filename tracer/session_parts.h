/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What session.c and session_run.c share. */
#ifndef TRACER_SESSION_PARTS_H
#define TRACER_SESSION_PARTS_H

#include "tracer/session.h"

/* Takes over the sentence of the part that failed; returns err. */
int session_fail(struct session *session, int err, const char *why);

/* Tells the status what second programs and hooks there are. 0 or -errno. */
int session_tell_extras(struct session *session);

/* Writes the status as it is now. 0 or -errno with session->why set. */
int session_write_status(struct session *session);

/* Opens the stream of a CPU. 0 or -errno with session->why set. */
int session_open_stream(struct session *session, unsigned int cpu);

#endif
