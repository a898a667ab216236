// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A capture as a source. Each query reads the whole capture again, since it may have grown, and
 * analyses it as kmemtrace-report does, so both show the same counters.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/missing.h"
#include "base/number.h"
#include "capture/capture_file.h"
#include "live/memstat/internal.h"

struct memstat_capture {
	char *path; /* absolute: it stays valid when the program changes its directory */
	dev_t device;
	ino_t inode;
	uint64_t at; /* ns from the capture's begin, or MEMSTAT_CAPTURE_END */
	char errmsg[400];
};

/* Of the last memstat_capture_open() of this thread that failed: there is no capture to keep it. */
static _Thread_local char open_errmsg[400];

static struct memstat_capture *open_failed(struct memstat_capture *capture, int err)
{
	memstat_capture_close(capture);
	errno = err;
	return NULL;
}

/* Opens and closes the capture to check that it can be read. */
static int probe_capture(const char *path)
{
	struct capture_file file;
	struct capture opened;
	int err = capture_file_open(&file, path, false);

	if (err) {
		snprintf(open_errmsg, sizeof(open_errmsg), "%s", file.error.text);
	} else {
		err = capture_open(&opened, file.path);
		if (err)
			snprintf(open_errmsg, sizeof(open_errmsg), "%s", opened.error.text);
		else
			capture_close(&opened);
		capture_file_show(&file, path, open_errmsg, sizeof(open_errmsg));
	}
	capture_file_close(&file);
	return -err;
}

struct memstat_capture *memstat_capture_open(const char *path)
{
	int err = path ? probe_capture(path) : EINVAL;
	struct memstat_capture *capture;
	struct stat about;

	if (!path)
		snprintf(open_errmsg, sizeof(open_errmsg),
			 "no path: give the directory or the file of a capture");
	if (err)
		return open_failed(NULL, err);
	capture = calloc(1, sizeof(*capture));
	if (capture)
		capture->path = realpath(path, NULL);
	if (!capture || !capture->path || stat(capture->path, &about)) {
		err = errno;
		snprintf(open_errmsg, sizeof(open_errmsg), "%s: %m", path);
		return open_failed(capture, err);
	}
	capture->device = about.st_dev;
	capture->inode = about.st_ino;
	capture->at = MEMSTAT_CAPTURE_END;
	return capture;
}

int memstat_capture_at(struct memstat_capture *capture, uint64_t time)
{
	if (!capture) {
		errno = EINVAL;
		return -1;
	}
	/* so that adding it to the start of the capture does not overflow */
	capture->at = time > INT64_MAX ? MEMSTAT_CAPTURE_END : time;
	return 0;
}

void memstat_capture_close(struct memstat_capture *capture)
{
	if (!capture)
		return;
	free(capture->path);
	free(capture);
}

const char *memstat_capture_errortext(const struct memstat_capture *capture)
{
	return capture ? capture->errmsg : open_errmsg;
}

/* Failures of the machine, rather than of the capture, are MEMSTAT_ERROR_KVM. */
static int error_of_capture(int err)
{
	switch (err) {
	case EBADMSG:
	case EFBIG:
	case EINVAL:
	case EISDIR:
	case ELOOP:
	case ENAMETOOLONG:
	case ENODATA:
	case ENOENT:
	case ENOTDIR:
		return MEMSTAT_ERROR_DATAERROR;
	default:
		return error_of(err) == MEMSTAT_ERROR_DATAERROR ? MEMSTAT_ERROR_KVM : error_of(err);
	}
}

static int fail_from_capture(struct update *update, int err, const char *errmsg)
{
	return update_fail(update, error_of_capture(err), err, "%s", errmsg);
}

/* The capture may have been renamed, and another one may have its path now. */
static int check_same_capture(struct update *update, const struct memstat_capture *source)
{
	struct stat about;

	if (stat(source->path, &about))
		return update_fail(update, error_of_capture(errno), errno, "%s: %m", source->path);
	if (about.st_dev == source->device && about.st_ino == source->inode)
		return 0;
	return update_fail(update, MEMSTAT_ERROR_DATAERROR, ESTALE,
			   "%s: another capture is at this path now: open the path again",
			   source->path);
}

/*
 * An absent table is not an error, since the counters are right without it. A table that exists but
 * cannot be read is an error, since it might change them; except for the names of tasks, which no
 * counter depends on.
 */
static int check_tables(struct update *update, const struct capture *capture)
{
	for (size_t i = 0; i < capture->unread_count; i++) {
		const struct unread_table *unread = &capture->unread[i];

		if (unread->err && unread->err != -ENOENT && strcmp(unread->key, "tasks") != 0)
			return update_fail(update, error_of_capture(-unread->err), -unread->err,
					   "%s: %s", capture->path, unread->summary);
	}
	return 0;
}

/* Damage followed by whole packets, which an interrupted recording does not leave. */
static int check_streams(struct update *update, const struct analysis *analysis)
{
	uint64_t damaged = analysis->damaged_bytes - analysis->cut_bytes;

	if (!damaged)
		return 0;
	return update_fail(
		update, MEMSTAT_ERROR_DATAERROR, EBADMSG,
		"%s: %" PRIu64
		" bytes in the middle of its streams are damaged: kmemtrace-check shows which, and kmemtrace-check --repair saves the other bytes",
		analysis->capture->path, damaged);
}

/* Is the capture incomplete? One that is still being written is not cut. */
static bool is_cut(const struct analysis *analysis, const char **reason)
{
	const struct capture *capture = analysis->capture;

	if (capture->being_written)
		return false;
	if (analysis->cut_bytes)
		*reason = "a stream ends in the middle of a packet";
	else if (analysis->loss.lost_after_end)
		*reason = "its streams hold less than its status says";
	else if (!capture->has_status)
		*reason = "it has no status file";
	else if (capture->status.complete == STATUS_CUT_OFF)
		*reason = "its writer did not finish it";
	else
		return false;
	return true;
}

static uint64_t lost_in(const struct analysis *analysis, const struct type_stats *type_stats)
{
	const struct missing missing = missing_of_capture(analysis);
	uint64_t lost = missing_events(&missing);

	number_add(&lost, type_stats->omitted_events);
	/* objects of a cache whose name was lost may count for an earlier cache at that address */
	return missing.skipped_partial || missing.names_lost ? MEMSTAT_LOST_UNKNOWN : lost;
}

static size_t count_cpus(const struct capture *capture)
{
	const struct topology *topology = &capture->topology;
	size_t cpus = capture->streams[capture->stream_count - 1].cpu + 1;

	if (topology->count && topology->list[topology->count - 1].cpu >= cpus)
		cpus = topology->list[topology->count - 1].cpu + 1;
	return cpus;
}

static void put_types(struct update *update, const struct type_stats *type_stats,
		      enum type_stats_kind kind)
{
	for (size_t i = 0; i < type_stats->count; i++) {
		if (type_stats->types[i].kind == kind)
			update_put_type_stats(update, &type_stats->types[i]);
	}
}

/* ns: after the last event, which may be later than the end of the capture. */
static uint64_t end_time(const struct analysis *analysis)
{
	uint64_t end = analysis->end;

	for (size_t i = 0; i < analysis->cpu_count; i++) {
		if (analysis->cpus[i].time_last >= end)
			end = analysis->cpus[i].time_last + 1;
	}
	return end;
}

/* ns: of the snapshot that shows the capture at a time after its begin. */
static uint64_t snapshot_time(const struct analysis *analysis, uint64_t time)
{
	uint64_t end = end_time(analysis);

	return time < end - analysis->begin ? analysis->begin + time : end;
}

/* Captures of older versions, and imported ones, do not say which paths they observe. */
static int put_paths(struct update *update, const struct status *status)
{
	char *names;
	int err;

	if (!status->path_count)
		return 0;
	names = status_unobserved_names(status, ",");
	err = names ? update_set_paths(update, names)
		    : fail_from_capture(update, ENOMEM, strerror(ENOMEM));
	free(names);
	return err;
}

static int put_analysis(struct update *update, const struct memstat_capture *source,
			const struct analysis *analysis, struct type_stats *type_stats)
{
	const struct slabinfo *slabinfo = &analysis->capture->slabinfo;
	uint64_t time = snapshot_time(analysis, source->at);
	const char *reason;
	int err = check_streams(update, analysis);

	if (!err && slabinfo->count) {
		/* a snapshot taken only at the end includes objects that were allocated meanwhile
		 */
		const struct slabinfo_snapshot *first = &slabinfo->snapshots[0];

		err = type_stats_slabinfo(type_stats, first->time <= analysis->begin ? first : NULL,
					  slabinfo_at(slabinfo, source->at == MEMSTAT_CAPTURE_END
									? UINT64_MAX
									: time));
		if (err)
			fail_from_capture(update, -err, strerror(-err));
	}
	if (err)
		return err;
	update_set_cpus(update, count_cpus(analysis->capture));
	update_set_classes(update, type_stats->class_bytes, type_stats->class_count);
	update_set_time(update, time);
	update_set_begin_time(update, analysis->begin);
	update_set_lost(update, lost_in(analysis, type_stats));
	err = put_paths(update, &analysis->capture->status);
	if (err)
		return err;
	put_types(update, type_stats, TYPE_STATS_FUNCTION);
	put_types(update, type_stats, TYPE_STATS_CACHE);
	if (!is_cut(analysis, &reason))
		return 0;
	update_set_lost(update, MEMSTAT_LOST_UNKNOWN);
	update_cut(
		update,
		"%s: the capture was cut: %s: the counters include everything up to the last whole packet; run kmemtrace-check for details",
		source->path, reason);
	return 0;
}

static int read_streams(struct update *update, const struct memstat_capture *source,
			struct capture *capture)
{
	const struct select select = { .before = source->at, .at_begin = !source->at };
	struct analysis_settings settings = {
		.by = GROUP_BY_FUNCTION,
		.observer_count = 1,
		.observers_only = true,
		.threads = 1, /* the program that uses the library decides about threads */
	};
	struct analysis analysis;
	struct type_stats type_stats;
	int err = type_stats_init(&type_stats, capture, NULL);

	if (err)
		return fail_from_capture(update, -err, strerror(-err));
	settings.observers[0] = (struct observer){ type_stats_on_transition, &type_stats };
	if (source->at != MEMSTAT_CAPTURE_END)
		settings.select = &select;
	err = analysis_run(&analysis, capture, &settings);
	if (err) {
		fail_from_capture(update, -err, capture->error.text);
	} else {
		err = put_analysis(update, source, &analysis, &type_stats);
		analysis_deinit(&analysis);
	}
	type_stats_deinit(&type_stats);
	return err;
}

static int read_directory(struct update *update, struct memstat_capture *source, const char *path)
{
	struct capture capture;
	int err = capture_open(&capture, path);

	if (err)
		return fail_from_capture(update, -err, capture.error.text);
	err = check_tables(update, &capture);
	if (!err)
		err = read_streams(update, source, &capture);
	capture_close(&capture);
	return err;
}

static int read_capture(struct update *update, void *handle)
{
	struct memstat_capture *source = handle;
	struct capture_file file;
	int err;

	if (!source)
		return update_fail(update, MEMSTAT_ERROR_DATAERROR, EINVAL,
				   "no capture: give the result of memstat_capture_open()");
	err = check_same_capture(update, source);
	if (err)
		return err;
	err = capture_file_open(&file, source->path, false);
	if (err)
		err = fail_from_capture(update, -err, file.error.text);
	else
		err = read_directory(update, source, file.path);
	if (err)
		capture_file_show(&file, source->path, update->failure.errmsg,
				  sizeof(update->failure.errmsg));
	capture_file_close(&file);
	return err;
}

static int query_capture(struct memory_type_list *list, unsigned int allocators, void *handle)
{
	struct memstat_capture *capture = handle;
	int result = query(list, allocators, read_capture, capture);

	if (result && list && capture)
		snprintf(capture->errmsg, sizeof(capture->errmsg), "%s", list->failure.errmsg);
	return result;
}

int memstat_kvm_all(struct memory_type_list *list, void *kvm_handle)
{
	return query_capture(list, QUERY_ALL, kvm_handle);
}

int memstat_kvm_malloc(struct memory_type_list *list, void *kvm_handle)
{
	return query_capture(list, QUERY_MALLOC, kvm_handle);
}

int memstat_kvm_uma(struct memory_type_list *list, void *kvm_handle)
{
	return query_capture(list, QUERY_UMA, kvm_handle);
}
