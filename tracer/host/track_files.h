/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads what the kernel itself keeps of live objects: see kernel/tracks.h. */
#ifndef TRACER_HOST_TRACK_FILES_H
#define TRACER_HOST_TRACK_FILES_H

#include "kernel/tracks.h"

/* debugfs, mounted or not, as a file descriptor; or -errno. Before the caller is confined. */
int track_files_open(void);

/*
 * Reads all sources that have tracks; the others are no readings. debugfs: negative: only sysfs is
 * read. now: the capture's clock. 0, or -errno: what was read stays, tracks_deinit() frees it.
 */
int track_files_read(int debugfs, uint64_t (*now)(void), struct tracks *tracks);

#endif
