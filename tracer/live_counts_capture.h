/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --count: the counts of the kernel become a capture of one event for each key, in a temporary
 * directory, and the view count prints it.
 */
#ifndef TRACER_LIVE_COUNTS_CAPTURE_H
#define TRACER_LIVE_COUNTS_CAPTURE_H

#include "tracer/session.h"

/* After the programs are detached: puts a record for each key in the streams. 0 or -errno. */
int session_count_store(struct session *session);

/* Writes the tasks of these records to kernel/tasks. 0 or -errno. */
int session_count_write_tasks(struct session *session);

/*
 * When the capture is finished: prints the groups. 0, or -errno with error set.
 */
int session_count_print(struct session *session);

#endif
