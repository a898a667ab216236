/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The start of a session: everything before the programs are attached. */
#ifndef TRACER_SESSION_OPEN_H
#define TRACER_SESSION_OPEN_H

#include "tracer/session.h"

/*
 * Plans, loads and creates everything that a capture needs. 0, or -errno with error set: then
 * nothing has changed on disk. session_close() is needed in either case.
 */
int session_open(struct session *session, const struct options *options,
		 const struct saved_signals *signals);

#endif
