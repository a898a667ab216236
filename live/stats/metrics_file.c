// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes a temporary file beside the file, and renames it. The writer holds a lock on the file, so
 * that a second writer of the same path is refused. The text is not synced to the disk: after a
 * crash of the system, its figures are too old anyway.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/inside.h"
#include "live/stats/metrics_file.h"

#define MARK "# kmemtraced"
#define TEMPORARY ".tmp"

struct metrics_file {
	int directory;
	int written; /* the file in place, locked; -1: none was written */
	char *name, *temporary;
};

static void release_metrics_file(struct metrics_file *file)
{
	if (file->written >= 0)
		close(file->written);
	if (file->directory >= 0)
		close(file->directory);
	free(file->name);
	free(file->temporary);
	free(file);
}

static int open_metrics_directory(struct metrics_file *file, const char *path)
{
	__attribute__((cleanup(free_text))) char *copy = strdup(path);
	const char *slash = strrchr(path, '/');

	if (!copy)
		return -ENOMEM;
	file->name = strdup(slash ? slash + 1 : path);
	if (!file->name || asprintf(&file->temporary, "%s" TEMPORARY, file->name) < 0)
		return -ENOMEM;
	file->directory = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return file->directory < 0 ? -errno : 0;
}

/* Makes a new temporary file: the descriptor, or -errno. */
static int make_temporary(const struct metrics_file *file)
{
	int fd, err = inside_unlink(file->directory, file->temporary);

	if (err && err != -ENOENT)
		return err;
	fd = inside_open(file->directory, file->temporary, O_CREAT | O_EXCL | O_WRONLY,
			 METRICS_FILE_MODE);
	/* the umask applied */
	if (fd < 0 || !fchmod(fd, METRICS_FILE_MODE))
		return fd;
	err = -errno;
	close(fd);
	inside_unlink(file->directory, file->temporary);
	return err;
}

/* An existing file is replaced only if it has metrics of a kmemtraced that has ended. */
static int check_existing(const struct metrics_file *file, const char *path, struct error *error)
{
	char mark[sizeof(MARK) - 1];
	__attribute__((cleanup(close_fd))) int fd =
		inside_open_regular(file->directory, file->name);
	ssize_t got;

	if (fd == -ENOENT)
		return 0;
	if (fd < 0)
		return error_set_at(error, fd, path);
	if (flock(fd, LOCK_EX | LOCK_NB))
		return error_format(error, -EBUSY,
				    "%s: another kmemtraced writes it: choose another path", path);
	got = read(fd, mark, sizeof(mark));
	if (!got || (got == sizeof(mark) && !memcmp(mark, MARK, sizeof(mark))))
		return 0;
	return error_format(
		error, -EEXIST,
		"%s: exists and is not a file of kmemtraced, and is not replaced: choose another path",
		path);
}

int metrics_file_open(struct metrics_file **result, const char *path, struct error *error)
{
	struct metrics_file *file = calloc(1, sizeof(*file));
	int fd, err;

	if (!file)
		return error_set_at(error, -ENOMEM, path);
	file->directory = file->written = -1;
	err = open_metrics_directory(file, path);
	if (err)
		error_format(error, err, "%s: its directory: %s%s", path, strerror(-err),
			     err == -ENOENT ? ": make it first, or choose another path" : "");
	else
		err = check_existing(file, path, error);
	if (!err) {
		err = fd = make_temporary(file);
		if (fd >= 0) {
			close(fd);
			err = inside_unlink(file->directory, file->temporary);
		}
		if (err)
			error_set_at(error, err, path);
	}
	if (err)
		release_metrics_file(file);
	else
		*result = file;
	return err;
}

/*
 * Two writers may both start before either has written. So the second one finds the lock only here.
 * It opens the file for writing, since it has given up the right to read. A file that it cannot
 * open is of no other kmemtraced of this user.
 */
static int check_in_place(const struct metrics_file *file)
{
	__attribute__((cleanup(close_fd))) int fd = -1;

	if (file->written >= 0 && inside_is_same(file->directory, file->name, file->written))
		return 0;
	fd = inside_keep_regular(inside_open(file->directory, file->name, O_WRONLY, 0));
	return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) ? -errno : 0;
}

int metrics_file_write(struct metrics_file *file, const char *text, size_t size)
{
	static const char head[] = MARK "(8) --metrics: see its manual for the definitions\n";
	int err = check_in_place(file), fd = err ? err : make_temporary(file);

	if (fd < 0)
		return fd == -EWOULDBLOCK ? -EBUSY : fd;
	err = write_all(fd, head, sizeof(head) - 1);
	if (!err)
		err = write_all(fd, text, size);
	if (!err && flock(fd, LOCK_EX | LOCK_NB))
		err = -errno;
	if (!err)
		err = inside_rename(file->directory, file->temporary, file->name);
	if (err) {
		close(fd);
		inside_unlink(file->directory, file->temporary);
		return err;
	}
	if (file->written >= 0)
		close(file->written);
	file->written = fd;
	return 0;
}

int metrics_file_directory(const struct metrics_file *file)
{
	return file->directory;
}

bool metrics_file_is_foreign(const struct metrics_file *file)
{
	struct stat about;

	return fstat(file->directory, &about) || about.st_uid != geteuid() ||
	       !(about.st_mode & S_IWUSR);
}

int metrics_file_remove(struct metrics_file *file)
{
	int err = 0;

	if (!file)
		return 0;
	if (file->written >= 0 && inside_is_same(file->directory, file->name, file->written))
		err = inside_unlink(file->directory, file->name);
	release_metrics_file(file);
	return err;
}
