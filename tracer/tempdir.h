/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A directory for files that only this process reads. It is on a private tmpfs, which disappears
 * with the process however the process ends; where mounting is not allowed, it is in $TMPDIR.
 */
#ifndef TRACER_TEMPDIR_H
#define TRACER_TEMPDIR_H

struct tempdir {
	int mount;	/* file descriptor of a detached mount; -1: none */
	char path[300]; /* empty: there is no directory */
};

/* 0, or -errno: no tmpfs could be mounted, and no directory made in $TMPDIR or /tmp. */
int tempdir_open(struct tempdir *tempdir);

/* Removes the directory, which must be empty if it is in $TMPDIR. All zero is allowed. */
void tempdir_close(struct tempdir *tempdir);

#endif
