/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Between the files pieces*.c. Functions return 0, or -errno with the error set. */
#ifndef TRACER_PIECES_WORK_H
#define TRACER_PIECES_WORK_H

#include "tracer/pieces.h"

/* Prints a text of the keeper. */
void pieces_say(const char *text);

/* The stream of a CPU has begun, in the next piece if streams are being switched. */
void pieces_stream_opened(struct pieces *pieces, unsigned int cpu);

/* Once the stream of a CPU is finished: the number of kmemtraced's own records on disk. */
uint64_t pieces_count_own(struct pieces *pieces, unsigned int cpu);

/*
 * The disk limit of a set (--max-disk). The keeper knows the bytes of the finished pieces, and
 * removes the oldest when the limit comes near; the drain takes only as many records as there is
 * room for on the disk. Records that find no room in the ring then are lost, and counted.
 *
 * pieces_stream_bytes(): of the streams of the present piece.
 * pieces_need_switch(): must it end early, so that older ones can be removed?
 * pieces_ask_for_room(): after each round, at the time now (ns): asks the keeper for room.
 */
uint64_t pieces_stream_bytes(const struct pieces *pieces);
bool pieces_need_switch(const struct pieces *pieces);
int pieces_ask_for_room(struct pieces *pieces, uint64_t now);

/* Writes the file kernel/status of a piece. */
int pieces_status_write_of(struct pieces *pieces, struct piece *piece);

/* Updates what is known of backup programs and hooks. 0 or -errno. */
int pieces_status_programs_of(const struct pieces *pieces, struct status *status);

/*
 * Makes the status of the next piece, with all that does not change, in an empty struct. 0 or
 * -ENOMEM.
 */
int pieces_status_begin(const struct pieces *pieces, struct status *next);

/* Adds a CPU whose stream has ended, while the programs run. 0 or -ENOMEM. */
int pieces_status_add_stream(struct pieces *pieces, unsigned int cpu,
			     const struct writer_ended *ended, uint64_t own);

/*
 * Completes the status of a piece whose streams have ended, and makes its counters the base of the
 * next one. Does not write the file.
 */
int pieces_status_end(struct pieces *pieces);

/*
 * Adds the allocations, frees and bytes of a CPU that a profile counts, since base; NULL: since the
 * start.
 */
void pieces_add_counted(struct status_counted *sum, const struct kmt_control *control,
			const struct kmt_control *base);

/* Adds the samples of a CPU, as pieces_add_counted(). */
void pieces_add_samples(struct status_sampling *sampling, const struct kmt_control *control,
			const struct kmt_control *base);

/* Adds the counters of a CPU, and completes those of all. 0 or -errno. */
int pieces_status_add_cpu(struct pieces *pieces, unsigned int cpu, const struct writer_ended *ended,
			  uint64_t own, uint64_t skipped);
int pieces_status_complete(struct pieces *pieces);

#endif
