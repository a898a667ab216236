/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A directory for what is written only to be read again by this process. It lies in memory, where
 * nobody else sees it, and ends with the process however that ends; where that is not allowed, it
 * lies in $TMPDIR.
 */
#ifndef TRACER_TEMPDIR_H
#define TRACER_TEMPDIR_H

struct tempdir {
	int mount;	/* descriptor of a mount that is nowhere in the tree; -1: none */
	char path[300]; /* empty: there is none */
};

/* 0 or -errno: no directory could be made in $TMPDIR, or /tmp, either. */
int tempdir_open(struct tempdir *tempdir);

/* Whatever was made in it must be gone. All zero is allowed. */
void tempdir_close(struct tempdir *tempdir);

#endif
