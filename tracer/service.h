/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The service manager and kmemtraced --status see a session while it runs. */
#ifndef TRACER_SERVICE_H
#define TRACER_SERVICE_H

#include "tracer/session.h"

/* Connects to the service manager, if one listens. Before any process is forked. */
void session_service_open(struct session *session);

/* Makes the file for --status. Before the threads start; a session without the file goes on. */
void session_service_make_file(struct session *session);

/* The next event will be recorded. */
void session_service_ready(struct session *session);

/* In each round over the rings. now: ns. */
void session_service_step(struct session *session, uint64_t now);

void session_service_stopping(struct session *session);

/* err: -errno, with the session's error. */
void session_service_failed(struct session *session, int err);

#endif
