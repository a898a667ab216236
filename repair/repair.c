// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A capture repaired: every part is built anew in a directory beside it, which then takes its
 * place. Until that rename nothing has happened to the original, and after it nothing either.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "check/check.h"
#include "repair/repair.h"
#include "capture/metadata.h"

#define NSEC_PER_SEC 1000000000ULL

__attribute__((format(printf, 3, 4))) int repair_fail(struct repair *repair, int err,
						      const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(repair->errmsg, repair->errmsg_size, format, arguments);
	va_end(arguments);
	return err;
}

__attribute__((format(printf, 2, 3))) void repair_say(const struct repair *repair,
						      const char *format, ...)
{
	va_list arguments;

	if (repair->quiet)
		return;
	va_start(arguments, format);
	printf("%s", repair->path);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

static struct repair_end stream_end(const struct repair *repair, const struct repair_stream *stream)
{
	const struct status_cpu *cpu = repair_status_cpu(&repair->status, stream->cpu);
	struct repair_end end = repair->end;

	end.sequence_end = stream->last.sequence_end;
	if (repair->status_sound && cpu)
		end.sequence_end = cpu->recorded + cpu->lost;
	else
		end.skipped = stream->last.skipped;
	return end;
}

static void say_time(const struct repair *repair, const struct repair_stream *stream)
{
	uint64_t time = stream->count ? stream->last.time_last : repair->end.begin;

	time = time > repair->end.begin ? time - repair->end.begin : 0;
	repair_say(repair, "/cpu%u: nothing is there after %" PRIu64 ".%09u s", stream->cpu,
		   (uint64_t)(time / NSEC_PER_SEC), (unsigned int)(time % NSEC_PER_SEC));
}

static void say_lost(const struct repair *repair, const struct repair_stream *stream,
		     uint64_t stated)
{
	uint64_t lost = loss_missing(&stream->loss);

	if (stream->dropped_places)
		repair_say(repair,
			   "/cpu%u: %" PRIu64 " bytes in %" PRIu64 " %s are no packet: dropped",
			   stream->cpu, stream->dropped_bytes, stream->dropped_places,
			   stream->dropped_places == 1 ? "place" : "places");
	if (lost > stated)
		repair_say(repair, "/cpu%u: events lost by it: %" PRIu64, stream->cpu,
			   lost - stated);
	if (!repair->status_sound &&
	    (stream->tail_dropped || repair->status.complete == STATUS_CUT_OFF))
		say_time(repair, stream);
}

/* The new status: the old one with the figures of what is kept. */
static int settle_status(struct repair *repair)
{
	struct status *status = &repair->status;
	struct status_cpu *old = status->cpus;
	size_t old_count = status->cpu_count;
	struct status before = { .cpus = old, .cpu_count = old_count };
	uint64_t lost = 0, lost_of_tasks = 0, skipped = 0;
	int err = 0;

	status->cpus = NULL;
	status->rescued = 0;
	status->cpu_count = status->span_count = 0;
	for (size_t i = 0; !err && i < repair->stream_count; i++) {
		struct repair_stream *stream = &repair->streams[i];
		const struct status_cpu *was = repair_status_cpu(&before, stream->cpu);
		struct status_cpu *cpu = status_add_cpu(status, stream->cpu);

		if (!cpu) {
			err = -ENOMEM;
			break;
		}
		cpu->recorded = stream->records;
		cpu->lost = loss_missing(&stream->loss);
		cpu->own = stream->own;
		/* without a status to believe, those that are recorded */
		cpu->rescued = repair->status_sound && was ? was->rescued : stream->rescued;
		status->rescued += cpu->rescued;
		cpu->skipped = repair->status_sound && was ? was->skipped : STATUS_UNKNOWN;
		cpu->seen = cpu->recorded + cpu->lost;
		if (cpu->skipped != STATUS_UNKNOWN)
			cpu->seen += cpu->skipped;
		lost += cpu->lost;
		err = status_add_spans(status, stream->cpu, &stream->loss);
	}
	free(old);
	for (size_t i = 0; i < status->lost_task_count; i++)
		lost_of_tasks += status->lost_tasks[i].count;
	if (lost_of_tasks > lost) {
		status->lost_task_count = 0;
		lost_of_tasks = 0;
	}
	status->lost_unattributed = lost - lost_of_tasks;
	status->complete = STATUS_REPAIRED;
	if (!repair->status_sound || status->skipped != STATUS_UNKNOWN)
		status->skipped = repair->end.skipped;
	for (size_t i = 0; i < status->skip_count; i++)
		skipped += status->skips[i].count;
	if (skipped != status->skipped)
		status->skip_count = 0;
	return err;
}

/* What is written. */

static int write_streams(struct repair *repair)
{
	for (size_t i = 0; i < repair->stream_count; i++) {
		struct repair_stream *stream = &repair->streams[i];
		struct repair_end end = stream_end(repair, stream);
		uint64_t stated = stream->last.lost;
		char name[20];
		char *path;
		int err;

		snprintf(name, sizeof(name), "cpu%u", stream->cpu);
		path = join_path(repair->work, name);
		err = path ? repair_stream_settle(stream, &end) : -ENOMEM;
		if (!err)
			err = repair_stream_write(stream, &repair->identity, &end, path);
		free(path);
		if (err)
			return repair_fail(repair, err, "%s/%s: %s", repair->work, name,
					   strerror(-err));
		say_lost(repair, stream, stated);
	}
	return 0;
}

/* Copies the metadata, or the folder of tables but for the status. */
static int copy_part(struct repair *repair, const char *name,
		     int (*copy_it)(struct file_copy *copy, const char *from, const char *to))
{
	__attribute__((cleanup(free_text))) char *from = join_path(repair->path, name);
	__attribute__((cleanup(free_text))) char *to = join_path(repair->work, name);
	struct file_copy copy = { .mode = 0666, .except = "status" };
	int err;

	if (!from || !to)
		return repair_fail(repair, -ENOMEM, "%s: %s", repair->path, strerror(ENOMEM));
	err = copy_it(&copy, from, to);
	return err ? repair_fail(repair, err, "%s: %s", copy.failed, strerror(-err)) : 0;
}

static int write_texts(struct repair *repair)
{
	char *path = join_path(repair->work, "kernel/status");
	FILE *file = NULL;
	int err, finish_err;

	err = path ? settle_status(repair) : -ENOMEM;
	if (!err) {
		file = fopen(path, "wxe");
		err = file ? status_write(&repair->status, file) : -errno;
	}
	if (file) {
		finish_err = close_synced(file);
		err = err ? err : finish_err;
	}
	free(path);
	if (err)
		return repair_fail(repair, err, "%s/kernel/status: %s", repair->work,
				   strerror(-err));
	if (!repair->metadata_rebuilt)
		return copy_part(repair, "metadata", copy_file);

	path = join_path(repair->work, "metadata");
	file = path ? fopen(path, "wxe") : NULL;
	err = file ? metadata_write(&repair->metadata, file) : -errno;
	if (file) {
		finish_err = close_synced(file);
		err = err ? err : finish_err;
	}
	free(path);
	return err ? repair_fail(repair, err, "%s/metadata: %s", repair->work, strerror(-err)) : 0;
}

static int make_work(struct repair *repair, const char *target)
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

/* A name that is free: PATH.damaged, PATH.damaged.1, …; to be freed, or NULL. */
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

static int take_place(struct repair *repair, char **damaged)
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

static void say_result(struct repair *repair, const char *where, const char *damaged)
{
	uint64_t recorded = 0, lost = 0;

	for (size_t i = 0; i < repair->status.cpu_count; i++) {
		recorded += repair->status.cpus[i].recorded;
		lost += repair->status.cpus[i].lost;
	}
	if (repair->status_errmsg[0])
		repair_say(repair,
			   "/kernel/status: made anew (%s): kmemtraced's own tasks, the filter and "
			   "the paths observed are unknown",
			   repair->status_errmsg);
	if (repair->status.unknown_lines)
		repair_say(repair,
			   "/kernel/status: %zu line%s that this version does not know %s left out",
			   repair->status.unknown_lines,
			   repair->status.unknown_lines == 1 ? "" : "s",
			   repair->status.unknown_lines == 1 ? "is" : "are");
	repair_say(repair,
		   ": repaired%s%s: %" PRIu64 " records of %zu CPU%s, lost %" PRIu64
		   ", skipped %s%" PRIu64 "%s%s",
		   where ? " into " : "", where ? where : "", recorded, repair->stream_count,
		   repair->stream_count == 1 ? "" : "s", lost,
		   repair->status_sound ? "" : "at least ", repair->end.skipped,
		   damaged ? "; the original is now " : "", damaged ? damaged : "");
}

static int repair_build(struct repair *repair, const char *target)
{
	int err = make_work(repair, target);

	if (!err)
		err = write_streams(repair);
	if (!err)
		err = copy_part(repair, "kernel", copy_folder);
	if (!err)
		err = write_texts(repair);
	return err;
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

/* The path as it was given, if renaming it renames the directory. */
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
		err = repair_fail(&repair, -EEXIST, "%s: %s: name another with -o", output,
				  strerror(EEXIST));
	if (!err && capture_is_being_written(repair.path))
		err = repair_fail(&repair, -EBUSY, "%s: kmemtraced is writing it: stop that first",
				  repair.path);
	if (!err)
		err = repair_gather(&repair);
	if (!err)
		err = repair_build(&repair, output ? output : repair.path);
	if (!err && !output)
		err = take_place(&repair, &damaged);
	if (!err && output && rename(repair.work, output))
		err = repair_fail(&repair, -errno, "%s: %s", output, strerror(errno));
	if (!err) {
		free(repair.work);
		repair.work = NULL;
		say_result(&repair, output, damaged);
	}
	free(damaged);
	repair_deinit(&repair);
	return err;
}
