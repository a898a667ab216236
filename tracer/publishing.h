/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of a session for --publish and --metrics. Without these options, all functions do
 * nothing. They return 0, or -errno with session->error set.
 */
#ifndef TRACER_PUBLISHING_H
#define TRACER_PUBLISHING_H

#include "tracer/session.h"

/* Starts the thread. Call it after the streams are open, and before the next status is written. */
int session_publish_start(struct session *session);

/* Loads the capture directory. */
int session_publish_open(struct session *session);

/* Sets the initial counts from slabinfo, just before the programs are attached. */
int session_publish_initial_counts(struct session *session);

/*
 * Publishes the events before the new watermark. Call it after a round over all rings that flushed;
 * now: the time read before that round.
 */
int session_publish_watermark(struct session *session, uint64_t now);

/* Ends the thread, after all records were put into the queue. */
int session_publish_end(struct session *session);

#endif
