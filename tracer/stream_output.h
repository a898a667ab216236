/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends the capture to standard output while it is recorded: see capture/stream_frame.h. The files
 * of the capture are in a temporary directory; what is sent of the streams is given back.
 */
#ifndef TRACER_STREAM_OUTPUT_H
#define TRACER_STREAM_OUTPUT_H

#include "tracer/session.h"

/* Sends the files that are there before the first event. 0 or -errno with error set. */
int session_stream_begin(struct session *session);

/*
 * After a round over the rings that began at now (ns), when all packets are written: sends what is
 * new. If the reader has ended, session->stream.ended becomes true: not an error. 0 or -errno.
 */
int session_stream_step(struct session *session, uint64_t now);

/* Sends the rest, and the tables that are written at the end. 0 or -errno. */
int session_stream_end(struct session *session);

#endif
