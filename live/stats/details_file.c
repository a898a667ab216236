// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The generation is written after its text and the size of it, and a slot is overwritten two
 * generations later: so a text is whole if the generation did not change while it was copied.
 * details_file.pml is a model of this.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/inside.h"
#include "live/stats/details_file.h"

#define READS_MAX 100

struct details_file {
	int directory, fd;
	char *name;
	uint64_t generation;
};

static off_t slot_of(uint64_t generation)
{
	return (off_t)(DETAILS_FILE_SLOT_FIRST + (generation & 1) * DETAILS_FILE_TEXT_MAX);
}

static off_t offset_of_bytes(uint64_t generation)
{
	return (off_t)(offsetof(struct details_file_head, bytes) +
		       (generation & 1) * sizeof(uint64_t));
}

/* The barrier keeps the writes in order: copies by the kernel have no order. */
static int write_at(int fd, const void *data, size_t size, off_t offset)
{
	const char *at = data;

	__sync_synchronize();
	while (size) {
		ssize_t put = pwrite(fd, at, size, offset);

		if (put < 0 && errno != EINTR)
			return -errno;
		if (put <= 0)
			continue;
		at += put;
		offset += put;
		size -= (size_t)put;
	}
	return 0;
}

static int set_owner(int fd, gid_t group)
{
	bool shared = group != (gid_t)-1;

	if (shared && fchown(fd, (uid_t)-1, group))
		return -errno;
	return fchmod(fd, shared ? 0640 : 0600) ? -errno : 0;
}

int details_file_remove_earlier(int directory, const char *name)
{
	struct details_file_head head = { 0 };
	__attribute__((cleanup(close_fd))) int fd = inside_open_regular(directory, name);

	if (fd == -ENOENT)
		return 0;
	if (fd < 0)
		return fd;
	if (pread(fd, &head, sizeof(head), 0) < 0)
		return -errno;
	/* a writer that ended early has left an empty one */
	return head.magic && head.magic != DETAILS_FILE_MAGIC ? -EEXIST
							      : inside_unlink(directory, name);
}

int details_file_create(struct details_file **result, int directory, const char *name, gid_t group)
{
	const struct details_file_head head = { .magic = DETAILS_FILE_MAGIC,
						.version = DETAILS_FILE_VERSION };
	struct details_file *file = calloc(1, sizeof(*file));
	int err = file ? details_file_remove_earlier(directory, name) : -ENOMEM;

	if (err) {
		free(file);
		return err;
	}
	file->directory = directory;
	file->name = strdup(name);
	file->fd = inside_open(directory, name, O_CREAT | O_EXCL | O_RDWR, 0600);
	err = !file->name ? -ENOMEM : file->fd < 0 ? file->fd : set_owner(file->fd, group);
	if (!err)
		err = write_at(file->fd, &head, sizeof(head), 0);
	if (err)
		details_file_remove(file);
	else
		*result = file;
	return err;
}

int details_file_write(struct details_file *file, const char *text, size_t size)
{
	const uint64_t generation = file->generation + 1, bytes = size;
	int err;

	if (size > DETAILS_FILE_TEXT_MAX)
		return -EFBIG;
	err = write_at(file->fd, text, size, slot_of(generation));
	if (!err)
		err = write_at(file->fd, &bytes, sizeof(bytes), offset_of_bytes(generation));
	if (!err)
		err = write_at(file->fd, &generation, sizeof(generation),
			       offsetof(struct details_file_head, generation));
	if (!err)
		file->generation = generation;
	return err;
}

int details_file_remove(struct details_file *file)
{
	int err = 0;

	if (!file)
		return 0;
	if (file->fd >= 0 && file->name && inside_is_same(file->directory, file->name, file->fd))
		err = inside_unlink(file->directory, file->name);
	if (file->fd >= 0)
		close(file->fd);
	free(file->name);
	free(file);
	return err;
}

/* In order, as write_at(). 0, -EBADMSG: the file is shorter; or another -errno. */
static int read_at(int fd, void *data, size_t size, off_t offset)
{
	char *at = data;

	__sync_synchronize();
	while (size) {
		ssize_t got = pread(fd, at, size, offset);

		if (!got)
			return -EBADMSG;
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got < 0)
			continue;
		at += got;
		offset += got;
		size -= (size_t)got;
	}
	return 0;
}

static int read_head(int fd, struct details_file_head *head)
{
	int err = read_at(fd, head, sizeof(*head), 0);

	if (err)
		return err;
	if (head->magic != DETAILS_FILE_MAGIC)
		return -EBADMSG;
	if (head->version != DETAILS_FILE_VERSION)
		return -EPROTONOSUPPORT;
	return head->generation ? 0 : -EAGAIN;
}

/* 0, -EAGAIN: the text was replaced meanwhile; or another -errno. */
static int read_text(int fd, char **text)
{
	struct details_file_head head, after;
	int err = read_head(fd, &head);
	uint64_t bytes;
	char *more;

	if (!err)
		err = read_at(fd, &bytes, sizeof(bytes), offset_of_bytes(head.generation));
	if (!err && bytes > DETAILS_FILE_TEXT_MAX)
		err = -EBADMSG;
	if (err)
		return err;
	more = realloc(*text, bytes + 1);
	if (!more)
		return -ENOMEM;
	*text = more;
	err = read_at(fd, more, bytes, slot_of(head.generation));
	more[bytes] = '\0';
	if (!err)
		err = read_head(fd, &after);
	return err || after.generation == head.generation ? err : -EAGAIN;
}

int details_file_read(const char *path, char **text)
{
	__attribute__((cleanup(close_fd))) int fd = open_regular_file(AT_FDCWD, path);
	int err = fd < 0 ? fd : -EAGAIN;

	*text = NULL;
	for (int i = 0; i < READS_MAX && err == -EAGAIN; i++)
		err = read_text(fd, text);
	if (err) {
		free(*text);
		*text = NULL;
	}
	return err;
}
