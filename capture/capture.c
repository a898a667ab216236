// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Opens a capture and reads all of it except the streams. Only the metadata and one stream are
 * required: a capture without its tables is still useful.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/inside.h"
#include "base/number.h"
#include "capture/capture.h"
#include "capture/directory.h"
#include "capture/parts.h"
#include "capture/piece_times.h"
#include "capture/reader.h"
#include "capture/status_merge.h"
#include "capture/stream_frame.h"

#define METADATA_BYTES_MAX ((size_t)1 << 20)
#define TABLE_BYTES_MAX ((size_t)64 << 20)

/* Appends to the list of tables that are missing or damaged. */
__attribute__((format(printf, 4, 5))) static void
add_unread(struct capture *capture, const char *key, int err, const char *format, ...)
{
	struct unread_table *unread = &capture->unread[capture->unread_count];
	va_list arguments;

	if (capture->unread_count == UNREAD_TABLES_MAX)
		return;
	capture->unread_count++;
	unread->key = key;
	unread->err = err;
	va_start(arguments, format);
	vsnprintf(unread->summary, sizeof(unread->summary), format, arguments);
	va_end(arguments);
}

/* With an empty table, this machine would get other figures from the capture than others do. */
static int fail_shortage(struct capture *capture, const char *table, int err)
{
	return error_format(&capture->error, err, "%s/%s: %s", capture->path, table,
			    strerror(-err));
}

/* The path of the last part, which has the newest tables. */
static const char *last_part(const struct capture *capture)
{
	return capture->parts.list[capture->parts.count - 1].path;
}

static int open_metadata(struct capture *capture)
{
	__attribute__((cleanup(free_text))) char *path = join_path(last_part(capture), "metadata");
	__attribute__((cleanup(free_text))) char *text = NULL;
	struct error error = { 0 };
	int err;

	err = path ? read_file(AT_FDCWD, path, METADATA_BYTES_MAX, &text, NULL) : -ENOMEM;
	if (err == -ENOENT && !capture->stream_count)
		return error_format(&capture->error, -ENOENT, "%s holds no metadata: not a capture",
				    capture->path);
	if (err == -ENOENT)
		return error_format(
			&capture->error, -EINVAL,
			"%s holds streams but no metadata: kmemtrace-check --repair rebuilds it",
			capture->path);
	if (err == -EFBIG)
		return error_format(
			&capture->error, -EINVAL,
			"%s/metadata: larger than 1 MiB: it is not the metadata of a capture",
			capture->path);
	if (err)
		return error_format(&capture->error, err, "%s/metadata: %s", capture->path,
				    strerror(-err));
	err = metadata_parse(&capture->metadata, text, &error);
	if (err == -EINVAL && capture->stream_count)
		return error_format(
			&capture->error, err,
			"%s/metadata: %s; if it is damaged, kmemtrace-check --repair rebuilds it",
			capture->path, error.text);
	if (err)
		return error_format(&capture->error, err, "%s/metadata: %s", capture->path,
				    error.text);
	return 0;
}

/* 0 or -errno, with the reason in error if the text is wrong. */
static int read_status(const struct capture_part *part, struct status *status, struct error *error)
{
	__attribute__((cleanup(free_text))) char *path = join_path(part->path, "kernel/status");
	__attribute__((cleanup(free_text))) char *text = NULL;
	int err = path ? read_file(AT_FDCWD, path, TABLE_BYTES_MAX, &text, NULL) : -ENOMEM;

	return err ? err : status_parse(status, text, error);
}

/* A set whose pieces contradict each other is refused. Of a capture alone, a table is wrong. */
static int take_fault(struct capture *capture, const char *path, const char *fault)
{
	if (capture->parts.is_set)
		return error_format(&capture->error, -EILSEQ,
				    "%s: %s: kmemtrace-check lists what is wrong in the set", path,
				    fault);
	add_unread(capture, "times", -EBADMSG, "the times of the status are wrong: %s", fault);
	return 0;
}

/* Adds up the statuses of all parts. */
static int read_statuses(struct capture *capture, struct error *error)
{
	static const struct checkpoint_state none;
	struct status before = { 0 }; /* without its lists */
	char fault[200];
	bool is_first = true;
	int err = 0;

	for (size_t i = 0; i < capture->parts.count && !err; i++) {
		struct status status = { 0 };

		if (capture->parts.list[i].is_checkpoint)
			continue;
		err = read_status(&capture->parts.list[i], &status, error);
		if (!err &&
		    (piece_has_fault(&status, is_first ? &capture->checkpoint : &none, fault,
				     sizeof(fault)) ||
		     (!is_first && piece_has_fault_behind(&status, &before, fault, sizeof(fault)))))
			err = take_fault(capture, capture->parts.list[i].path, fault);
		before = status;
		if (!err && is_first)
			capture->status = status;
		else if (!err)
			err = status_merge(&capture->status, &status);
		if (!is_first || err)
			status_deinit(&status);
		is_first = false;
	}
	return err;
}

static int open_status(struct capture *capture)
{
	static const char without[] =
		"losses are known from the streams only, and the allocations of kmemtraced itself count as those of other tasks";
	struct error error = { 0 };
	char newer[METADATA_TEXT];
	int err = read_statuses(capture, &error);

	if (err == -EILSEQ)
		return err;
	if (error_is_shortage(err))
		return fail_shortage(capture, "kernel/status", err);
	if (!err) {
		capture->has_status = true;
		return 0;
	}
	status_deinit(&capture->status);
	memset(&capture->status, 0, sizeof(capture->status));
	if (err != -EPROTONOSUPPORT && !*error.text)
		add_unread(capture, "status", err, "the status is missing (%s): %s", strerror(-err),
			   without);
	else if (err == -EPROTONOSUPPORT)
		add_unread(capture, "status", err, "%s; %s; without the status %s", error.text,
			   metadata_newer_text(capture->metadata.tracer_version, newer,
					       sizeof(newer)),
			   without);
	else
		add_unread(capture, "status", err, "the status cannot be read (%s): %s", error.text,
			   without);
	return 0;
}

static int open_caches(struct capture *capture, const char *text)
{
	return caches_parse(&capture->caches, text);
}

static int open_tasks(struct capture *capture, const char *text)
{
	return tasks_parse(&capture->tasks, text);
}

static int open_topology(struct capture *capture, const char *text)
{
	return topology_parse(&capture->topology, text);
}

static int open_gfp(struct capture *capture, const char *text)
{
	return gfp_parse(&capture->gfp, text);
}

static int open_slabinfo(struct capture *capture, const char *text)
{
	return slabinfo_parse(&capture->slabinfo, text);
}

static int open_heap(struct capture *capture, const char *text)
{
	return heap_readings_parse(&capture->heap, text);
}

static int open_tracks(struct capture *capture, const char *text)
{
	return tracks_parse(&capture->tracks, text);
}

static int open_allocinfo(struct capture *capture, const char *text)
{
	return allocinfo_parse(&capture->allocinfo, text);
}

static int open_where(struct capture *capture, const char *text)
{
	return where_parse(&capture->where, text);
}

static int open_process_memory(struct capture *capture, const char *text)
{
	return process_memories_parse(&capture->process_memory, text);
}

static int open_cgroups(struct capture *capture, const char *text)
{
	return cgroups_parse(&capture->cgroups, text);
}

static int open_stacks(struct capture *capture, const char *text)
{
	return stacks_parse(&capture->stacks, text);
}

static int open_user_symbols(struct capture *capture, const char *text)
{
	return user_symbols_parse(&capture->user_symbols, text);
}

/* The text tables, and the consequence if one is missing. */
static const struct table {
	const char *key, *path, *what, *without;
	int (*parse)(struct capture *capture, const char *text);
	bool is_optional; /* older captures and some kernels do not have it */
	bool grows;	  /* each part has its own lines, which are read one behind the other */
} tables[] = {
	{ "caches", "kernel/caches", "names of slab caches",
	  "the sizes of their objects count as 0", open_caches, false, true },
	{ "tasks", "kernel/tasks", "names of tasks", "tasks are numbers", open_tasks, false, true },
	{ "topology", "kernel/topology", "nodes of CPUs", "no CPU has a known node", open_topology,
	  false, false },
	{ "gfp", "kernel/gfp", "names of GFP flags", "flags are numbers", open_gfp, false, false },
	{ "slabinfo", "kernel/slabinfo", "counters of /proc/slabinfo",
	  "the objects that caches had at the start are not known", open_slabinfo, true, true },
	{ "heap", "kernel/heap", "the readings of the slab allocator",
	  "live numbers are upper bounds where frees are not observed", open_heap, true, false },
	{ "tracks", "kernel/tracks", "the stacks that the kernel itself keeps",
	  "the view tracks is empty", open_tracks, true, false },
	{ "allocinfo", "kernel/allocinfo", "the readings of /proc/allocinfo",
	  "the view allocinfo is empty", open_allocinfo, true, false },
	{ "where", "kernel/where", "the readings of the memory of the machine",
	  "the view where is empty", open_where, true, false },
	{ "process_memory", "kernel/process_memory", "readings of the memory of processes",
	  "the functions proc_mem_... are null", open_process_memory, true, true },
	{ "stacks", "kernel/stacks", "the stacks of sampled allocations",
	  "the fields of stacks are null", open_stacks, true, true },
	{ "user_symbols", "kernel/user_symbols", "names of the functions of processes",
	  "the field user_stack has addresses", open_user_symbols, true, true },
	{ "cgroups", "kernel/cgroups", "the cgroups of tasks",
	  "the fields cgroup and container are null", open_cgroups, true, true },
};

static int read_table(const struct capture *capture, const struct table *table, char **text)
{
	__attribute__((cleanup(free_text))) char *path = NULL;

	if (table->grows)
		return capture_parts_read(&capture->parts, table->path, TABLE_BYTES_MAX, text);
	path = join_path(last_part(capture), table->path);
	return path ? read_file(AT_FDCWD, path, TABLE_BYTES_MAX, text, NULL) : -ENOMEM;
}

static int open_tables(struct capture *capture)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		__attribute__((cleanup(free_text))) char *text = NULL;
		int err = read_table(capture, &tables[i], &text);

		if (!err)
			err = tables[i].parse(capture, text);
		if (error_is_shortage(err))
			return fail_shortage(capture, tables[i].path, err);
		if (err && !(tables[i].is_optional && err == -ENOENT))
			add_unread(capture, tables[i].key, err, "%s are missing (%s): %s",
				   tables[i].what, strerror(-err), tables[i].without);
	}
	return 0;
}

static int open_symbols(struct capture *capture)
{
	__attribute__((cleanup(free_text))) char *path = NULL;
	int err;

	path = join_path(last_part(capture), "kernel/symbols");
	if (!path)
		return error_set_at(&capture->error, -ENOMEM, capture->path);
	err = symbols_load(&capture->symbols, path);
	if (error_is_shortage(err))
		return fail_shortage(capture, "kernel/symbols", err);
	if (err)
		add_unread(capture, "symbols", err,
			   "symbols are missing (%s): call sites are addresses", strerror(-err));
	if (capture->symbols.hidden)
		add_unread(
			capture, "hidden", 0,
			"the kernel hid its addresses (kptr_restrict): call sites have no names");
	if (!err && !capture->symbols.count && !capture->symbols.hidden &&
	    !capture->symbols.damaged)
		add_unread(capture, "symbols", 0,
			   "symbols are missing (the file is empty): call sites are addresses");
	if (capture->symbols.damaged)
		add_unread(
			capture, "symbols", 0,
			"symbols are damaged: the symbols after the damage are missing, and their call sites are addresses");
	return 0;
}

static int open_streams(struct capture *capture)
{
	const char *failed;
	int err = stream_files_find(&capture->parts, &capture->streams, &capture->stream_count,
				    &failed);

	return err ? error_set_at(&capture->error, err, failed) : 0;
}

static int open_capture_directory(struct capture *capture)
{
	char first[sizeof(STREAM_FRAME_FIRST)] = "";
	const char *path = capture->path;
	struct stat stat;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return error_set_at(&capture->error, -errno, path);
	if (!fstat(fd, &stat) && S_ISDIR(stat.st_mode))
		return fd;
	if (pread(fd, first, sizeof(first) - 1, 0) < 0)
		*first = '\0'; /* a pipe, or the like */
	close(fd);
	if (!strcmp(first, STREAM_FRAME_FIRST))
		return error_format(
			&capture->error, -ENOTDIR,
			"%s is a capture from kmemtraced -o -, not a directory: read it with kmemtrace-report -i - < %s, by the view events or count",
			path, path);
	if (stream_file_cpu(basename(path)) >= 0)
		return error_format(&capture->error, -ENOTDIR,
				    "%s is a stream: name the capture's directory, which holds it",
				    path);
	return error_format(&capture->error, -ENOTDIR, "%s is not a directory: not a capture",
			    path);
}

/* Is the first part a piece whose streams go on from those of another one? */
static bool is_later_piece(const struct capture *capture)
{
	bool goes_on = false;

	for (size_t i = 0; capture->metadata.piece > 1 && i < capture->stream_count; i++) {
		__attribute__((cleanup(free_text))) char *path =
			capture_stream_path(&capture->parts.list[0], capture->streams[i].cpu);
		struct packet_header header;
		struct stream stream;

		if (!path || stream_open(&stream, path))
			continue;
		goes_on |= stream_peek(&stream, &header) == 1 && !header.number &&
			   header.sequence_end;
		stream_close(&stream);
	}
	return goes_on;
}

static int find_parts(struct capture *capture, bool alone, const struct capture_range *range)
{
	return capture_parts_find(&capture->parts, capture->path, alone, range,
				  &capture->checkpoint, &capture->error);
}

static int open_parts(struct capture *capture, const char *path, bool alone,
		      const struct capture_range *range)
{
	__attribute__((cleanup(close_fd))) int directory = -1;
	int err;

	memset(capture, 0, sizeof(*capture));
	capture->path = strdup(path);
	if (!capture->path)
		return error_set_at(&capture->error, -ENOMEM, path);
	directory = open_capture_directory(capture);
	err = directory < 0 ? directory : find_parts(capture, alone, range);
	if (!err)
		err = open_streams(capture);
	if (!err)
		err = open_metadata(capture);
	if (!err && !capture->stream_count)
		err = error_format(&capture->error, -EINVAL, "%s holds no streams (cpu0, cpu1, …)",
				   path);
	if (!err)
		err = open_symbols(capture);
	/* before the status is read: the capture may be finished in between */
	capture->being_written = !err && capture_is_being_written(last_part(capture));
	if (!err)
		err = open_status(capture);
	if (capture->parts.is_set)
		capture->status.until = 0;
	capture->being_written &= capture->status.complete == STATUS_CUT_OFF;
	if (!err)
		err = open_tables(capture);
	capture->goes_on = !err && is_later_piece(capture);
	if (capture->goes_on && !alone && !capture->parts.list[0].is_checkpoint)
		add_unread(
			capture, "checkpoint", -ENOENT,
			"the checkpoint of %s is missing: objects that were live at its begin, names of earlier pieces, and its events in the streams of the piece before are not known: %s",
			capture->parts.list[0].path,
			capture->being_written ? "kmemtraced makes it soon"
					       : "kmemtrace-check --repair of the set makes it");
	if (err)
		capture_close(capture);
	return err;
}

int capture_open(struct capture *capture, const char *path)
{
	return open_parts(capture, path, false, NULL);
}

int capture_open_range(struct capture *capture, const char *path, const struct capture_range *range)
{
	return open_parts(capture, path, false, range);
}

int capture_open_alone(struct capture *capture, const char *path)
{
	return open_parts(capture, path, true, NULL);
}

void capture_close(struct capture *capture)
{
	stream_files_deinit(capture->streams, capture->stream_count);
	capture_parts_deinit(&capture->parts);
	checkpoint_state_deinit(&capture->checkpoint);
	free(capture->path);
	capture->streams = NULL;
	capture->stream_count = 0;
	capture->path = NULL;
	status_deinit(&capture->status);
	symbols_deinit(&capture->symbols);
	caches_deinit(&capture->caches);
	tasks_deinit(&capture->tasks);
	topology_deinit(&capture->topology);
	gfp_deinit(&capture->gfp);
	heap_readings_deinit(&capture->heap);
	tracks_deinit(&capture->tracks);
	allocinfo_deinit(&capture->allocinfo);
	where_deinit(&capture->where);
	slabinfo_deinit(&capture->slabinfo);
	process_memories_deinit(&capture->process_memory);
	stacks_deinit(&capture->stacks);
	user_symbols_deinit(&capture->user_symbols);
	cgroups_deinit(&capture->cgroups);
}

/* kmemtraced always lists its own tasks; a repaired status and an import may list none. */
bool capture_knows_own(const struct capture *capture)
{
	return capture->has_status && !*capture->metadata.source &&
	       (capture->status.own_count || capture->status.complete != STATUS_REPAIRED);
}

/*
 * A repaired status keeps the skipped counts of the finished one. Of a capture that was cut off the
 * skipped counts are unknown, and repair writes that for each CPU.
 */
bool capture_knows_skips(const struct capture *capture)
{
	const struct status *status = &capture->status;

	if (!capture->has_status || status->complete == STATUS_CUT_OFF ||
	    status->skipped == STATUS_UNKNOWN)
		return false;
	for (size_t i = 0; status->complete == STATUS_REPAIRED && i < status->cpu_count; i++) {
		if (status->cpus[i].skipped == STATUS_UNKNOWN)
			return false;
	}
	return status->complete == STATUS_COMPLETE || status->cpu_count;
}

bool capture_is_being_written(const char *path)
{
	__attribute__((cleanup(close_fd))) int fd =
		open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);

	return fd >= 0 && directory_is_being_written(fd);
}
