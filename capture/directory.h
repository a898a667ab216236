/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The capture directory: it is made beside its target and renamed once the capture has begun. An
 * older capture is moved to TARGET.old. Disk space is reserved for the tables written at the end.
 */
#ifndef CAPTURE_DIRECTORY_H
#define CAPTURE_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The file into which kmemtrace-pack packs a stream. It is hidden: readers ignore it. */
#define DIRECTORY_PACK_NAME ".pack"

struct directory {
	char *path;   /* where the capture is now: beside target, or target */
	char *target; /* the final path */
	bool made, committed;
	bool was_there; /* target was an empty directory */
	bool reserved;
	int lock; /* file descriptor of metadata, locked while the capture is written; -1: none */
	char errmsg[400];
};

/*
 * Checks, without changing anything, that a capture can be made at target: nothing is there, or an
 * empty directory, or a capture that no program is writing. 0 or -errno with errmsg set.
 */
int directory_probe(struct directory *directory, const char *target);

/* Makes the directory, beside target unless target is an empty directory. 0 or -errno. */
int directory_make(struct directory *directory);

/*
 * Renames the directory to target, once all is ready. An older capture is moved to target.old, and
 * a capture already at target.old is removed. 0 or -errno.
 */
int directory_commit(struct directory *directory);

/* Removes the directory after a failure. An older capture stays: at target, or in target.old. */
void directory_abandon(struct directory *directory);
void directory_deinit(struct directory *directory);

/* Opens a file of the capture with fopen's mode; NULL with errmsg set. */
FILE *directory_open(struct directory *directory, const char *name, const char *mode);

/* Closes the file. 0, or -errno with errmsg set if a write to it has failed. */
int directory_close(struct directory *directory, FILE *file, const char *name);

/* Writes path/name to buffer, and returns buffer. */
const char *directory_name(const struct directory *directory, const char *name, char *buffer,
			   size_t size);

/*
 * Locks the metadata (flock), which must exist, so that no program moves, packs or repairs the
 * capture while it is written. 0 or -errno.
 */
int directory_lock(struct directory *directory);
void directory_unlock(struct directory *directory);

/* Reserves disk space for the tables that are written at the end, and releases it. */
int directory_reserve(struct directory *directory);
void directory_release(struct directory *directory);

#endif
