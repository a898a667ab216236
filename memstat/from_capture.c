// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A capture as a source. Each query reads it anew, since it may grow, and folds it as
 * kmemtrace-report does: what both tell is the same.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "memstat/internal.h"

struct memstat_capture {
	char *path; /* from the root: it stays right wherever the program goes */
	dev_t device;
	ino_t inode;
	uint64_t at; /* ns from the capture's begin, or MEMSTAT_CAPTURE_END */
	char errmsg[400];
};

/* Why the last memstat_capture_open() of this thread failed, which left nothing to ask. */
static _Thread_local char open_errmsg[400];

static struct memstat_capture *open_failed(struct memstat_capture *capture, int err)
{
	memstat_capture_close(capture);
	errno = err;
	return NULL;
}

/* Is it a capture, and one that can be read? */
static int probe(const char *path)
{
	struct capture opened;
	int err = capture_open(&opened, path);

	if (err)
		snprintf(open_errmsg, sizeof(open_errmsg), "%s", opened.errmsg);
	else
		capture_close(&opened);
	return -err;
}

struct memstat_capture *memstat_capture_open(const char *path)
{
	int err = path ? probe(path) : EINVAL;
	struct memstat_capture *capture;
	struct stat about;

	if (!path)
		snprintf(open_errmsg, sizeof(open_errmsg), "no path: name a capture's directory");
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
	/* no clock comes that far: a sum with it would not be later */
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

/* What goes wrong with the machine, and not with the capture, is KVM. */
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

static int fail(struct update *update, int err, const char *errmsg)
{
	return update_fail(update, error_of_capture(err), err, "%s", errmsg);
}

/* An older capture may have gone to another name, and a new one may have taken its place. */
static int look_again(struct update *update, const struct memstat_capture *source)
{
	struct stat about;

	if (stat(source->path, &about))
		return update_fail(update, error_of_capture(errno), errno, "%s: %m", source->path);
	if (about.st_dev == source->device && about.st_ino == source->inode)
		return 0;
	return update_fail(update, MEMSTAT_ERROR_DATAERROR, ESTALE,
			   "%s: another capture has taken its place: open that one", source->path);
}

/*
 * A table that is not there is known to be missing, and figures are right without it; names of
 * tasks are in none. Of one that cannot be read nobody knows what it would have changed.
 */
static int check_tables(struct update *update, const struct capture *capture)
{
	for (size_t i = 0; i < capture->missing_count; i++) {
		const struct capture_missing *missing = &capture->missing[i];

		if (missing->err && missing->err != -ENOENT && strcmp(missing->key, "tasks") != 0)
			return update_fail(update, error_of_capture(-missing->err), -missing->err,
					   "%s: %s", capture->path, missing->sentence);
	}
	return 0;
}

/* Damage with whole packets behind it: who made the capture did not leave it so. */
static int check_streams(struct update *update, const struct analysis *analysis)
{
	uint64_t damaged = analysis->damaged_bytes - analysis->cut_bytes;

	if (!damaged)
		return 0;
	return update_fail(update, MEMSTAT_ERROR_DATAERROR, EBADMSG,
			   "%s: %" PRIu64 " bytes in the midst of its streams are damaged: "
			   "kmemtrace-check tells which, and with --repair keeps the rest",
			   analysis->capture->path, damaged);
}

/* What is still being written ends where it ends. */
static bool is_cut(const struct analysis *analysis, const char **reason)
{
	const struct capture *capture = analysis->capture;

	if (capture->being_written)
		return false;
	if (analysis->cut_bytes)
		*reason = "a stream ends in the middle of a packet";
	else if (analysis->loss.cut_off)
		*reason = "its streams hold less than its status tells";
	else if (!capture->has_status)
		*reason = "it has no status, which is written first and last";
	else if (capture->status.complete == STATUS_CUT_OFF)
		*reason = "who wrote it did not come to the end";
	else
		return false;
	return true;
}

static uint64_t lost_in(const struct analysis *analysis, const struct type_stats *type_stats)
{
	const uint64_t parts[] = { analysis->loss.lost, analysis->loss.skipped,
				   analysis->totals.unknown, analysis->totals.untracked,
				   type_stats->omitted_events };
	uint64_t lost = 0;

	/* objects of a cache that was not told may count for one that lay there before */
	if (!analysis_knows_skips(analysis->capture) || analysis->capture->status.names_lost)
		return MEMSTAT_LOST_UNKNOWN;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (__builtin_add_overflow(lost, parts[i], &lost))
			return MEMSTAT_LOST_UNKNOWN;
	}
	return lost;
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

/* ns: after the last event, which may come later than the capture ended. */
static uint64_t end_of(const struct analysis *analysis)
{
	uint64_t end = analysis->end;

	for (size_t i = 0; i < analysis->cpu_count; i++) {
		if (analysis->cpus[i].time_last >= end)
			end = analysis->cpus[i].time_last + 1;
	}
	return end;
}

/* time is from the capture's begin. */
static uint64_t moment_of(const struct analysis *analysis, uint64_t time)
{
	uint64_t end = end_of(analysis);

	return time < end - analysis->begin ? analysis->begin + time : end;
}

static int hand_over(struct update *update, const struct memstat_capture *source,
		     const struct analysis *analysis, struct type_stats *type_stats)
{
	const struct slabinfo *slabinfo = &analysis->capture->slabinfo;
	uint64_t time = moment_of(analysis, source->at);
	const char *reason;
	int err = check_streams(update, analysis);

	if (!err && slabinfo->count) {
		/* one of the end alone has what was allocated meanwhile */
		const struct slabinfo_snapshot *first = &slabinfo->moments[0];

		err = type_stats_slabinfo(type_stats, first->time <= analysis->begin ? first : NULL,
					  slabinfo_at(slabinfo, source->at == MEMSTAT_CAPTURE_END
									? UINT64_MAX
									: time));
		if (err)
			fail(update, -err, strerror(-err));
	}
	if (err)
		return err;
	update_cpus(update, count_cpus(analysis->capture));
	update_classes(update, type_stats->class_bytes, type_stats->class_count);
	update_time(update, time);
	update_begun(update, analysis->begin);
	update_lost(update, lost_in(analysis, type_stats));
	put_types(update, type_stats, TYPE_STATS_FUNCTION);
	put_types(update, type_stats, TYPE_STATS_CACHE);
	if (!is_cut(analysis, &reason))
		return 0;
	update_lost(update, MEMSTAT_LOST_UNKNOWN);
	update_cut(update,
		   "%s: cut: %s: the figures are those up to the last whole packet; "
		   "kmemtrace-check tells more",
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
		.threads = 1, /* a program that links with a library has its own */
	};
	struct analysis analysis;
	struct type_stats type_stats;
	int err = type_stats_init(&type_stats, capture, NULL);

	if (err)
		return fail(update, -err, strerror(-err));
	settings.observers[0] = (struct observer){ type_stats_on_transition, &type_stats };
	if (source->at != MEMSTAT_CAPTURE_END)
		settings.select = &select;
	err = analysis_run(&analysis, capture, &settings);
	if (err) {
		fail(update, -err, capture->errmsg);
	} else {
		err = hand_over(update, source, &analysis, &type_stats);
		analysis_deinit(&analysis);
	}
	type_stats_deinit(&type_stats);
	return err;
}

static int read_capture(struct update *update, void *handle)
{
	struct memstat_capture *source = handle;
	struct capture capture;
	int err;

	if (!source)
		return update_fail(update, MEMSTAT_ERROR_DATAERROR, EINVAL,
				   "no capture: give what memstat_capture_open() returned");
	err = look_again(update, source);
	if (!err) {
		err = capture_open(&capture, source->path);
		if (err) {
			fail(update, -err, capture.errmsg);
		} else {
			err = check_tables(update, &capture);
			if (!err)
				err = read_streams(update, source, &capture);
			capture_close(&capture);
		}
	}
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
