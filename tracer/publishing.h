/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of a session for --publish and --metrics. Without these options, all functions do
 * nothing. They return 0, or -errno with the error set.
 */
#ifndef TRACER_PUBLISHING_H
#define TRACER_PUBLISHING_H

#include "tracer/pieces.h"

/* Starts the thread, which first calls on_start. Call it after the streams are open, and before the
 * next status is written. */
int publishing_start(struct pieces *pieces, int (*on_start)(void *data), void *data);

/* Loads the capture directory. */
int publishing_open(struct pieces *pieces);

/* Sets the initial counts from slabinfo, just before the programs are attached. */
int publishing_initial_counts(struct pieces *pieces);

/*
 * Publishes the events before the new watermark. Call it after a round over all rings that flushed;
 * now: the time read before that round.
 */
int publishing_watermark(struct pieces *pieces, uint64_t now);

/*
 * Gives the thread a reading of the slab allocator, which stays as it is until
 * publishing_takes_reading() returns true, or until publishing_end(). It takes the place of one
 * that is not used yet.
 */
void publishing_reading(struct pieces *pieces, const struct heap_reading *reading);

/* Does the thread want a reading, and has it none? */
bool publishing_takes_reading(const struct pieces *pieces);

/* Ends the thread, after all records were put into the queue. */
int publishing_end(struct pieces *pieces);

#endif
