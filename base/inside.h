/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Files by the descriptor of a directory and a name below it, such as "kernel/status". No part of
 * the name may be a symbolic link, so that nothing outside of the directory is reached. All
 * functions return -errno on failure.
 */
#ifndef BASE_INSIDE_H
#define BASE_INSIDE_H

#include <dirent.h>
#include <stdbool.h>
#include <sys/types.h>

/* A file descriptor; flags and mode as for openat(). Never waits for the other end of a pipe. */
int inside_open(int directory, const char *name, int flags, mode_t mode);

/*
 * Returns fd if it is a regular file. Otherwise closes it and returns -EINVAL, -EISDIR or another
 * -errno. An fd below 0 is an -errno already, and is returned.
 */
int inside_keep_regular(int fd);

/* Opens a regular file for reading. -EINVAL, -EISDIR: it is another kind of file. */
int inside_open_regular(int directory, const char *name);

/* Opens a directory, so that it can be listed. */
int inside_open_directory(int directory, const char *name);

/*
 * The next name in a directory, except "." and ".."; NULL: there is no other one or, if *err became
 * -errno, it cannot be read. NULL too if *err was set before.
 */
const char *inside_next(DIR *list, int *err);

int inside_make_directory(int directory, const char *name, mode_t mode);
int inside_unlink(int directory, const char *name);
int inside_rename(int directory, const char *from, const char *to);

/* Gives a file a second name: the same name in another directory. */
int inside_link(int from, int to, const char *name);

/* Is the name, without slashes, that of this open file or directory? */
bool inside_is_same(int directory, const char *name, int fd);

/*
 * Removes everything in the directory. Directories in it that cannot be emptied stay; the first
 * error is returned.
 */
int inside_remove_all(int directory);

/* The same, and removes the directory of this name itself. -ENOENT: it does not exist. */
int inside_remove_directory(int directory, const char *name);

#endif
