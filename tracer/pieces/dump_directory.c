// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The request is a file of lines: "pieces FIRST LAST" and "trigger TEXT". */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/inside.h"
#include "base/text.h"
#include "tracer/pieces/dumps.h"

#define REQUEST ".request"
#define REQUEST_BYTES_MAX 4096
#define NAMES_MAX 100 /* of dumps in one second */

int dump_directory_open_parent(const char *set_path, const char **name)
{
	const char *slash = strrchr(set_path, '/');
	char *parent = strndup(set_path, (size_t)(slash - set_path) + 1);
	int fd = parent ? open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int err = fd < 0 ? -errno : 0;

	free(parent);
	*name = slash + 1;
	return err ? err : fd;
}

static void set_path_of(struct dump_directory *directory, const char *set_path)
{
	const char *slash = strrchr(set_path, '/');

	snprintf(directory->path, sizeof(directory->path), "%.*s%s", (int)(slash - set_path + 1),
		 set_path, directory->name);
}

static int open_new(struct dump_directory *directory)
{
	directory->fd = inside_open_directory(directory->parent, directory->new_name);
	if (directory->fd < 0)
		return directory->fd;
	return flock(directory->fd, LOCK_EX | LOCK_NB) ? -errno : 0;
}

static int write_request(const struct dump_directory *directory, const struct dump_request *request)
{
	int fd = inside_open(directory->fd, REQUEST, O_WRONLY | O_CREAT | O_EXCL, 0644), err;
	FILE *file;

	if (fd < 0)
		return fd;
	file = fdopen(fd, "w");
	if (!file) {
		close(fd);
		return -ENOMEM;
	}
	fprintf(file, "pieces %u %u\ntrigger ", request->first, request->last);
	text_write_rest(file, request->trigger);
	putc('\n', file);
	err = text_write_result(file);
	errno = 0;
	return fclose(file) && !err ? (errno ? -errno : -EIO) : err;
}

static void read_request(const struct dump_directory *directory, struct dump_request *request)
{
	__attribute__((cleanup(free_text))) char *text = NULL;
	const char *at;
	struct line line;
	uint32_t first, last;

	*request = (struct dump_request){ 0 };
	if (read_file(directory->fd, REQUEST, REQUEST_BYTES_MAX, &text, NULL))
		return;
	at = text;
	while (line_next(&line, &at)) {
		if (line_key(&line, "trigger")) {
			line_rest(&line, request->trigger, sizeof(request->trigger));
		} else if (line_key(&line, "pieces") && line_u32(&line, &first) &&
			   line_u32(&line, &last)) {
			request->first = first;
			request->last = last;
		}
	}
}

/* Several dumps may be written in one second. */
static int make_named(struct dump_directory *directory, const char *set_name, const char *stamp,
		      unsigned int number)
{
	char suffix[16] = "";

	if (number > 1)
		snprintf(suffix, sizeof(suffix), ".%u", number);
	if (snprintf(directory->name, sizeof(directory->name), "%s.dump.%s%s", set_name, stamp,
		     suffix) >= NAME_MAX - (int)sizeof(DUMP_NEW))
		return -ENAMETOOLONG;
	snprintf(directory->new_name, sizeof(directory->new_name), "%.240s" DUMP_NEW,
		 directory->name);
	return faccessat(directory->parent, directory->name, F_OK, AT_SYMLINK_NOFOLLOW)
		       ? inside_make_directory(directory->parent, directory->new_name, 0700)
		       : -EEXIST;
}

int dump_directory_make(struct dump_directory *directory, const char *set_path,
			const struct dump_request *request)
{
	char stamp[40];
	const char *set_name;
	time_t now = time(NULL);
	int err = -EEXIST;
	struct tm utc;

	*directory = (struct dump_directory){ .fd = -1 };
	snprintf(directory->path, sizeof(directory->path), "%s", set_path);
	directory->parent = dump_directory_open_parent(set_path, &set_name);
	if (directory->parent < 0)
		return directory->parent;
	gmtime_r(&now, &utc);
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &utc);
	for (unsigned int i = 1; i < NAMES_MAX && err == -EEXIST; i++)
		err = make_named(directory, set_name, stamp, i);
	set_path_of(directory, set_path);
	if (!err)
		err = open_new(directory);
	return err ? err : write_request(directory, request);
}

int dump_directory_open(struct dump_directory *directory, const char *set_path,
			const char *new_name, struct dump_request *request)
{
	const char *set_name;
	int err;

	*directory = (struct dump_directory){ .fd = -1 };
	directory->parent = dump_directory_open_parent(set_path, &set_name);
	snprintf(directory->new_name, sizeof(directory->new_name), "%s", new_name);
	snprintf(directory->name, sizeof(directory->name), "%.*s",
		 (int)(strlen(directory->new_name) - strlen(DUMP_NEW)), new_name);
	set_path_of(directory, set_path);
	if (directory->parent < 0)
		return directory->parent;
	err = open_new(directory);
	if (!err)
		read_request(directory, request);
	return err;
}

int dump_directory_finish(struct dump_directory *directory)
{
	int err = inside_unlink(directory->fd, REQUEST);

	if (err == -ENOENT)
		err = 0;
	if (!err && syncfs(directory->fd))
		err = -errno;
	if (!err)
		err = inside_rename(directory->parent, directory->new_name, directory->name);
	if (!err && fsync(directory->parent))
		err = -errno;
	return err;
}

void dump_directory_abandon(struct dump_directory *directory)
{
	if (directory->fd >= 0)
		inside_remove_directory(directory->parent, directory->new_name);
}

void dump_directory_close(struct dump_directory *directory)
{
	if (directory->fd >= 0)
		close(directory->fd);
	if (directory->parent >= 0)
		close(directory->parent);
	directory->fd = directory->parent = -1;
}
