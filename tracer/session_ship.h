/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --ship-to, in a session. */
#ifndef TRACER_SESSION_SHIP_H
#define TRACER_SESSION_SHIP_H

#include "tracer/session.h"

/* Starts the process, before there are threads. 0, or -errno with session->error set. */
int session_ship_start(struct session *session);

/* All summaries are written: waits a few seconds until they are sent. */
void session_ship_finish(struct session *session);

/* For kmemtraced --status. */
void session_ship_collect(struct session *session, struct daemon_status *status);

#endif
