// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Makes the capture directory. Removes captures only, never other files. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/capture.h"
#include "capture/directory.h"

#define RESERVE_NAME ".reserve" /* hidden: visible files are streams or metadata */
#define RESERVE_BYTES (2 << 20)

__attribute__((format(printf, 3, 4))) static int fail(struct directory *directory, int err,
						      const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(directory->errmsg, sizeof(directory->errmsg), format, arguments);
	va_end(arguments);
	return -err;
}

const char *directory_name(const struct directory *directory, const char *name, char *buffer,
			   size_t size)
{
	snprintf(buffer, size, "%s/%s", directory->path, name);
	return buffer;
}

static bool holds(const char *path, const char *name)
{
	char *whole;
	bool found;

	if (asprintf(&whole, "%s/%s", path, name) < 0)
		return false;
	found = !access(whole, F_OK);
	free(whole);
	return found;
}

static bool is_capture(const char *path)
{
	return holds(path, "metadata") && holds(path, "kernel");
}

/* 1: empty, 0: not, or -errno. */
static int is_empty(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int empty = 1;

	if (!dir)
		return -errno;
	while (empty && (entry = readdir(dir)))
		empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
	closedir(dir);
	return empty;
}

/* Checks that the parent of target can be written, to make and rename the directory in it. */
static int check_parent(struct directory *directory)
{
	char *parent = strdup(directory->target), *slash;
	int err = 0;

	if (!parent)
		return fail(directory, ENOMEM, "%s", strerror(ENOMEM));
	slash = strrchr(parent, '/');
	if (slash)
		slash[slash == parent] = 0;
	if (access(slash ? parent : ".", W_OK | X_OK))
		err = fail(directory, errno,
			   "%s: its parent directory cannot be written: %s: "
			   "name another directory with -o",
			   directory->target, strerror(errno));
	free(parent);
	return err;
}

int directory_probe(struct directory *directory, const char *target)
{
	char *path;
	struct stat about;
	size_t length;
	int err;

	memset(directory, 0, sizeof(*directory));
	directory->lock = -1;
	path = directory->target = strdup(target);
	if (!path)
		return fail(directory, ENOMEM, "%s", strerror(ENOMEM));
	length = strlen(path);
	while (length > 1 && path[length - 1] == '/')
		path[--length] = 0;

	if (lstat(path, &about)) {
		if (errno != ENOENT)
			return fail(directory, errno, "%s: %s", path, strerror(errno));
		return check_parent(directory);
	}
	if (!S_ISDIR(about.st_mode))
		return fail(directory, ENOTDIR,
			    "%s: exists and is not a directory: "
			    "name another with -o",
			    path);
	if (is_capture(path))
		return capture_is_being_written(path)
			       ? fail(directory, EBUSY,
				      "%s: another program is writing it: name another "
				      "directory with -o",
				      path)
			       : check_parent(directory);
	err = is_empty(path);
	if (err < 0)
		return fail(directory, -err, "%s: %s", path, strerror(-err));
	if (!err)
		return fail(directory, ENOTEMPTY,
			    "%s: holds files that are not of a capture, and is "
			    "left alone: name another directory with -o",
			    path);
	if (access(path, W_OK | X_OK))
		return fail(directory, errno,
			    "%s: cannot be written: %s: name another directory "
			    "with -o",
			    path, strerror(errno));
	return 0;
}

enum part {
	TOP,
	KERNEL,
	FORMATS,
};

static bool is_part(enum part part, const char *name)
{
	static const char *const kernel[] = { "status", ".status", "symbols",  "caches",
					      "tasks",	"gfp",	   "topology", "slabinfo" };
	const char *end;

	switch (part) {
	case TOP:
		if (!strncmp(name, "cpu", 3) && name[3])
			return !name[3 + strspn(name + 3, "0123456789")];
		return !strcmp(name, "metadata") || !strcmp(name, RESERVE_NAME) ||
		       !strcmp(name, DIRECTORY_PACK_NAME);
	case KERNEL:
		for (size_t i = 0; i < sizeof(kernel) / sizeof(kernel[0]); i++)
			if (!strcmp(name, kernel[i]))
				return true;
		return false;
	case FORMATS:
		end = strrchr(name, '.');
		return end && !strcmp(end, ".format");
	}
	return false;
}

/*
 * Checks that a directory holds only files of a capture; if remove is set, removes them. 0 or
 * -errno. -ENOTEMPTY: it holds another file.
 */
static int clear_capture(const char *path, enum part part, bool remove)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char *whole;
	int err = 0;

	if (!dir)
		return -errno;
	while (!err && (entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (!strcmp(name, ".") || !strcmp(name, ".."))
			continue;
		if (asprintf(&whole, "%s/%s", path, name) < 0) {
			err = -ENOMEM;
			break;
		}
		if (part == TOP && !strcmp(name, "kernel"))
			err = clear_capture(whole, KERNEL, remove);
		else if (part == KERNEL && !strcmp(name, "formats"))
			err = clear_capture(whole, FORMATS, remove);
		else if (!is_part(part, name))
			err = -ENOTEMPTY;
		else if (remove && unlink(whole))
			err = -errno;
		free(whole);
	}
	closedir(dir);
	if (!err && remove && rmdir(path))
		err = -errno;
	return err;
}

static int move_older(struct directory *directory)
{
	char *old;
	int err = 0;

	if (asprintf(&old, "%s.old", directory->target) < 0)
		return fail(directory, ENOMEM, "%s", strerror(ENOMEM));
	if (!access(old, F_OK)) {
		err = clear_capture(old, TOP, false);
		if (!err)
			err = clear_capture(old, TOP, true);
		if (err)
			fail(directory, -err,
			     "%s: is in the way of the older capture and cannot be "
			     "removed: %s: move it away",
			     old, strerror(-err));
	}
	if (!err && rename(directory->target, old))
		err = fail(directory, errno, "%s: cannot be moved to %s: %s", directory->target,
			   old, strerror(errno));
	free(old);
	return err;
}

static int make_top(struct directory *directory)
{
	if (is_empty(directory->target) == 1) {
		directory->committed = directory->was_there = true;
		directory->path = strdup(directory->target);
		return directory->path ? 0 : -ENOMEM;
	}
	if (asprintf(&directory->path, "%s.XXXXXX", directory->target) < 0) {
		directory->path = NULL;
		return -ENOMEM;
	}
	/* mode 0700: a capture holds kernel addresses */
	return mkdtemp(directory->path) ? 0 : -errno;
}

int directory_make(struct directory *directory)
{
	char name[4096];
	int err;

	err = make_top(directory);
	if (err)
		return fail(directory, -err,
			    "%s: cannot be made: %s: name another directory with -o",
			    directory->target, strerror(-err));
	directory->made = true;
	if (mkdir(directory_name(directory, "kernel", name, sizeof(name)), 0700) ||
	    mkdir(directory_name(directory, "kernel/formats", name, sizeof(name)), 0700))
		return fail(directory, errno, "%s: cannot be made: %s", directory->target,
			    strerror(errno));
	return 0;
}

int directory_commit(struct directory *directory)
{
	char *path;
	int err = 0;

	if (directory->committed)
		return 0;
	if (is_capture(directory->target)) {
		if (capture_is_being_written(directory->target))
			return fail(directory, EBUSY, "%s: another program is writing it",
				    directory->target);
		err = move_older(directory);
	}
	if (err)
		return err;
	path = strdup(directory->target);
	if (!path)
		return fail(directory, ENOMEM, "%s", strerror(ENOMEM));
	if (rename(directory->path, directory->target)) {
		free(path);
		return fail(directory, errno, "%s: cannot be made: %s", directory->target,
			    strerror(errno));
	}
	free(directory->path);
	directory->path = path;
	directory->committed = true;
	return 0;
}

int directory_lock(struct directory *directory)
{
	char name[4096];

	directory->lock = open(directory_name(directory, "metadata", name, sizeof(name)),
			       O_RDONLY | O_CLOEXEC);
	if (directory->lock < 0 || flock(directory->lock, LOCK_EX))
		return fail(directory, errno, "%s: cannot be locked: %s", name, strerror(errno));
	return 0;
}

void directory_unlock(struct directory *directory)
{
	if (directory->lock >= 0)
		close(directory->lock);
	directory->lock = -1;
}

void directory_abandon(struct directory *directory)
{
	int err;

	if (!directory->made)
		return;
	directory_release(directory);
	err = clear_capture(directory->path, TOP, true);
	/* an empty directory that was there before stays */
	if (!err && directory->was_there)
		mkdir(directory->path, 0777);
	directory->made = false;
}

void directory_deinit(struct directory *directory)
{
	if (!directory->target)
		return;
	directory_unlock(directory);
	free(directory->path);
	free(directory->target);
	directory->path = directory->target = NULL;
}

FILE *directory_open(struct directory *directory, const char *name, const char *mode)
{
	char whole[4096];
	FILE *file = fopen(directory_name(directory, name, whole, sizeof(whole)), mode);

	if (!file)
		fail(directory, errno, "%s: %s", whole, strerror(errno));
	return file;
}

int directory_close(struct directory *directory, FILE *file, const char *name)
{
	int err = ferror(file) ? EIO : 0;

	errno = 0;
	if (fclose(file))
		err = errno ? errno : EIO;
	if (err)
		return fail(directory, err, "%s/%s: %s", directory->path, name, strerror(err));
	return 0;
}

int directory_reserve(struct directory *directory)
{
	char name[4096];
	int fd, err;

	fd = open(directory_name(directory, RESERVE_NAME, name, sizeof(name)),
		  O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail(directory, errno, "%s: %s", name, strerror(errno));
	err = posix_fallocate(fd, 0, RESERVE_BYTES);
	close(fd);
	if (err && err != EOPNOTSUPP && err != EINVAL) {
		unlink(name);
		return fail(directory, err, "%s: no room for the capture: %s", directory->target,
			    strerror(err));
	}
	directory->reserved = true;
	return 0;
}

void directory_release(struct directory *directory)
{
	char name[4096];

	if (directory->reserved)
		unlink(directory_name(directory, RESERVE_NAME, name, sizeof(name)));
	directory->reserved = false;
}
