/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads a whole stream and runs the checks of packets and records over it. */
#ifndef CHECK_CHECK_STREAM_H
#define CHECK_CHECK_STREAM_H

#include "base/error.h"
#include "check/stream_state.h"

/*
 * The caller sets problems, and the capture and cpu if the stream belongs to one; all else is zero.
 * 0, or -errno with error set.
 */
int check_stream_run(struct stream_state *stream, const char *path, struct error *error);
void check_stream_deinit(struct stream_state *stream);

#endif
