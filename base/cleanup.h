/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions for __attribute__((cleanup(…))): they release the resource of a local variable when
 * the variable goes out of scope. NULL, and a file descriptor below 0, hold nothing.
 */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void free_text(char **text)
{
	free(*text);
}

static inline void close_fd(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void close_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

static inline void close_directory(DIR **directory)
{
	if (*directory)
		closedir(*directory);
}

#endif
