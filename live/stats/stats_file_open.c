// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Opens the statistics file of a path and checks it, or says why it cannot be read. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/stats/stats_file_lock.h"
#include "live/stats/stats_file_open.h"

int stats_file_fail(struct stats_file_view *view, int err, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(view->errmsg, sizeof(view->errmsg), format, arguments);
	va_end(arguments);
	return -err;
}

int stats_file_fail_damaged(struct stats_file_view *view, const char *path, const char *what)
{
	return stats_file_fail(
		view, EBADMSG,
		"%s: is damaged: %s: stop the kmemtraced that publishes there, and start it again",
		path, what);
}

/* The problem ends with "... with", before the command that publishes. */
static int fail_absent(struct stats_file_view *view, const char *path, const char *problem)
{
	bool is_default = !strcmp(path, STATS_FILE_PATH);

	return stats_file_fail(view, ENOENT, "%s: %s 'kmemtraced --publish%s%s', as root", path,
			       problem, is_default ? "" : "=", is_default ? "" : path);
}

/* A component of the path is not a directory: names it. */
static int fail_no_directory(struct stats_file_view *view, const char *path)
{
	const char *end = path;
	struct stat about;
	char part[400];

	do {
		end += strspn(end, "/");
		end += strcspn(end, "/");
		if (snprintf(part, sizeof(part), "%.*s", (int)(end - path), path) >=
			    (int)sizeof(part) ||
		    stat(part, &about))
			break;
	} while (*end && S_ISDIR(about.st_mode));
	return stats_file_fail(
		view, ENOTDIR,
		"%s: %s is not a directory, so nothing can be published there: remove it, or publish at another path",
		path, part);
}

static int fail_open(struct stats_file_view *view, const char *path, int err)
{
	switch (err) {
	case ENOTDIR:
		return fail_no_directory(view, path);
	case ENOENT:
		return fail_absent(view, path, "nothing is published there: start with");
	case EACCES:
	case EPERM:
		return stats_file_fail(
			view, EACCES,
			"%s: permission denied: only its owner may read it, and the group that kmemtraced --publish-group names",
			path);
	default:
		return stats_file_fail(view, err, "%s: %s", path, strerror(err));
	}
}

void stats_file_close(struct stats_file_reader *reader)
{
	if (reader->file >= 0)
		close(reader->file);
	reader->file = -1;
	reader->text_bytes = 0;
}

int stats_file_copy(struct stats_file_view *view, const char *path, void *to, size_t bytes,
		    uint64_t offset)
{
	for (size_t have = 0; have < bytes;) {
		ssize_t got = pread(view->reader->file, (char *)to + have, bytes - have,
				    (off_t)(offset + have));

		if (!got)
			return stats_file_fail_damaged(view, path, "it is too short");
		if (got < 0 && errno != EINTR)
			return stats_file_fail(view, errno, "%s: %s", path, strerror(errno));
		if (got > 0)
			have += (size_t)got;
	}
	return 0;
}

static int check_head(struct stats_file_view *view, const char *path,
		      const struct stats_file_head *head, const struct stat *about)
{
	struct stats_file_reader *reader = view->reader;

	if (head->magic != STATS_FILE_MAGIC)
		return stats_file_fail(view, EBADMSG,
				       "%s: is not a statistics file of kmemtraced --publish",
				       path);
	if (head->version != STATS_FILE_VERSION)
		return stats_file_fail(
			view, EPROTONOSUPPORT,
			"%s: has version %u, but this libmemstat reads version %u: use kmemtraced and libmemstat of the same release",
			path, head->version, STATS_FILE_VERSION);
	if (head->head_bytes != sizeof(*head) || !head->cpus || head->cpus > STATS_FILE_CPUS_MAX ||
	    !head->types || head->types > STATS_FILE_TYPES_MAX)
		return stats_file_fail_damaged(view, path, "its header is wrong");
	stats_file_layout(&reader->layout, head->cpus, head->types);
	if (head->type_more_bytes > STATS_FILE_TYPE_MORE_MAX || head->type_more_bytes % 8)
		return stats_file_fail_damaged(view, path, "its header is wrong");
	stats_file_layout_more(&reader->layout, head->type_more_bytes);
	if (head->text_bytes != reader->layout.text_bytes)
		return stats_file_fail_damaged(view, path, "its header is wrong");
	if (about->st_size < 0 || (uint64_t)about->st_size < reader->layout.bytes)
		return stats_file_fail_damaged(view, path, "it is too short");
	return 0;
}

static int open_view(struct stats_file_view *view, const char *path)
{
	struct stats_file_reader *reader = view->reader;
	struct stats_file_head head;
	struct stat about;
	int err;

	reader->file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (reader->file < 0 || fstat(reader->file, &about))
		return fail_open(view, path, errno);
	if (!S_ISREG(about.st_mode))
		return stats_file_fail(view, EBADMSG,
				       "%s: is not a statistics file of kmemtraced --publish",
				       path);
	if ((uint64_t)about.st_size < sizeof(head))
		return stats_file_fail(view, EBADMSG,
				       "%s: is not a statistics file of kmemtraced --publish",
				       path);
	err = stats_file_copy(view, path, &head, sizeof(head), 0);
	if (err)
		return err;
	reader->device = about.st_dev;
	reader->inode = about.st_ino;
	return check_head(view, path, &head, &about);
}

/* Opens the file that the path names now. An open file keeps its inode number to itself. */
static int open_current(struct stats_file_view *view, const char *path)
{
	struct stats_file_reader *reader = view->reader;
	struct stat about;
	int err;

	if (reader->file >= 0) {
		if (stat(path, &about))
			return fail_open(view, path, errno);
		if (about.st_dev == reader->device && about.st_ino == reader->inode)
			return 0;
		stats_file_close(reader);
	}
	err = open_view(view, path);
	if (err)
		stats_file_close(reader);
	return err;
}

static int check_writer(struct stats_file_view *view, const char *path)
{
	int held = stats_file_lock_is_held(view->reader->file);

	if (held < 0)
		return stats_file_fail(view, -held, "%s: %s", path, strerror(-held));
	if (!held)
		return fail_absent(
			view, path,
			"the kmemtraced that published there has ended: start again with");
	return 0;
}

int stats_file_open(struct stats_file_view *view, const char *path)
{
	int err = open_current(view, path);

	return err ? err : check_writer(view, path);
}
