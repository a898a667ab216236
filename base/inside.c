// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Goes from directory to directory without following symbolic links. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/inside.h"

#define DEPTH_MAX 16 /* directories in each other that inside_remove_all() enters */

/*
 * The directory that holds the last part of the name: *opened, to be closed by the caller, or
 * the given one, if the name has one part. *last gets the last part.
 */
static int open_holder(int directory, const char *name, int *opened, const char **last)
{
	const char *slash;

	while ((slash = strchr(name, '/'))) {
		char part[NAME_MAX + 1];
		int next;

		if ((size_t)(slash - name) >= sizeof(part))
			return -ENAMETOOLONG;
		memcpy(part, name, (size_t)(slash - name));
		part[slash - name] = '\0';
		next = openat(directory, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0)
			return -errno;
		close_fd(opened);
		*opened = directory = next;
		name = slash + 1;
	}
	*last = name;
	return directory;
}

int inside_open(int directory, const char *name, int flags, mode_t mode)
{
	__attribute__((cleanup(close_fd))) int opened = -1;
	const char *last;
	int fd, holder = open_holder(directory, name, &opened, &last);

	if (holder < 0 && holder != AT_FDCWD)
		return holder;
	fd = openat(holder, last, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode);
	return fd < 0 ? -errno : fd;
}

int inside_keep_regular(int fd)
{
	struct stat about;
	int err = 0;

	if (fd < 0)
		return fd;
	if (fstat(fd, &about))
		err = -errno;
	else if (!S_ISREG(about.st_mode))
		err = S_ISDIR(about.st_mode) ? -EISDIR : -EINVAL;
	if (!err)
		return fd;
	close(fd);
	return err;
}

int inside_open_regular(int directory, const char *name)
{
	return inside_keep_regular(inside_open(directory, name, O_RDONLY, 0));
}

int inside_open_directory(int directory, const char *name)
{
	return inside_open(directory, name, O_RDONLY | O_DIRECTORY, 0);
}

const char *inside_next(DIR *list, int *err)
{
	struct dirent *entry;

	if (*err)
		return NULL;
	do {
		errno = 0;
		entry = readdir(list);
	} while (entry && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")));
	if (entry)
		return entry->d_name;
	*err = -errno;
	return NULL;
}

int inside_make_directory(int directory, const char *name, mode_t mode)
{
	__attribute__((cleanup(close_fd))) int opened = -1;
	const char *last;
	int holder = open_holder(directory, name, &opened, &last);

	if (holder < 0)
		return holder;
	return mkdirat(holder, last, mode) ? -errno : 0;
}

int inside_unlink(int directory, const char *name)
{
	__attribute__((cleanup(close_fd))) int opened = -1;
	const char *last;
	int holder = open_holder(directory, name, &opened, &last);

	if (holder < 0)
		return holder;
	return unlinkat(holder, last, 0) ? -errno : 0;
}

int inside_rename(int directory, const char *from, const char *to)
{
	__attribute__((cleanup(close_fd))) int opened_from = -1;
	__attribute__((cleanup(close_fd))) int opened_to = -1;
	const char *last_from, *last_to;
	int holder_from = open_holder(directory, from, &opened_from, &last_from);
	int holder_to = open_holder(directory, to, &opened_to, &last_to);

	if (holder_from < 0 || holder_to < 0)
		return holder_from < 0 ? holder_from : holder_to;
	return renameat(holder_from, last_from, holder_to, last_to) ? -errno : 0;
}

int inside_link(int from, int to, const char *name)
{
	__attribute__((cleanup(close_fd))) int opened_from = -1;
	__attribute__((cleanup(close_fd))) int opened_to = -1;
	const char *last;
	int holder_from = open_holder(from, name, &opened_from, &last);
	int holder_to = open_holder(to, name, &opened_to, &last);

	if (holder_from < 0 || holder_to < 0)
		return holder_from < 0 ? holder_from : holder_to;
	return linkat(holder_from, last, holder_to, last, 0) ? -errno : 0;
}

bool inside_is_same(int directory, const char *name, int fd)
{
	struct stat named, opened;

	return !fstatat(directory, name, &named, AT_SYMLINK_NOFOLLOW) && !fstat(fd, &opened) &&
	       named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

static int remove_all(int directory, unsigned int depth)
{
	__attribute__((cleanup(close_directory))) DIR *list = NULL;
	const char *name;
	int err = 0, list_err = 0, failed, fd;

	fd = inside_open_directory(directory, ".");
	if (fd < 0)
		return fd;
	list = fdopendir(fd);
	if (!list) {
		err = -errno;
		close(fd);
		return err;
	}
	while ((name = inside_next(list, &list_err))) {
		failed = unlinkat(directory, name, 0) ? -errno : 0;
		if ((failed == -EISDIR || failed == -EPERM) && depth) {
			fd = inside_open_directory(directory, name);
			if (fd >= 0) {
				failed = remove_all(fd, depth - 1);
				close(fd);
				if (!failed && unlinkat(directory, name, AT_REMOVEDIR))
					failed = -errno;
			}
		}
		err = err ? err : failed;
	}
	return err ? err : list_err;
}

int inside_remove_all(int directory)
{
	return remove_all(directory, DEPTH_MAX);
}

int inside_remove_directory(int directory, const char *name)
{
	int fd = inside_open_directory(directory, name), err;

	if (fd < 0)
		return fd;
	err = inside_remove_all(fd);
	close(fd);
	return !err && unlinkat(directory, name, AT_REMOVEDIR) ? -errno : err;
}
