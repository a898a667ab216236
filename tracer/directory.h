/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The capture directory: made anew, an older capture moved aside; room kept for the last words. */
#ifndef TRACER_DIRECTORY_H
#define TRACER_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct directory {
	char *path;
	bool reserved;
	int lock; /* on metadata while the capture is written; -1: none */
	char why[400];
};

/*
 * A capture that is being written has its metadata locked (flock), so that nobody moves or
 * repairs it meanwhile.
 *
 * Looks whether path can become a capture, without changing anything: it is not there, is an
 * empty directory, or holds a capture. 0 or -errno with why set.
 */
int directory_probe(struct directory *directory, const char *path);

/* Makes it; an older capture goes to path.old, whose own capture is removed. 0 or -errno. */
int directory_make(struct directory *directory);
void directory_deinit(struct directory *directory);

/* Opens a file below it with fopen's mode; NULL with why set. */
FILE *directory_open(struct directory *directory, const char *name, const char *mode);

/* Closes it; 0, or -errno if not all of it was written. */
int directory_close(struct directory *directory, FILE *file, const char *name);

/* path/name in buffer */
const char *directory_name(const struct directory *directory, const char *name, char *buffer,
			   size_t size);

/* Locks the capture, once its metadata is there. 0 or -errno. */
int directory_lock(struct directory *directory);

/* Keeps room on the disk for what must be written last, and gives it free. */
int directory_reserve(struct directory *directory);
void directory_release(struct directory *directory);

#endif
