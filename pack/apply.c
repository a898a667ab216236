// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Replaces files so that no crash loses data: a new stream is on disk before it replaces the old
 * one, and a new directory before it gets its name.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "pack/apply.h"
#include "capture/directory.h"
#include "capture/directory_remove.h"

static int fail_at(struct convert *convert, const char *path)
{
	int err = path ? -errno : -ENOMEM;

	return convert_fail(convert, err, "%s: %s", path ? path : "kmemtrace-pack", strerror(-err));
}

/* After this, the names in the directory survive a power failure. */
static int sync_directory(struct convert *convert, const char *path)
{
	__attribute__((cleanup(close_fd))) int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	/* some file systems cannot sync a directory: EINVAL */
	if (fd < 0 || (fsync(fd) && errno != EINVAL))
		return fail_at(convert, path);
	return 0;
}

/*
 * Locks the capture against kmemtraced and other kmemtrace-pack processes. A reader holds the lock
 * only for an instant, so that is worth some attempts.
 */
static int lock(struct convert *convert, const char *path, int *fd)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	__attribute__((cleanup(free_text))) char *name = join_path(path, "metadata");

	*fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
	if (*fd < 0)
		return fail_at(convert, name);
	for (int i = 0; i < 20; i++) {
		if (!flock(*fd, LOCK_EX | LOCK_NB))
			return 0;
		if (errno != EWOULDBLOCK)
			return fail_at(convert, name);
		nanosleep(&pause, NULL);
	}
	return convert_fail(
		convert, -EBUSY,
		"%s: another program is writing or packing the capture: wait until it ends", path);
}

/* Makes a file with the mode and, where permitted, the owner of the old file. Its fd or -errno. */
static int create_like(struct convert *convert, const char *path, const char *old)
{
	struct stat about;
	int fd;

	if (stat(old, &about))
		return fail_at(convert, old);
	/* a killed kmemtrace-pack may have left the file; O_EXCL never follows a link */
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail_at(convert, path);
	if (fchown(fd, about.st_uid, about.st_gid)) {
		/* without the permission, the owner is the user who packs */
	}
	if (fchmod(fd, about.st_mode & 0777)) {
		int err = fail_at(convert, path);

		close(fd);
		unlink(path);
		return err;
	}
	return fd;
}

static int replace_stream(struct convert *convert, const char *path, const char *temporary)
{
	uint64_t changed = convert->changed;
	int err, fd = create_like(convert, temporary, path);

	if (fd < 0)
		return fd;
	err = convert_stream(convert, path, fd, temporary);
	if (close(fd) && !err)
		err = fail_at(convert, temporary);
	if (!err && convert->changed != changed && rename(temporary, path))
		err = fail_at(convert, path);
	if (err || convert->changed == changed)
		unlink(temporary);
	return err;
}

int apply_in_place(struct convert *convert, const struct capture *capture)
{
	__attribute__((cleanup(free_text))) char *temporary =
		join_path(capture->path, DIRECTORY_PACK_NAME);
	__attribute__((cleanup(close_fd))) int locked = -1;
	int err;

	if (!temporary)
		return fail_at(convert, NULL);
	err = lock(convert, capture->path, &locked);
	for (size_t i = 0; !err && i < capture->stream_count; i++)
		err = replace_stream(convert, capture->streams[i].path, temporary);
	return err ? err : sync_directory(convert, capture->path);
}

static int copy_part(struct convert *convert, const char *from, const char *to,
		     int (*copy_function)(struct file_copy *copy, const char *from, const char *to))
{
	struct file_copy copy = { .mode = 0600 };
	int err = copy_function(&copy, from, to);

	return err ? convert_fail(convert, err, "%s: %s", copy.failed, strerror(-err)) : 0;
}

static int copy_stream(struct convert *convert, const char *from, const char *to)
{
	int err, fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return fail_at(convert, to);
	err = convert_stream(convert, from, fd, to);
	if (close(fd) && !err)
		err = fail_at(convert, to);
	return err;
}

/* The streams first: they are large, and most likely to fill the disk. */
static int write_capture(struct convert *convert, const struct capture *capture,
			 const struct directory *directory)
{
	static const char *const others[] = { "kernel", "metadata" };
	char to[4096], name[24];
	int err = 0;

	for (size_t i = 0; !err && i < capture->stream_count; i++) {
		snprintf(name, sizeof(name), "cpu%u", capture->streams[i].cpu);
		err = copy_stream(convert, capture->streams[i].path,
				  directory_name(directory, name, to, sizeof(to)));
	}
	for (size_t i = 0; !err && i < sizeof(others) / sizeof(*others); i++) {
		__attribute__((cleanup(free_text))) char *from =
			join_path(capture->path, others[i]);

		if (!from)
			return fail_at(convert, NULL);
		directory_name(directory, others[i], to, sizeof(to));
		err = copy_part(convert, from, to, i ? copy_file : copy_folder);
	}
	return err ? err : sync_directory(convert, directory->path);
}

static bool is_same(const char *one, const char *other)
{
	struct stat first, second;

	return !stat(one, &first) && !stat(other, &second) && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

int apply_to(struct convert *convert, const struct capture *capture, const char *output)
{
	__attribute__((cleanup(free_text))) char *old = NULL;
	struct directory directory;
	int err;

	if (is_same(capture->path, output))
		return convert_fail(convert, -EINVAL,
				    "-o %s: is the capture itself: omit -o to pack it in place",
				    output);
	if (asprintf(&old, "%s.old", output) < 0) {
		old = NULL;
		return fail_at(convert, NULL);
	}
	/* a capture at output is renamed to OUTPUT.old; an older OUTPUT.old is removed */
	if (is_same(capture->path, old))
		return convert_fail(
			convert, -EINVAL,
			"-o %s: would remove %s, which has the name of an older capture: "
			"name another directory",
			output, capture->path);
	err = directory_probe(&directory, output);
	if (!err)
		err = directory_make(&directory);
	if (err)
		convert_fail(convert, err, "%s", directory.errmsg);
	else
		err = write_capture(convert, capture, &directory);
	if (!err) {
		err = directory_commit(&directory);
		if (err)
			convert_fail(convert, err, "%s", directory.errmsg);
	}
	if (err)
		directory_abandon(&directory);
	directory_deinit(&directory);
	return err;
}
