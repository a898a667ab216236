/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The last reading of /proc/slabinfo: of a capture, or of a piece. */
#ifndef TRACER_SESSION_SLABINFO_H
#define TRACER_SESSION_SLABINFO_H

#include "kernel/slabinfo.h"
#include "tracer/session.h"

/*
 * err: of the reading; -ENODATA: the kernel has no slabinfo. Frees the snapshot. 0, or -errno with
 * error set.
 */
int session_slabinfo_write(struct session *session, struct slabinfo_snapshot *snapshot, int err);

#endif
