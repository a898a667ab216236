/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends the capture to standard output while it is recorded: see capture/stream_frame.h. The files
 * of the capture are in a temporary directory; the space of sent packets is given back.
 */
#ifndef TRACER_STREAM_OUTPUT_H
#define TRACER_STREAM_OUTPUT_H

#include "tracer/pieces.h"

#define STREAM_OUTPUT_TABLES 4 /* that grow while the capture is recorded */

/* The part of the capture that was sent to standard output. */
struct stream_output {
	uint64_t *sent;			       /* bytes, by CPU; NULL: nothing is sent */
	uint64_t tables[STREAM_OUTPUT_TABLES]; /* bytes */
	bool ended;			       /* the reader is gone, or hangs */
	bool hangs;			       /* it took nothing when kmemtraced was to stop */
};

/* Sends the files that are there before the first event. 0 or -errno with the error set. */
int stream_output_begin(struct stream_output *output, struct pieces *pieces);

/*
 * After a round over the rings that began at now (ns), when all packets are written: sends what is
 * new. If the reader has ended, output->ended becomes true: not an error. 0 or -errno.
 */
int stream_output_step(struct stream_output *output, struct pieces *pieces, uint64_t now);

/*
 * Sends the rest, and the tables that are written at the end. 0 or -errno; -ETIMEDOUT if the reader
 * hangs.
 */
int stream_output_end(struct stream_output *output, struct pieces *pieces);

#endif
