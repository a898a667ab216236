// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds the published file of a path, and tells why there is none to be read. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stats/stats_file_open.h"
#include "stats/stats_file_lock.h"

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

static int fail_absent(struct stats_file_view *view, const char *path, const char *what)
{
	bool usual = !strcmp(path, STATS_FILE_PATH);

	return stats_file_fail(view, ENOENT, "%s: %s 'kmemtraced --publish%s%s', as root", path,
			       what, usual ? "" : "=", usual ? "" : path);
}

/* Some of the path before its name is no directory: says which. */
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
	return stats_file_fail(view, ENOTDIR,
			       "%s: %s is no directory, so that nothing can be published there: "
			       "remove it, or publish in another place",
			       path, part);
}

static int fail_open(struct stats_file_view *view, const char *path, int err)
{
	switch (err) {
	case ENOTDIR:
		return fail_no_directory(view, path);
	case ENOENT:
		return fail_absent(view, path, "nothing is published there: begin with");
	case EACCES:
	case EPERM:
		return stats_file_fail(
			view, EACCES,
			"%s: only its owner may read it, and the group that kmemtraced's "
			"--publish-group names",
			path);
	default:
		return stats_file_fail(view, err, "%s: %s", path, strerror(err));
	}
}

void stats_file_close(struct stats_file_memory *memory)
{
	if (memory->file >= 0)
		close(memory->file);
	memory->file = -1;
	memory->text_bytes = 0;
}

/* 0, or -EBADMSG: the file is shorter. Whatever else keeps it from being read is no damage. */
int stats_file_copy(struct stats_file_view *view, const char *path, void *to, size_t bytes,
		    uint64_t at)
{
	for (size_t have = 0; have < bytes;) {
		ssize_t got = pread(view->memory->file, (char *)to + have, bytes - have,
				    (off_t)(at + have));

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
	struct stats_file_memory *memory = view->memory;

	if (head->magic != STATS_FILE_MAGIC)
		return stats_file_fail(view, EBADMSG, "%s: is not what kmemtraced --publish makes",
				       path);
	if (head->version != STATS_FILE_VERSION)
		return stats_file_fail(view, EPROTONOSUPPORT,
				       "%s: is of version %u, and this is for version %u: "
				       "use kmemtraced and libmemstat of the same release",
				       path, head->version, STATS_FILE_VERSION);
	if (head->head_bytes != sizeof(*head) || !head->cpus || head->cpus > STATS_FILE_CPUS_MAX ||
	    !head->types || head->types > STATS_FILE_TYPES_MAX)
		return stats_file_fail_damaged(view, path, "its head is wrong");
	stats_file_layout(&memory->layout, head->cpus, head->types);
	if (head->text_bytes != memory->layout.text_bytes)
		return stats_file_fail_damaged(view, path, "its head is wrong");
	if (about->st_size < 0 || (uint64_t)about->st_size < memory->layout.bytes)
		return stats_file_fail_damaged(view, path, "it is too short");
	return 0;
}

static int open_file(struct stats_file_view *view, const char *path)
{
	struct stats_file_memory *memory = view->memory;
	struct stats_file_head head;
	struct stat about;
	int err;

	memory->file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (memory->file < 0 || fstat(memory->file, &about))
		return fail_open(view, path, errno);
	if (!S_ISREG(about.st_mode))
		return stats_file_fail(view, EBADMSG, "%s: is not what kmemtraced --publish makes",
				       path);
	if ((uint64_t)about.st_size < sizeof(head))
		return stats_file_fail(view, EBADMSG, "%s: is not what kmemtraced --publish makes",
				       path);
	err = stats_file_copy(view, path, &head, sizeof(head), 0);
	if (err)
		return err;
	memory->device = about.st_dev;
	memory->inode = about.st_ino;
	return check_head(view, path, &head, &about);
}

/* The file that the path names now; what is open cannot have given its number to another. */
static int follow_path(struct stats_file_view *view, const char *path)
{
	struct stats_file_memory *memory = view->memory;
	struct stat about;
	int err;

	if (memory->file >= 0) {
		if (stat(path, &about))
			return fail_open(view, path, errno);
		if (about.st_dev == memory->device && about.st_ino == memory->inode)
			return 0;
		stats_file_close(memory);
	}
	err = open_file(view, path);
	if (err)
		stats_file_close(memory);
	return err;
}

static int check_writer(struct stats_file_view *view, const char *path)
{
	int held = stats_file_lock_is_held(view->memory->file);

	if (held < 0)
		return stats_file_fail(view, -held, "%s: %s", path, strerror(-held));
	if (!held)
		return fail_absent(
			view, path,
			"the kmemtraced that published there has ended: begin again with");
	return 0;
}

int stats_file_open(struct stats_file_view *view, const char *path)
{
	int err = follow_path(view, path);

	return err ? err : check_writer(view, path);
}
