// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Unpacks a capture that is one file, for programs that read its directory. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/text.h"
#include "capture/archive.h"
#include "capture/capture_file.h"

int capture_file_read(struct capture_file *file, FILE *input, const char *name, bool guarded)
{
	int err;

	*file = (struct capture_file){ .scratch = { .fd = -1, .guard = -1 }, .path = name };
	err = scratch_directory_make_temporary(&file->scratch, guarded);
	if (err)
		return error_format(
			&file->error, err == -EBADMSG ? -EIO : err,
			"%s: cannot make a temporary directory: %s: set TMPDIR to a directory that is writable",
			name, strerror(-err));
	file->is_archive = true;
	file->path = file->scratch.path;
	return archive_unpack(input, name, file->scratch.fd, &file->error);
}

/* An open archive, or NULL: another kind of file, a directory, or nothing that can be read. */
static FILE *open_archive(const char *path)
{
	char first[ARCHIVE_BLOCK];
	int fd = open_regular_file(AT_FDCWD, path);
	ssize_t got = fd < 0 ? 0 : pread(fd, first, sizeof(first), 0);
	FILE *file = got > 0 && archive_has_magic(first, (size_t)got) ? fdopen(fd, "r") : NULL;

	if (!file)
		close_fd(&fd);
	return file;
}

int capture_file_open(struct capture_file *file, const char *path, bool guarded)
{
	__attribute__((cleanup(close_file))) FILE *archive = open_archive(path);

	*file = (struct capture_file){ .scratch = { .fd = -1, .guard = -1 }, .path = path };
	return archive ? capture_file_read(file, archive, path, guarded) : 0;
}

void capture_file_close(struct capture_file *file)
{
	scratch_directory_remove(&file->scratch);
}

void capture_file_show(const struct capture_file *file, const char *name, char *text, size_t size)
{
	if (file->is_archive)
		text_replace(text, size, file->scratch.path, name);
}
