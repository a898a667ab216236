/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The capture directory: made anew, an older capture moved aside; room kept for the last words. */
#ifndef CAPTURE_DIRECTORY_H
#define CAPTURE_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Where a stream is packed, in the capture: hidden, as no stream may be. */
#define DIRECTORY_PACK_NAME ".pack"

struct directory {
	char *path;   /* where it is written: beside target until it takes its place */
	char *target; /* where it shall lie */
	bool made, placed;
	bool was_there; /* target was an empty directory */
	bool reserved;
	int lock; /* on metadata while the capture is written; -1: none */
	char errmsg[400];
};

/*
 * Looks whether a capture can come to lie at target, without changing anything: it is not there,
 * is an empty directory, or holds a capture that nobody is writing. 0 or -errno with errmsg set.
 */
int directory_probe(struct directory *directory, const char *target);

/* Makes it, beside target unless that is an empty directory. 0 or -errno. */
int directory_make(struct directory *directory);

/*
 * Once all is ready: takes its place; an older capture there goes to target.old, whose own
 * capture is removed. 0 or -errno.
 */
int directory_commit(struct directory *directory);

/* It came to nothing: removes it. An older capture is where it was, or, once placed, in .old. */
void directory_abandon(struct directory *directory);
void directory_deinit(struct directory *directory);

/* Opens a file below it with fopen's mode; NULL with errmsg set. */
FILE *directory_open(struct directory *directory, const char *name, const char *mode);

/* Closes it; 0, or -errno if not all of it was written. */
int directory_close(struct directory *directory, FILE *file, const char *name);

/* path/name in buffer */
const char *directory_name(const struct directory *directory, const char *name, char *buffer,
			   size_t size);

/*
 * Locks the metadata (flock), once it is there, so that nobody moves or repairs the capture while
 * it is written. 0 or -errno.
 */
int directory_lock(struct directory *directory);
void directory_unlock(struct directory *directory);

/* Keeps room on the disk for what must be written last, and gives it free. */
int directory_reserve(struct directory *directory);
void directory_release(struct directory *directory);

#endif
