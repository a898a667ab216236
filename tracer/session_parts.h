/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What session.c and session_run.c share. */
#ifndef TRACER_SESSION_PARTS_H
#define TRACER_SESSION_PARTS_H

#include "tracer/session.h"

/* Takes over the sentence of the part that failed; returns err. */
int session_fail(struct session *session, int err, const char *errmsg);

/* The command cannot be run, as its errmsg says. */
int session_fail_command(struct session *session, int err);

/* Tells the status what second programs and hooks there are. 0 or -errno. */
int session_report_programs(struct session *session);

/* Writes the status as it is now. 0 or -errno with session->errmsg set. */
int session_write_status(struct session *session);

/* Opens the stream of a CPU. 0 or -errno with session->errmsg set. */
int session_open_stream(struct session *session, unsigned int cpu);

/* In session_publish.c. All return 0 or -errno, with session->errmsg set. */

/* Probes the directory that was asked for; of a session that captures nothing, one of its own. */
int session_choose_directory(struct session *session);

/* Once the streams are open, and before the status with all own tasks is written; after that. */
int session_publish_start(struct session *session);
int session_publish_open(struct session *session);

/* Just before the programs are attached. */
int session_publish_initial_counts(struct session *session);

/* After a round over all rings that flushed; now was read before it. */
int session_publish_watermark(struct session *session, uint64_t now);

/* After the last records are handed over. */
int session_publish_end(struct session *session);

#endif
