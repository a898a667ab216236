/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The capture itself. */
#ifndef TRACER_SESSION_RUN_H
#define TRACER_SESSION_RUN_H

#include "tracer/session.h"

/*
 * Attaches the programs and drains the rings until the command ends, the duration is over or a
 * signal arrives. 0, or -errno with error set.
 */
int session_run(struct session *session);

#endif
