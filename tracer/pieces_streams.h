/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ring and the stream of each CPU: CPUs that are online have both from the start, others get
 * them when they come online. Functions return 0, or -errno with session->error set.
 */
#ifndef TRACER_PIECES_STREAMS_H
#define TRACER_PIECES_STREAMS_H

#include "tracer/session.h"

/* Opens the stream of a CPU. */
int session_streams_open(struct session *session, unsigned int cpu);

/* Makes the ring and opens the stream of a CPU that came online during the capture. */
int session_streams_add(struct session *session, unsigned int cpu);

/*
 * The capture directory was renamed: gives the streams their new paths, for messages. Without
 * memory, they keep the old ones.
 */
void session_streams_rename(struct session *session);

/* Drains the rings after the programs were detached, and ends the streams at the time end (ns). */
int session_streams_finish(struct session *session, uint64_t end);

/* The number of kmemtraced's own records on disk; call it after the stream is finished. */
uint64_t session_streams_count_own(struct session *session, unsigned int cpu);

#endif
