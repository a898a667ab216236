// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The files of a capture that is being written. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/inside.h"
#include "capture/directory.h"
#include "capture/directory_remove.h"

#define RESERVE_BYTES (2 << 20)

/* Of tables; the umask applies. */
#define FILE_MODE 0644

int directory_fail(struct directory *directory, int err, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(directory->errmsg, sizeof(directory->errmsg), format, arguments);
	va_end(arguments);
	return -err;
}

static int fail_file(struct directory *directory, int err, const char *name)
{
	return directory_fail(directory, -err, "%s/%s: %s", directory->path, name, strerror(-err));
}

const char *directory_name(const struct directory *directory, const char *name, char *buffer,
			   size_t size)
{
	snprintf(buffer, size, "%s/%s", directory->path, name);
	return buffer;
}

const char *directory_stable_path(const struct directory *directory, char *buffer, size_t size)
{
	snprintf(buffer, size, "/proc/self/fd/%d", directory->fd);
	return buffer;
}

static int create_file(struct directory *directory, const char *name, mode_t mode)
{
	int fd = inside_unlink(directory->fd, name);

	if (!fd || fd == -ENOENT)
		fd = inside_open(directory->fd, name, O_WRONLY | O_CREAT | O_EXCL, mode);
	return fd < 0 ? fail_file(directory, fd, name) : fd;
}

/* The file may be there; it must be a file that this program made. */
static int append_to_file(struct directory *directory, const char *name)
{
	struct stat about;
	int fd = inside_open(directory->fd, name, O_WRONLY | O_APPEND | O_CREAT, FILE_MODE);
	int err = 0;

	if (fd < 0)
		return fail_file(directory, fd, name);
	if (fstat(fd, &about))
		err = -errno;
	else if (!S_ISREG(about.st_mode) || about.st_nlink > 1)
		err = -EINVAL;
	if (!err)
		return fd;
	close(fd);
	return fail_file(directory, err, name);
}

int directory_create(struct directory *directory, const char *name)
{
	/* Only the owner may see kernel addresses. */
	return create_file(directory, name, 0600);
}

int directory_read(struct directory *directory, const char *name)
{
	int fd = inside_open_regular(directory->fd, name);

	return fd < 0 ? fail_file(directory, fd, name) : fd;
}

FILE *directory_open(struct directory *directory, const char *name, bool to_append)
{
	int fd = to_append ? append_to_file(directory, name)
			   : create_file(directory, name, FILE_MODE);
	FILE *file = fd < 0 ? NULL : fdopen(fd, to_append ? "a" : "w");
	int err = -errno;

	if (!file && fd >= 0) {
		fail_file(directory, err, name);
		close(fd);
		fd = err;
	}
	if (!file)
		errno = -fd;
	return file;
}

gzFile directory_open_gz(struct directory *directory, const char *name, bool to_append)
{
	int fd = to_append ? append_to_file(directory, name)
			   : create_file(directory, name, FILE_MODE);
	gzFile file = fd < 0 ? NULL : gzdopen(fd, to_append ? "ab1" : "wb1");

	if (!file && fd >= 0) {
		fail_file(directory, -ENOMEM, name);
		close(fd);
	}
	return file;
}

int directory_close(struct directory *directory, FILE *file, const char *name)
{
	int err = ferror(file) ? -EIO : 0;

	errno = 0;
	if (fclose(file))
		err = errno ? -errno : -EIO;
	return err ? fail_file(directory, err, name) : 0;
}

int directory_rename(struct directory *directory, const char *from, const char *to)
{
	int err = inside_rename(directory->fd, from, to);

	return err ? fail_file(directory, err, to) : 0;
}

int directory_lock_metadata(int metadata)
{
	const struct timespec pause = { .tv_nsec = 20000000 };

	for (int i = 0; i < 20; i++) {
		if (!flock(metadata, LOCK_EX | LOCK_NB))
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		nanosleep(&pause, NULL);
	}
	return -EWOULDBLOCK;
}

int directory_lock(struct directory *directory)
{
	int err;

	directory->lock = directory_read(directory, "metadata");
	if (directory->lock < 0)
		return directory->lock;
	err = directory_lock_metadata(directory->lock);
	return err ? directory_fail(directory, -err, "%s/metadata: cannot be locked: %s",
				    directory->path, strerror(-err))
		   : 0;
}

void directory_unlock(struct directory *directory)
{
	if (directory->lock >= 0)
		close(directory->lock);
	directory->lock = -1;
}

bool directory_is_being_written(int fd)
{
	int metadata = inside_open_regular(fd, "metadata");
	bool locked;

	if (metadata < 0)
		return false;
	/* a shared lock: readers do not block each other */
	locked = flock(metadata, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
	close(metadata);
	return locked;
}

int directory_reserve(struct directory *directory)
{
	int fd, err;

	fd = directory_create(directory, DIRECTORY_RESERVE_NAME);
	if (fd < 0)
		return fd;
	directory->reserved = true;
	err = posix_fallocate(fd, 0, RESERVE_BYTES);
	close(fd);
	if (!err || err == EOPNOTSUPP || err == EINVAL)
		return 0;
	directory_release(directory);
	return directory_fail(
		directory, err,
		"%s: no room for the capture: %s: make room, or name another directory with -o; --max-disk limits a set of pieces",
		directory->target, strerror(err));
}

void directory_release(struct directory *directory)
{
	if (directory->reserved)
		inside_unlink(directory->fd, DIRECTORY_RESERVE_NAME);
	directory->reserved = false;
}
