/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A place for files that only this process reads. It is on a private tmpfs, which disappears with
 * the process however the process ends; where mounting is not allowed, it is in $TMPDIR or /tmp.
 */
#ifndef TRACER_TEMPDIR_H
#define TRACER_TEMPDIR_H

struct tempdir {
	int mount;	/* file descriptor of a detached mount; -1: none */
	char path[300]; /* beside it a new directory can be made; empty: not opened */
};

void tempdir_open(struct tempdir *tempdir);

/* All zero is allowed. */
void tempdir_close(struct tempdir *tempdir);

#endif
