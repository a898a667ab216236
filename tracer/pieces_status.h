/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The file kernel/status of a session. Functions return 0, or -errno with session->error set. */
#ifndef TRACER_PIECES_STATUS_H
#define TRACER_PIECES_STATUS_H

#include "tracer/session.h"

/* Writes the file for the first time. If kmemtraced is killed, readers find this version. */
int session_status_start(struct session *session);

/* Updates what is known of backup programs and hooks. Does not write the file. */
int session_status_update_programs(struct session *session);

/* The same in another struct. 0 or -errno. */
int session_status_programs_of(const struct session *session, struct status *status);

/* Writes the file with the present values; or that of another piece. */
int session_status_write(struct session *session);
int session_status_write_of(struct session *session, struct directory *directory,
			    const struct status *status);

/*
 * Makes the status of the next piece, with all that does not change, in an empty struct. 0 or
 * -ENOMEM.
 */
int session_status_begin_piece(const struct session *session, struct status *next);

/* Adds a CPU whose stream has ended, while the programs run. 0 or -ENOMEM. */
int session_status_add_stream(struct session *session, unsigned int cpu,
			      const struct writer_ended *ended, uint64_t own);

/*
 * Completes the status of a piece whose streams have ended, and makes its counters the base of the
 * next one. Does not write the file.
 */
int session_status_end_piece(struct session *session);

/*
 * Adds the allocations, frees and bytes of a CPU that a profile counts, since base; NULL: since the
 * start.
 */
void session_status_count(struct status_counted *sum, const struct kmt_control *control,
			  const struct kmt_control *base);

/* The same of its samples. */
void session_status_add_samples(struct status_sampling *sampling, const struct kmt_control *control,
				const struct kmt_control *base);

/* For session_status*.c: adds the counters of a CPU, and completes those of all. 0 or -errno. */
int session_status_add_cpu(struct session *session, unsigned int cpu,
			   const struct writer_ended *ended, uint64_t own, uint64_t skipped);
int session_status_complete(struct session *session);

/* Adds everything that is known at the end, and writes the file for the last time. */
int session_status_finish(struct session *session);

#endif
