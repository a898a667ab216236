// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Builds the repaired capture in a directory beside the original, then renames both. The content of
 * the original is never changed.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check/repair/collect.h"
#include "check/repair/rebuild.h"
#include "check/repair/repair.h"

/* Only the owner can read the new capture while it is written; then it gets the original's mode. */
static int copy_mode(struct repair *repair)
{
	struct stat stat;

	if (fstat(repair->original, &stat) || fchmod(repair->directory.fd, stat.st_mode & 0777))
		return error_set_at(repair->error, -errno, repair->directory.path);
	return 0;
}

/* The first unused path of PATH.damaged, PATH.damaged.1, ...; to be freed, or NULL. */
static char *damaged_path(const struct repair *repair)
{
	const struct directory *directory = &repair->directory;
	const size_t parent = (size_t)(directory->name - directory->target);
	struct stat stat;
	char *path;

	if (asprintf(&path, "%s.damaged", directory->target) < 0)
		return NULL;
	for (unsigned int number = 1;
	     !fstatat(directory->parent, path + parent, &stat, AT_SYMLINK_NOFOLLOW); number++) {
		free(path);
		if (!number || asprintf(&path, "%s.damaged.%u", directory->target, number) < 0)
			return NULL;
	}
	return path;
}

/* Gives the new capture its name. *damaged: the new path of the original; NULL: the old one. */
static int finish_repair(struct repair *repair, bool in_place, char **damaged)
{
	struct directory *directory = &repair->directory;
	int err = copy_mode(repair);

	if (err)
		return err;
	if (in_place) {
		*damaged = damaged_path(repair);
		if (!*damaged)
			return error_set_at(repair->error, -ENOMEM, repair->path);
	}
	err = directory_replace(directory, in_place ? repair->original : -1,
				in_place ? *damaged + (directory->name - directory->target) : NULL);
	return err ? error_set(repair->error, err, directory->errmsg) : 0;
}

/* output: the directory of the result, or NULL; damaged: of the original, or NULL. */
static void print_repair(const struct repair *repair, const char *output, const char *damaged)
{
	uint64_t recorded = 0, lost = 0;

	for (size_t i = 0; i < repair->status.cpu_count; i++) {
		recorded += repair->status.cpus[i].recorded;
		lost += repair->status.cpus[i].lost;
	}
	if (*repair->status_error.text)
		repair_print(
			repair,
			"/kernel/status: rebuilt (%s): the tasks of kmemtraced, the filter and the observed paths are unknown",
			repair->status_error.text);
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
	directory_deinit(&repair->directory);
	if (repair->original >= 0)
		close(repair->original);
	for (size_t i = 0; i < repair->stream_count; i++)
		repair_stream_deinit(&repair->streams[i]);
	free(repair->streams);
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

static int make_new(struct repair *repair, const char *target)
{
	int err = directory_make_beside(&repair->directory, target);

	return err ? error_set(repair->error, err, repair->directory.errmsg) : 0;
}

/* Opens the original, and reads it. */
static int open_original(struct repair *repair)
{
	repair->original = open(repair->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (repair->original < 0)
		return error_set_at(repair->error, -errno, repair->path);
	if (directory_is_being_written(repair->original))
		return error_format(repair->error, -EBUSY,
				    "%s: kmemtraced is writing the capture: stop kmemtraced first",
				    repair->path);
	return repair_collect(repair);
}

int repair_run(const char *path, const char *output, bool quiet, struct error *error)
{
	struct repair repair = { .original = -1, .quiet = quiet, .error = error };
	char *damaged = NULL;
	struct stat stat;
	int err = 0;

	repair.path = directory_path(path);
	if (!repair.path)
		return error_set_at(error, -errno, path);
	if (output && !lstat(output, &stat))
		err = error_format(error, -EEXIST, "%s: %s: name another directory with -o", output,
				   strerror(EEXIST));
	if (!err)
		err = open_original(&repair);
	if (!err)
		err = make_new(&repair, output ? output : repair.path);
	if (!err)
		err = repair_rebuild(&repair);
	if (!err)
		err = finish_repair(&repair, !output, &damaged);
	if (!err)
		print_repair(&repair, output, damaged);
	else
		directory_abandon(&repair.directory);
	free(damaged);
	repair_deinit(&repair);
	return err;
}
