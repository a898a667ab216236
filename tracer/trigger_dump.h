/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The flight recorder: after a trigger, or SIGUSR2, the present piece ends, and the process of
 * trigger_process.h writes the pieces up to it as a dump. Recording goes on.
 */
#ifndef TRACER_TRIGGER_DUMP_H
#define TRACER_TRIGGER_DUMP_H

#include "tracer/session.h"

/*
 * At the start, before pieces are removed: finds the dumps that a killed kmemtraced left. 0 or
 * -errno with session->error set.
 */
int session_dump_open(struct session *session);

struct set_dump_settings session_dump_settings(const struct session *session);

/*
 * Sends the request to the process: at once, or with --overwrite when the present piece is
 * finished.
 */
void session_dump_request(struct session *session, const struct trigger_request *request);

/* A dump is finished, or has failed. */
void session_dump_written(struct session *session, const struct trigger_answer *answer);

/* Before each session_rotate_step(). */
void session_dump_step(struct session *session);

/* At the end: all pieces are finished. */
void session_dump_finish(struct session *session);

#endif
