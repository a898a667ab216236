/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A directory for temporary files that only this user can enter. With a guard, another process
 * makes it, and removes it when this one ends, even if a signal kills it.
 */
#ifndef BASE_SCRATCH_DIRECTORY_H
#define BASE_SCRATCH_DIRECTORY_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct scratch_directory {
	char path[PATH_MAX]; /* "": there is none */
	int fd;		     /* of the directory; -1: there is none */
	int guard;	     /* the guard waits until this is closed; -1: there is no guard */
	pid_t guard_pid;
};

/*
 * Makes PREFIX.XXXXXX, of random letters. guarded: the program has no threads yet. 0 or -errno:
 * then there is nothing to remove.
 */
int scratch_directory_make(struct scratch_directory *scratch, const char *prefix, bool guarded);

/* In $TMPDIR or /tmp. */
int scratch_directory_make_temporary(struct scratch_directory *scratch, bool guarded);

/* Removes it and all in it; nothing, if it is all zero or was removed. */
void scratch_directory_remove(struct scratch_directory *scratch);

#endif
