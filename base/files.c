// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads and copies whole files. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/inside.h"

#define UNKNOWN_SIZE 4096 /* bytes, at first, for a file of /proc, whose size is 0 */

char *join_path(const char *directory, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

char *absolute_path(const char *path)
{
	char *directory, *absolute;

	if (*path == '/')
		return strdup(path);
	directory = getcwd(NULL, 0);
	absolute = directory ? join_path(directory, path) : NULL;
	free(directory);
	return absolute;
}

/* Doubles the space, up to max bytes and a NUL. */
static int grow_text(char **text, size_t *space, size_t max)
{
	size_t larger = *space - 1 > max / 2 ? max + 1 : 2 * *space;
	char *grown;

	if (*space > max)
		return -EFBIG;
	grown = realloc(*text, larger);
	if (!grown)
		return -ENOMEM;
	*text = grown;
	*space = larger;
	return 0;
}

/* Reads to the end of the file. The last byte of the space is for the NUL. */
static int read_all(int fd, size_t max, char **text, size_t space, size_t *size)
{
	char more;
	int err;

	for (*size = 0;;) {
		size_t room = space - 1 - *size;
		ssize_t got = room ? read(fd, *text + *size, room) : read(fd, &more, 1);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : 0;
		if (room) {
			*size += (size_t)got;
			continue;
		}
		err = grow_text(text, &space, max);
		if (err)
			return err;
		(*text)[(*size)++] = more;
	}
}

bool error_is_shortage(int err)
{
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE;
}

bool error_is_unavailable(int err)
{
	return err == -ENOENT || err == -EACCES || err == -EPERM || err == -ENODEV ||
	       err == -ENOSYS || err == -ESRCH;
}

int open_regular_file(int directory, const char *name)
{
	/* Without O_NONBLOCK, opening a pipe would block. */
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return inside_keep_regular(fd < 0 ? -errno : fd);
}

int read_file(int directory, const char *name, size_t max, char **text, size_t *size)
{
	__attribute__((cleanup(close_fd))) int fd = -1;
	__attribute__((cleanup(free_text))) char *bytes = NULL;
	struct stat about;
	size_t space, length;
	int err;

	fd = open_regular_file(directory, name);
	if (fd < 0)
		return fd;
	if (fstat(fd, &about))
		return -errno;
	if ((uint64_t)about.st_size > max)
		return -EFBIG;
	space = (about.st_size	      ? (size_t)about.st_size
		 : max < UNKNOWN_SIZE ? max
				      : UNKNOWN_SIZE) +
		1;
	bytes = malloc(space);
	if (!bytes)
		return -ENOMEM;
	err = read_all(fd, max, &bytes, space, &length);
	if (err)
		return err;
	bytes[length] = '\0';
	*text = bytes;
	bytes = NULL;
	if (size)
		*size = length;
	return 0;
}

/* Notes the name that the error belongs to. */
static int copy_failed(struct file_copy *copy, int in, const char *name, int err)
{
	copy->failed_in = in;
	snprintf(copy->failed, sizeof(copy->failed), "%s", name);
	return err;
}

int copy_file(struct file_copy *copy, const char *name)
{
	__attribute__((cleanup(close_fd))) int in = inside_open_regular(copy->from, name);
	__attribute__((cleanup(close_fd))) int out = -1;
	char bytes[65536];
	ssize_t got;
	int err;

	if (in < 0)
		return copy_failed(copy, copy->from, name, in);
	out = inside_open(copy->to, name, O_WRONLY | O_CREAT | O_EXCL, copy->mode);
	if (out < 0)
		return copy_failed(copy, copy->to, name, out);
	while ((got = read(in, bytes, sizeof(bytes))) > 0) {
		err = write_all(out, bytes, (size_t)got);
		if (err)
			return copy_failed(copy, copy->to, name, err);
	}
	if (got < 0)
		return copy_failed(copy, copy->from, name, -errno);
	return fsync(out) ? copy_failed(copy, copy->to, name, -errno) : 0;
}

static int copy_entry(struct file_copy *copy, int folder, const char *entry, const char *name)
{
	struct stat about;

	if (entry[0] == '.' || fstatat(folder, entry, &about, AT_SYMLINK_NOFOLLOW) ||
	    (copy->except && !strcmp(entry, copy->except)))
		return 0;
	if (S_ISDIR(about.st_mode))
		return copy_folder(copy, name);
	return S_ISREG(about.st_mode) ? copy_file(copy, name) : 0;
}

int copy_folder(struct file_copy *copy, const char *name)
{
	__attribute__((cleanup(close_directory))) DIR *folder = NULL;
	const char *entry;
	int fd, err, list_err = 0;

	err = inside_make_directory(copy->to, name, 0700);
	if (err && err != -EEXIST)
		return copy_failed(copy, copy->to, name, err);
	fd = inside_open_directory(copy->from, name);
	if (fd < 0)
		return fd == -ENOENT ? 0 : copy_failed(copy, copy->from, name, fd);
	folder = fdopendir(fd);
	if (!folder) {
		err = copy_failed(copy, copy->from, name, -errno);
		close(fd);
		return err;
	}
	while ((entry = inside_next(folder, &list_err))) {
		__attribute__((cleanup(free_text))) char *inner = join_path(name, entry);

		err = inner ? copy_entry(copy, dirfd(folder), entry, inner)
			    : copy_failed(copy, copy->from, name, -ENOMEM);
		if (err)
			return err;
	}
	return list_err ? copy_failed(copy, copy->from, name, list_err) : 0;
}

int write_all(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size) {
		ssize_t done = write(fd, at, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -errno : -EIO;
		at += done;
		size -= (size_t)done;
	}
	return 0;
}

int close_synced(FILE *file)
{
	int err = 0;

	if (fflush(file) || fsync(fileno(file)))
		err = -errno;
	if (fclose(file) && !err)
		err = -errno;
	return err;
}
