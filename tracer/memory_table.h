/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The memory of processes in a session, with --proc-mem. Each returns 0 or -errno with error set.
 */
#ifndef TRACER_MEMORY_TABLE_H
#define TRACER_MEMORY_TABLE_H

#include "tracer/session.h"

int session_memory_open(struct session *session);
int session_memory_begin(struct session *session); /* the first reading */
int session_memory_step(struct session *session, uint64_t now);
/* Between two readings: goes on in the next piece. 0 or -errno. */
int session_memory_switch(struct session *session, struct directory *next);

/* Ends a reading that has begun or was requested. 0 or -errno. */
int session_memory_complete(struct session *session);

int session_memory_finish(struct session *session); /* the last reading */

#endif
