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
#include "capture/stream_frame.h"

#define METADATA_BYTES_MAX ((size_t)1 << 20)
#define TABLE_BYTES_MAX ((size_t)64 << 20)
#define CPU_MAX 65535

__attribute__((format(printf, 3, 4))) static int fail(struct capture *capture, int err,
						      const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(capture->errmsg, sizeof(capture->errmsg), format, arguments);
	va_end(arguments);
	return err;
}

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

/* Without the table, the same capture would have other figures than elsewhere. */
static int fail_shortage(struct capture *capture, const char *table, int err)
{
	return fail(capture, err, "%s/%s: %s", capture->path, table, strerror(-err));
}

static int open_metadata(struct capture *capture, int directory)
{
	__attribute__((cleanup(free_text))) char *text = NULL;
	char errmsg[200] = "";
	int err;

	err = read_file(directory, "metadata", METADATA_BYTES_MAX, &text, NULL);
	if (err == -ENOENT && !capture->stream_count)
		return fail(capture, -ENOENT, "%s holds no metadata: not a capture", capture->path);
	if (err == -ENOENT)
		return fail(capture, -EINVAL,
			    "%s holds streams but no metadata: kmemtrace-check --repair "
			    "rebuilds it",
			    capture->path);
	if (err == -EFBIG)
		return fail(capture, -EINVAL,
			    "%s/metadata: larger than 1 MiB: it is not the metadata of a capture",
			    capture->path);
	if (err)
		return fail(capture, err, "%s/metadata: %s", capture->path, strerror(-err));
	err = metadata_parse(&capture->metadata, text, errmsg, sizeof(errmsg));
	if (err == -EINVAL && capture->stream_count)
		return fail(capture, err,
			    "%s/metadata: %s; if it is damaged, kmemtrace-check --repair "
			    "rebuilds it",
			    capture->path, errmsg);
	if (err)
		return fail(capture, err, "%s/metadata: %s", capture->path, errmsg);
	return 0;
}

static int open_status(struct capture *capture, int directory)
{
	static const char without[] =
		"losses are known from the streams only, and the allocations of kmemtraced "
		"itself count as those of other tasks";
	__attribute__((cleanup(free_text))) char *text = NULL;
	char errmsg[160] = "", newer[METADATA_TEXT];
	int err;

	err = read_file(directory, "kernel/status", TABLE_BYTES_MAX, &text, NULL);
	if (error_is_shortage(err))
		return fail_shortage(capture, "kernel/status", err);
	if (err) {
		add_unread(capture, "status", err, "the status is missing (%s): %s", strerror(-err),
			   without);
		return 0;
	}
	err = status_parse(&capture->status, text, errmsg, sizeof(errmsg));
	if (error_is_shortage(err))
		return fail_shortage(capture, "kernel/status", err);
	if (!err) {
		capture->has_status = true;
		return 0;
	}
	status_deinit(&capture->status);
	memset(&capture->status, 0, sizeof(capture->status));
	if (err == -EPROTONOSUPPORT)
		add_unread(capture, "status", err, "%s; %s; without the status %s", errmsg,
			   metadata_newer_text(capture->metadata.tracer_version, newer,
					       sizeof(newer)),
			   without);
	else
		add_unread(capture, "status", err, "the status cannot be read (%s): %s",
			   errmsg[0] ? errmsg : strerror(-err), without);
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
} tables[] = {
	{ "caches", "kernel/caches", "names of slab caches",
	  "the sizes of their objects count as 0", open_caches, false },
	{ "tasks", "kernel/tasks", "names of tasks", "tasks are numbers", open_tasks, false },
	{ "topology", "kernel/topology", "nodes of CPUs", "no CPU has a known node", open_topology,
	  false },
	{ "gfp", "kernel/gfp", "names of GFP flags", "flags are numbers", open_gfp, false },
	{ "slabinfo", "kernel/slabinfo", "counters of /proc/slabinfo",
	  "the objects that caches had at the start are not known", open_slabinfo, true },
	{ "process_memory", "kernel/process_memory", "readings of the memory of processes",
	  "the functions proc_mem_... are null", open_process_memory, true },
	{ "stacks", "kernel/stacks", "the stacks of sampled allocations",
	  "the fields of stacks are null", open_stacks, true },
	{ "user_symbols", "kernel/user_symbols", "names of the functions of processes",
	  "the field user_stack has addresses", open_user_symbols, true },
	{ "cgroups", "kernel/cgroups", "the cgroups of tasks",
	  "the fields cgroup and container are null", open_cgroups, true },
};

static int open_tables(struct capture *capture, int directory)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		__attribute__((cleanup(free_text))) char *text = NULL;
		int err = read_file(directory, tables[i].path, TABLE_BYTES_MAX, &text, NULL);

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

	if (asprintf(&path, "%s/kernel/symbols", capture->path) < 0) {
		path = NULL;
		return fail(capture, -ENOMEM, "%s: %s", capture->path, strerror(ENOMEM));
	}
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
			"symbols are damaged: the symbols behind the damage are missing, and their "
			"call "
			"sites are addresses");
	return 0;
}

/* The CPU whose stream has this file name, or -1. "cpu01" is not a stream. */
static int stream_cpu(const char *name)
{
	const char *end = name;
	unsigned int cpu;

	if (!cpu_name_parse(&end, CPU_MAX, &cpu) || *end || (name[3] == '0' && name[4]))
		return -1;
	return (int)cpu;
}

static int compare_streams(const void *a, const void *b)
{
	const struct capture_stream *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static int add_stream(struct capture *capture, const char *name, unsigned int cpu)
{
	struct capture_stream *streams, *stream;

	streams = reallocarray(capture->streams, capture->stream_count + 1, sizeof(*streams));
	if (!streams)
		return -ENOMEM;
	capture->streams = streams;
	stream = &streams[capture->stream_count];
	stream->cpu = cpu;
	if (asprintf(&stream->path, "%s/%s", capture->path, name) < 0)
		return -ENOMEM;
	capture->stream_count++;
	return 0;
}

static int open_streams(struct capture *capture)
{
	__attribute__((cleanup(close_directory))) DIR *directory = opendir(capture->path);
	const char *entry;
	int cpu, err = 0;

	if (!directory)
		return fail(capture, -errno, "%s: %s", capture->path, strerror(errno));
	while ((entry = inside_next(directory, &err))) {
		cpu = stream_cpu(entry);
		if (cpu >= 0)
			err = add_stream(capture, entry, cpu);
	}
	if (err)
		return fail(capture, err, "%s: %s", capture->path, strerror(-err));
	if (capture->stream_count)
		qsort(capture->streams, capture->stream_count, sizeof(*capture->streams),
		      compare_streams);
	return 0;
}

static int open_directory(struct capture *capture)
{
	char first[sizeof(STREAM_FRAME_FIRST)] = "";
	const char *path = capture->path;
	struct stat stat;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return fail(capture, -errno, "%s: %s", path, strerror(errno));
	if (!fstat(fd, &stat) && S_ISDIR(stat.st_mode))
		return fd;
	if (pread(fd, first, sizeof(first) - 1, 0) < 0)
		*first = '\0'; /* a pipe, or the like */
	close(fd);
	if (!strcmp(first, STREAM_FRAME_FIRST))
		return fail(capture, -ENOTDIR,
			    "%s is a capture from kmemtraced -o -, not a directory: read it with "
			    "kmemtrace-report -i - < %s, by the view events or count",
			    path, path);
	if (stream_cpu(basename(path)) >= 0)
		return fail(capture, -ENOTDIR,
			    "%s is a stream: name the capture's directory, which holds it", path);
	return fail(capture, -ENOTDIR, "%s is not a directory: not a capture", path);
}

int capture_open(struct capture *capture, const char *path)
{
	__attribute__((cleanup(close_fd))) int directory = -1;
	int err;

	memset(capture, 0, sizeof(*capture));
	capture->path = strdup(path);
	if (!capture->path)
		return fail(capture, -ENOMEM, "%s: %s", path, strerror(ENOMEM));
	directory = open_directory(capture);
	err = directory < 0 ? directory : open_streams(capture);
	if (!err)
		err = open_metadata(capture, directory);
	if (!err && !capture->stream_count)
		err = fail(capture, -EINVAL, "%s holds no streams (cpu0, cpu1, …)", path);
	if (!err)
		err = open_symbols(capture);
	/* before the status is read: the capture may be finished in between */
	capture->being_written = !err && capture_is_being_written(path);
	if (!err)
		err = open_status(capture, directory);
	capture->being_written &= capture->status.complete == STATUS_CUT_OFF;
	if (!err)
		err = open_tables(capture, directory);
	if (err)
		capture_close(capture);
	return err;
}

void capture_close(struct capture *capture)
{
	for (size_t i = 0; i < capture->stream_count; i++)
		free(capture->streams[i].path);
	free(capture->streams);
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

uint64_t capture_stream_bytes(const struct capture *capture)
{
	uint64_t bytes = 0;
	struct stat about;

	for (size_t i = 0; i < capture->stream_count; i++)
		if (!stat(capture->streams[i].path, &about))
			bytes += (uint64_t)about.st_size;
	return bytes;
}
