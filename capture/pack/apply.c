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
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/inside.h"
#include "capture/directory.h"
#include "capture/directory_remove.h"
#include "capture/pack/apply.h"
#include "capture/parts.h"

#define NAME_SIZE 24 /* of a stream */

static int fail_convert_memory(struct convert *convert)
{
	return error_format(&convert->error, -ENOMEM, "kmemtrace-pack: %s", strerror(ENOMEM));
}

static int fail_packed_file(struct convert *convert, int err, const char *path, const char *name)
{
	return error_format(&convert->error, err, "%s%s%s: %s", path, *name ? "/" : "", name,
			    strerror(-err));
}

static int open_packed_directory(struct convert *convert, const struct capture *capture)
{
	int fd = open(capture->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? fail_packed_file(convert, -errno, capture->path, "") : fd;
}

/* After this, the names in the directory survive a power failure. */
static int sync_directory(struct convert *convert, int directory, const char *path)
{
	/* some file systems cannot sync a directory: EINVAL */
	return fsync(directory) && errno != EINVAL ? fail_packed_file(convert, -errno, path, "")
						   : 0;
}

/* Locks the capture against kmemtraced and other kmemtrace-pack processes. */
static int lock_capture(struct convert *convert, int directory, const char *path, int *fd)
{
	int err;

	*fd = inside_open_regular(directory, "metadata");
	if (*fd < 0)
		return fail_packed_file(convert, *fd, path, "metadata");
	err = directory_lock_metadata(*fd);
	if (err != -EWOULDBLOCK)
		return err ? fail_packed_file(convert, err, path, "metadata") : 0;
	return error_format(
		&convert->error, -EBUSY,
		"%s: another program is writing or packing the capture: wait until it ends", path);
}

static int open_packed_stream(struct convert *convert, int directory,
			      const struct capture_stream *stream, char name[NAME_SIZE])
{
	int fd;

	snprintf(name, NAME_SIZE, "cpu%u", stream->cpu);
	fd = inside_open_regular(directory, name);
	return fd < 0 ? fail_packed_file(convert, fd, stream->path, "") : fd;
}

/* Makes a file with the mode and, where permitted, the owner of the old file. Its fd or -errno. */
static int create_like(struct convert *convert, int directory, const char *path, int old)
{
	struct stat about;
	int fd;

	if (fstat(old, &about))
		return fail_packed_file(convert, -errno, path, "");
	/* a killed kmemtrace-pack may have left the file */
	inside_unlink(directory, DIRECTORY_PACK_NAME);
	fd = inside_open(directory, DIRECTORY_PACK_NAME, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		return fail_packed_file(convert, fd, path, DIRECTORY_PACK_NAME);
	if (fchown(fd, about.st_uid, about.st_gid)) {
		/* without the permission, the user who packs is the owner */
	}
	if (fchmod(fd, about.st_mode & 0777)) {
		int err = fail_packed_file(convert, -errno, path, DIRECTORY_PACK_NAME);

		close(fd);
		inside_unlink(directory, DIRECTORY_PACK_NAME);
		return err;
	}
	return fd;
}

static int replace_stream(struct convert *convert, int directory, const char *path,
			  const struct capture_stream *stream)
{
	uint64_t changed = convert->changed;
	char name[NAME_SIZE], temporary[4096];
	int err, fd, in = open_packed_stream(convert, directory, stream, name);

	if (in < 0)
		return in;
	snprintf(temporary, sizeof(temporary), "%s/%s", path, DIRECTORY_PACK_NAME);
	fd = create_like(convert, directory, path, in);
	if (fd < 0) {
		close(in);
		return fd;
	}
	err = convert_stream(convert, in, stream->path, fd, temporary);
	if (close(fd) && !err)
		err = fail_packed_file(convert, -errno, temporary, "");
	if (!err && convert->changed != changed) {
		err = inside_rename(directory, DIRECTORY_PACK_NAME, name);
		if (err)
			fail_packed_file(convert, err, stream->path, "");
	}
	if (err || convert->changed == changed)
		inside_unlink(directory, DIRECTORY_PACK_NAME);
	return err;
}

int apply_in_place(struct convert *convert, const struct capture *capture)
{
	__attribute__((cleanup(close_fd))) int directory = open_packed_directory(convert, capture);
	__attribute__((cleanup(close_fd))) int locked = -1;
	int err;

	if (directory < 0)
		return directory;
	err = lock_capture(convert, directory, capture->path, &locked);
	for (size_t i = 0; !err && i < capture->stream_count; i++)
		err = replace_stream(convert, directory, capture->path, &capture->streams[i]);
	return err ? err : sync_directory(convert, directory, capture->path);
}

/* Copies everything but the streams. */
static int copy_tables(struct convert *convert, const char *from_path, int from,
		       const struct directory *directory)
{
	struct file_copy copy = { .from = from, .to = directory->fd, .mode = 0600 };
	int err = copy_folder(&copy, "kernel");

	/* of a set, the first piece has the formats */
	if (!err && faccessat(from, "kernel/formats", F_OK, AT_SYMLINK_NOFOLLOW))
		unlinkat(directory->fd, "kernel/formats", AT_REMOVEDIR);
	/* of a piece of a set */
	if (!err && !faccessat(from, PARTS_CHECKPOINT, F_OK, AT_SYMLINK_NOFOLLOW))
		err = copy_folder(&copy, PARTS_CHECKPOINT);
	if (!err)
		err = copy_file(&copy, "metadata");
	return err ? fail_packed_file(convert, err,
				      copy.failed_in == from ? from_path : directory->path,
				      copy.failed)
		   : 0;
}

static int copy_stream(struct convert *convert, int from, const struct capture_stream *stream,
		       struct directory *directory)
{
	char name[NAME_SIZE], to[4096];
	int err, fd, in = open_packed_stream(convert, from, stream, name);

	if (in < 0)
		return in;
	fd = directory_create(directory, name);
	if (fd < 0) {
		close(in);
		return error_set(&convert->error, fd, directory->errmsg);
	}
	directory_name(directory, name, to, sizeof(to));
	err = convert_stream(convert, in, stream->path, fd, to);
	if (close(fd) && !err)
		err = fail_packed_file(convert, -errno, to, "");
	return err;
}

/* The streams first: they are large, and most likely to fill the disk. */
static int write_capture(struct convert *convert, const struct capture *capture,
			 struct directory *directory, struct anonymize *anonymize)
{
	__attribute__((cleanup(close_fd))) int from = open_packed_directory(convert, capture);
	int err = from < 0 ? from : 0;

	convert->anonymized = anonymize ? &anonymize->records : NULL;
	for (size_t i = 0; !err && i < capture->stream_count; i++)
		err = copy_stream(convert, from, &capture->streams[i], directory);
	if (!err && anonymize) {
		err = anonymize_files(anonymize, capture, from, directory);
		if (err)
			error_set(&convert->error, err, directory->errmsg);
	} else if (!err) {
		err = copy_tables(convert, capture->path, from, directory);
	}
	return err ? err : sync_directory(convert, directory->fd, directory->path);
}

static bool is_same(const char *one, const char *other)
{
	struct stat first, second;

	return !stat(one, &first) && !stat(other, &second) && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

int apply_to(struct convert *convert, const struct capture *capture, const char *output,
	     struct anonymize *anonymize)
{
	__attribute__((cleanup(free_text))) char *old = NULL;
	struct directory directory;
	int err;

	if (is_same(capture->path, output))
		return error_format(&convert->error, -EINVAL,
				    "-o %s: is the capture itself: omit -o to pack it in place",
				    output);
	if (asprintf(&old, "%s.old", output) < 0) {
		old = NULL;
		return fail_convert_memory(convert);
	}
	/* a capture at output is renamed to OUTPUT.old; an older OUTPUT.old is removed */
	if (is_same(capture->path, old))
		return error_format(
			&convert->error, -EINVAL,
			"-o %s: would remove %s, which has the name of an older capture: name another directory",
			output, capture->path);
	err = directory_probe(&directory, output);
	if (!err)
		err = directory_make(&directory);
	if (err)
		error_set(&convert->error, err, directory.errmsg);
	else
		err = write_capture(convert, capture, &directory, anonymize);
	if (!err) {
		err = directory_commit(&directory);
		if (err)
			error_set(&convert->error, err, directory.errmsg);
	}
	if (err)
		directory_abandon(&directory);
	directory_deinit(&directory);
	return err;
}
