// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Builds the repaired capture in a directory beside the original, then renames both. The content of
 * the original is never changed.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "capture/capture.h"
#include "repair/collect.h"
#include "repair/rebuild.h"
#include "repair/repair.h"

static int make_work_directory(struct repair *repair, const char *target)
{
	struct stat stat;
	int err = 0;

	if (asprintf(&repair->work, "%s.repair.XXXXXX", target) < 0) {
		repair->work = NULL;
		return repair_fail(repair, -ENOMEM, "%s: %s", target, strerror(ENOMEM));
	}
	if (!mkdtemp(repair->work)) {
		err = repair_fail(repair, -errno, "%s: %s", repair->work, strerror(errno));
		free(repair->work);
		repair->work = NULL;
		return err;
	}
	if (!lstat(repair->path, &stat) && chmod(repair->work, stat.st_mode & 0777))
		err = -errno;
	return err ? repair_fail(repair, err, "%s: %s", repair->work, strerror(-err)) : 0;
}

static void remove_directory(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		char *inner = entry->d_name[0] == '.' ? NULL : join_path(path, entry->d_name);

		if (inner && unlink(inner) && (errno == EISDIR || errno == EPERM))
			remove_directory(inner);
		free(inner);
	}
	if (directory)
		closedir(directory);
	rmdir(path);
}

/* The first unused name of PATH.damaged, PATH.damaged.1, ...; to be freed, or NULL. */
static char *damaged_name(const char *path)
{
	struct stat stat;
	char *name;

	if (asprintf(&name, "%s.damaged", path) < 0)
		return NULL;
	for (unsigned int number = 1; !lstat(name, &stat); number++) {
		free(name);
		if (!number || asprintf(&name, "%s.damaged.%u", path, number) < 0)
			return NULL;
	}
	return name;
}

static int replace_original(struct repair *repair, char **damaged)
{
	int err;

	*damaged = damaged_name(repair->path);
	if (!*damaged)
		return repair_fail(repair, -ENOMEM, "%s: %s", repair->path, strerror(ENOMEM));
	if (rename(repair->path, *damaged))
		return repair_fail(repair, -errno, "%s: cannot be renamed to %s: %s", repair->path,
				   *damaged, strerror(errno));
	if (rename(repair->work, repair->path)) {
		err = -errno;
		if (rename(*damaged, repair->path))
			return repair_fail(repair, err, "%s: the original is now %s: %s",
					   repair->path, *damaged, strerror(-err));
		return repair_fail(repair, err, "%s: %s", repair->path, strerror(-err));
	}
	return 0;
}

/* output: the directory of the result, or NULL; damaged: of the original, or NULL. */
static void print_result(const struct repair *repair, const char *output, const char *damaged)
{
	uint64_t recorded = 0, lost = 0;

	for (size_t i = 0; i < repair->status.cpu_count; i++) {
		recorded += repair->status.cpus[i].recorded;
		lost += repair->status.cpus[i].lost;
	}
	if (repair->status_errmsg[0])
		repair_print(
			repair,
			"/kernel/status: rebuilt (%s): the tasks of kmemtraced, the filter and the "
			"observed paths are unknown",
			repair->status_errmsg);
	if (repair->status.unknown_lines)
		repair_print(repair,
			     "/kernel/status: left out %zu line%s that this version does not know",
			     repair->status.unknown_lines,
			     repair->status.unknown_lines == 1 ? "" : "s");
	repair_print(repair,
		     ": repaired%s%s: %" PRIu64 " records of %zu CPU%s, lost %" PRIu64
		     ", skipped %s%" PRIu64 "%s%s",
		     output ? " into " : "", output ? output : "", recorded, repair->stream_count,
		     repair->stream_count == 1 ? "" : "s", lost,
		     repair->status_consistent ? "" : "at least ", repair->end.skipped,
		     damaged ? "; the original is now " : "", damaged ? damaged : "");
}

static void repair_deinit(struct repair *repair)
{
	if (repair->work)
		remove_directory(repair->work);
	for (size_t i = 0; i < repair->stream_count; i++)
		repair_stream_deinit(&repair->streams[i]);
	free(repair->streams);
	free(repair->work);
	free(repair->path);
	status_deinit(&repair->status);
}

/* The path without slashes at its end, if renaming it renames the directory; else the real path. */
static char *directory_path(const char *path)
{
	size_t length = strlen(path);
	struct stat stat;
	char *plain;
	const char *last;

	while (length > 1 && path[length - 1] == '/')
		length--;
	plain = strndup(path, length);
	if (!plain)
		return NULL;
	last = basename(plain);
	if (!lstat(plain, &stat) && S_ISDIR(stat.st_mode) && *last && strcmp(last, ".") != 0 &&
	    strcmp(last, "..") != 0)
		return plain;
	free(plain);
	return realpath(path, NULL);
}

int repair_run(const char *path, const char *output, bool quiet, char *errmsg, size_t errmsg_size)
{
	struct repair repair = { .quiet = quiet, .errmsg = errmsg, .errmsg_size = errmsg_size };
	char *damaged = NULL;
	struct stat stat;
	int err = 0;

	repair.path = directory_path(path);
	if (!repair.path)
		return repair_fail(&repair, -errno, "%s: %s", path, strerror(errno));
	if (output && !lstat(output, &stat))
		err = repair_fail(&repair, -EEXIST, "%s: %s: name another directory with -o",
				  output, strerror(EEXIST));
	if (!err && capture_is_being_written(repair.path))
		err = repair_fail(&repair, -EBUSY,
				  "%s: kmemtraced is writing the capture: stop kmemtraced first",
				  repair.path);
	if (!err)
		err = repair_collect(&repair);
	if (!err)
		err = make_work_directory(&repair, output ? output : repair.path);
	if (!err)
		err = repair_rebuild(&repair);
	if (!err && !output)
		err = replace_original(&repair, &damaged);
	if (!err && output && rename(repair.work, output))
		err = repair_fail(&repair, -errno, "%s: %s", output, strerror(errno));
	if (!err) {
		free(repair.work);
		repair.work = NULL;
		print_result(&repair, output, damaged);
	}
	free(damaged);
	repair_deinit(&repair);
	return err;
}
