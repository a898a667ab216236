/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which privileges each thread of a session keeps. */
#ifndef TRACER_SESSION_CONFINE_H
#define TRACER_SESSION_CONFINE_H

#include "tracer/session.h"

/* Before the threads start, once the capture has its final path. 0 or -errno, error set. */
int session_confine_prepare(struct session *session);

/* Called by the thread that saves modules. data: the session. 0 or -errno. */
int session_confine_modules(void *data);

/* Called by the thread that publishes files. data: the session. 0 or -errno. */
int session_confine_publish(void *data);

/*
 * Confines the calling thread, once all that needs privileges is done, and the system calls of all
 * threads. 0 or -errno, error set.
 */
int session_confine(struct session *session);

#endif
