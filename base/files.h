/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whole files: reading one into memory, copying one, copying a folder. All return 0 or -errno. */
#ifndef BASE_FILES_H
#define BASE_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* The most bytes of a file of /sys: one page, and no kernel has larger pages. */
#define SYSFS_BYTES_MAX ((size_t)256 << 10)

/*
 * Opens a regular file for reading: a file descriptor, or -errno. -EISDIR, -EINVAL: it is not a
 * regular file; a pipe does not block. name is relative to the directory, an open file descriptor
 * or AT_FDCWD.
 */
int open_regular_file(int directory, const char *name);

/*
 * Reads a whole file of at most `max` bytes, of /proc or tracefs too. name is relative to the
 * directory, an open file descriptor or AT_FDCWD. *text gets the bytes with a NUL behind them, to
 * be freed; *size, unless size is NULL, their number. -EFBIG: the file is larger; -EISDIR, -EINVAL:
 * it is not a regular file.
 */
int read_file(int directory, const char *name, size_t max, char **text, size_t *size);

/* Does this -errno of reading a file say that this machine lacks memory or file descriptors? */
bool error_is_shortage(int err);

/*
 * Does this -errno of reading a file of /proc or /sys say that the kernel does not offer it, not
 * any more, or not to this user?
 */
bool error_is_unavailable(int err);

/* Files are copied from one directory to another by their name in both, such as "kernel/tasks". */
struct file_copy {
	int from, to;	    /* file descriptors of directories */
	mode_t mode;	    /* of new files; the umask applies */
	const char *except; /* copy_folder() leaves out files of this name; NULL: none */
	int failed_in; /* after a failure: from or to, and the name that the error belongs to */
	char failed[PATH_MAX];
};

/*
 * Copies a regular file to a name that must not exist, and waits until it is on disk. Does not
 * follow symbolic links.
 */
int copy_file(struct file_copy *copy, const char *name);

/*
 * Copies the regular files and directories in a directory, except hidden ones. Pipes and symbolic
 * links are left out: a pipe would block, and a link may lead anywhere. The directory is made in
 * `to`, unless it is there; it stays empty if `from` does not have it.
 */
int copy_folder(struct file_copy *copy, const char *name);

/* Writes all of the bytes, also where write() takes a part of them only. */
int write_all(int fd, const void *bytes, size_t size);

/* Closes a file that was written, once all of it is on disk. The file is closed on failure too. */
int close_synced(FILE *file);

/* "directory/name", to be freed; or NULL. */
char *join_path(const char *directory, const char *name);

/* The path with the working directory before it, unless it is absolute, to be freed; or NULL. */
char *absolute_path(const char *path);

#endif
