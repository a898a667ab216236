// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A capture packed so that it is never lost: a stream is whole on the disk before the old one
 * goes, and a new directory before it gets its name.
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

static int fail_at(struct convert *convert, const char *path)
{
	int err = path ? -errno : -ENOMEM;

	return convert_fail(convert, err, "%s: %s", path ? path : "kmemtrace-pack", strerror(-err));
}

/* A name that is in the directory now is there after a power failure too. */
static int sync_directory(struct convert *convert, const char *path)
{
	__attribute__((cleanup(close_fd))) int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	/* some file systems cannot: then it is theirs */
	if (fd < 0 || (fsync(fd) && errno != EINVAL))
		return fail_at(convert, path);
	return 0;
}

/* Nobody writes it, repairs it or packs it meanwhile; a reader's look lasts a moment. */
static int lock(struct convert *convert, const char *path, int *fd)
{
	const struct timespec moment = { .tv_nsec = 20000000 };
	__attribute__((cleanup(free_text))) char *name = join_path(path, "metadata");

	*fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
	if (*fd < 0)
		return fail_at(convert, name);
	for (int i = 0; i < 20; i++) {
		if (!flock(*fd, LOCK_EX | LOCK_NB))
			return 0;
		if (errno != EWOULDBLOCK)
			return fail_at(convert, name);
		nanosleep(&moment, NULL);
	}
	return convert_fail(convert, -EBUSY,
			    "%s: another program is writing or packing it: wait until it has ended",
			    path);
}

/* The new stream has the old one's owner, as far as may be, and its mode. */
static int make_like(const char *path, const char *old, struct convert *convert)
{
	struct stat about;
	int fd;

	if (stat(old, &about))
		return fail_at(convert, old);
	/* what a packing left behind that was killed; never through a link */
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail_at(convert, path);
	if (fchown(fd, about.st_uid, about.st_gid)) {
		/* Then it is the one's who packs. */
	}
	if (fchmod(fd, about.st_mode & 0777)) {
		int err = fail_at(convert, path);

		close(fd);
		unlink(path);
		return err;
	}
	return fd;
}

static int replace_stream(struct convert *convert, const char *path, const char *beside)
{
	uint64_t changed = convert->changed;
	int err, fd = make_like(beside, path, convert);

	if (fd < 0)
		return fd;
	err = convert_stream(convert, path, fd, beside);
	if (close(fd) && !err)
		err = fail_at(convert, beside);
	if (!err && convert->changed != changed && rename(beside, path))
		err = fail_at(convert, path);
	if (err || convert->changed == changed)
		unlink(beside);
	return err;
}

int apply_in_place(struct convert *convert, const struct capture *capture)
{
	__attribute__((cleanup(free_text))) char *beside =
		join_path(capture->path, DIRECTORY_PACK_NAME);
	__attribute__((cleanup(close_fd))) int locked = -1;
	int err;

	if (!beside)
		return fail_at(convert, NULL);
	err = lock(convert, capture->path, &locked);
	for (size_t i = 0; !err && i < capture->stream_count; i++)
		err = replace_stream(convert, capture->streams[i].path, beside);
	return err ? err : sync_directory(convert, capture->path);
}

/* Into another directory. */

static int copy_part(struct convert *convert, const char *from, const char *to,
		     int (*copy_it)(struct file_copy *copy, const char *from, const char *to))
{
	struct file_copy copy = { .mode = 0600 };
	int err = copy_it(&copy, from, to);

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

/* The streams first: if there is no room, it is for them. */
static int fill(struct convert *convert, const struct capture *capture,
		const struct directory *directory)
{
	static const char *const rest[] = { "kernel", "metadata" };
	char to[4096], name[24];
	int err = 0;

	for (size_t i = 0; !err && i < capture->stream_count; i++) {
		snprintf(name, sizeof(name), "cpu%u", capture->streams[i].cpu);
		err = copy_stream(convert, capture->streams[i].path,
				  directory_name(directory, name, to, sizeof(to)));
	}
	for (size_t i = 0; !err && i < sizeof(rest) / sizeof(*rest); i++) {
		__attribute__((cleanup(free_text))) char *from = join_path(capture->path, rest[i]);

		if (!from)
			return fail_at(convert, NULL);
		directory_name(directory, rest[i], to, sizeof(to));
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
				    "-o %s: is the capture itself: without -o it is replaced",
				    output);
	if (asprintf(&old, "%s.old", output) < 0) {
		old = NULL;
		return fail_at(convert, NULL);
	}
	/* what is at output may be moved there, and what is there removed */
	if (is_same(capture->path, old))
		return convert_fail(convert, -EINVAL,
				    "-o %s: would take %s for an older capture and remove it: name "
				    "another directory",
				    output, capture->path);
	err = directory_probe(&directory, output);
	if (!err)
		err = directory_make(&directory);
	if (err)
		convert_fail(convert, err, "%s", directory.errmsg);
	else
		err = fill(convert, capture, &directory);
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
