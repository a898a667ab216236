// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Makes the result of kmemtrace-pack beside its target. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "capture/archive.h"
#include "capture/capture.h"
#include "capture/pack/staging.h"

#define NSEC_PER_SEC 1000000000ULL

int staging_begin(struct staging *staging, const char *target)
{
	struct stat about;
	int err;

	*staging = (struct staging){ .target = target, .scratch = { .fd = -1, .guard = -1 } };
	if (archive_is_name(target) && !lstat(target, &about) && !S_ISREG(about.st_mode))
		return error_format(&staging->error, -EEXIST,
				    "%s: exists and is not a file: name another file with -o",
				    target);
	if (!archive_is_name(target) && !lstat(target, &about))
		return error_format(&staging->error, -EEXIST,
				    "%s: exists: name a new directory with -o", target);
	err = scratch_directory_make(&staging->scratch, target, true);
	if (err)
		return error_format(&staging->error, err,
				    "%s: cannot make a directory beside it: %s", target,
				    strerror(-err));
	staging->directory = join_path(staging->scratch.path, "capture");
	return staging->directory ? 0 : error_set_at(&staging->error, -ENOMEM, target);
}

/* The last capture: of a set, its last piece. */
static int open_last(struct staging *staging, struct capture *capture)
{
	__attribute__((cleanup(free_text))) char *piece = NULL;
	unsigned int *numbers = NULL;
	size_t count = 0;
	int err = parts_list_started(staging->directory, &numbers, &count);

	if (!err && count)
		piece = parts_piece_path(staging->directory, numbers[count - 1]);
	free(numbers);
	if (!err)
		err = capture_open_alone(capture, piece ? piece : staging->directory);
	return err ? error_set_at(&staging->error, err, staging->target) : 0;
}

/* The same capture has the same name and time in each archive. */
static int write_archive(struct staging *staging, FILE *file, int directory)
{
	struct capture capture;
	const uint8_t *uuid = capture.metadata.uuid;
	struct error error = { 0 };
	char root[40];
	uint64_t time;
	int err = open_last(staging, &capture);

	if (err)
		return err;
	snprintf(root, sizeof(root), "capture-%02x%02x%02x%02x", uuid[0], uuid[1], uuid[2],
		 uuid[3]);
	time = (capture.metadata.wall_offset + capture.status.begin) / NSEC_PER_SEC;
	capture_close(&capture);
	err = archive_write(file, directory, root, time, &error);
	return err ? error_format(&staging->error, err, "%s: %s", staging->target, error.text) : 0;
}

static int make_staged_file(struct staging *staging, const char *path)
{
	__attribute__((cleanup(close_fd))) int directory =
		open(staging->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	struct stat about;
	int err, failed;

	if (!file || directory < 0) {
		err = error_set_at(&staging->error, -errno, staging->target);
		if (file)
			fclose(file);
		else
			close_fd(&fd);
		return err;
	}
	err = write_archive(staging, file, directory);
	if (!err && !fflush(file) && !fstat(fd, &about))
		staging->bytes = (uint64_t)about.st_size;
	failed = close_synced(file);
	if (!err && failed)
		err = error_set_at(&staging->error, failed, staging->target);
	return err;
}

static int move_old(struct staging *staging)
{
	__attribute__((cleanup(free_text))) char *old = NULL;
	struct stat about;

	if (asprintf(&old, "%s.old", staging->target) < 0) {
		old = NULL;
		return error_set_at(&staging->error, -ENOMEM, staging->target);
	}
	if (!lstat(old, &about) && !S_ISREG(about.st_mode))
		return error_format(&staging->error, -EEXIST, "%s: exists and is not a file", old);
	if (rename(staging->target, old) && errno != ENOENT)
		return error_set_at(&staging->error, -errno, old);
	return 0;
}

int staging_finish_file(struct staging *staging)
{
	__attribute__((cleanup(free_text))) char *path = join_path(staging->scratch.path, "file");
	int err = path ? make_staged_file(staging, path)
		       : error_set_at(&staging->error, -ENOMEM, staging->target);

	if (!err)
		err = move_old(staging);
	if (!err && rename(path, staging->target))
		err = error_set_at(&staging->error, -errno, staging->target);
	return err;
}

int staging_finish_directory(struct staging *staging)
{
	/* an empty directory that was made meanwhile is replaced, another one is not */
	if (rename(staging->directory, staging->target))
		return error_set_at(&staging->error, -errno, staging->target);
	return 0;
}

void staging_end(struct staging *staging)
{
	scratch_directory_remove(&staging->scratch);
	free(staging->directory);
	staging->directory = NULL;
}
