/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A place for files that only this process reads. It is on a private tmpfs, which disappears with
 * the process however the process ends; where mounting is not allowed, it is in $TMPDIR or /tmp.
 */
#ifndef TRACER_SYSTEM_TEMPDIR_H
#define TRACER_SYSTEM_TEMPDIR_H

#include <stdint.h>

struct tempdir {
	int mount;	/* file descriptor of a detached mount; -1: none */
	char path[300]; /* beside it a new directory can be made; empty: not opened */
};

/* bytes: of all files, if a tmpfs can be mounted; 0: half of the memory. */
void tempdir_open(struct tempdir *tempdir, uint64_t bytes);

/* All zero is allowed. */
void tempdir_close(struct tempdir *tempdir);

#endif
