/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The file kernel/status of a session. Functions return 0, or -errno with session->errmsg set. */
#ifndef TRACER_SESSION_STATUS_H
#define TRACER_SESSION_STATUS_H

#include "tracer/session.h"

/* Writes the file for the first time. If kmemtraced is killed, readers find this version. */
int session_status_start(struct session *session);

/* Updates what is known of backup programs and hooks. Does not write the file. */
int session_status_update_programs(struct session *session);

/* Writes the file with the present values. */
int session_status_write(struct session *session);

/* Adds everything that is known at the end, and writes the file for the last time. */
int session_status_finish(struct session *session);

#endif
