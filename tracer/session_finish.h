/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The end of a session: everything after the capture. */
#ifndef TRACER_SESSION_FINISH_H
#define TRACER_SESSION_FINISH_H

#include "tracer/session.h"

/*
 * Detaches the programs, drains the rings completely, and completes all files. Also needed after
 * session_run() failed. 0, or -errno with error set: something could not be written.
 */
int session_finish(struct session *session);

#endif
