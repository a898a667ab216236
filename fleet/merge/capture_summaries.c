// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Analyses a capture and writes a summary at the end of each interval. Which interval lost events
 * is known after the analysis only: then the summaries are written again.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "analysis/analysis.h"
#include "analysis/estimate.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/progress.h"
#include "fleet/merge/capture_summaries.h"
#include "fleet/summary/summary_count.h"
#include "fleet/summary/summary_file.h"

#define FIRST_FILE "first" SUMMARY_FILE_SUFFIX

/* The values that are known after the analysis. */
struct interval {
	uint64_t end; /* ns of the capture's clock */
	uint64_t lost, skipped;
};

struct writing {
	struct capture_summaries *summaries;
	struct capture *capture;
	struct summary_counter counter;
	FILE *file;
	struct interval *intervals;
	size_t count;
	uint64_t last;	      /* ns since 1970: behind the last event */
	uint64_t begin, next; /* ns since 1970: of the interval that is counted, and of its end */
	uint64_t run;
	bool has_begun;
	char boot[2 * sizeof(((struct metadata *)0)->uuid) + 1];
};

static int fail_writing(struct writing *writing, int err, const char *what)
{
	snprintf(writing->summaries->errmsg, sizeof(writing->summaries->errmsg), "%s: %s",
		 writing->capture->path, what);
	return err;
}

static int fail_errno(struct writing *writing, int err)
{
	return fail_writing(writing, err, strerror(-err));
}

static uint64_t wall_time(const struct writing *writing, uint64_t time)
{
	uint64_t wall;

	if (__builtin_add_overflow(time, writing->capture->metadata.wall_offset, &wall))
		return UINT64_MAX;
	return wall;
}

/* The end of the interval that has the time. */
static uint64_t end_of_interval(const struct writing *writing, uint64_t time)
{
	uint64_t interval = writing->summaries->interval, end;

	if (!interval || __builtin_add_overflow(time - time % interval, interval, &end))
		return UINT64_MAX;
	return end;
}

static void begin_writing(struct writing *writing, const struct analysis *analysis)
{
	if (writing->has_begun)
		return;
	writing->has_begun = true;
	writing->run = wall_time(writing, MAX(analysis->begin, writing->capture->checkpoint.begin));
	writing->begin = writing->run;
	writing->next = end_of_interval(writing, writing->begin);
}

/* A capture has no id of the boot: its own id stands for it. */
static int set_source(const struct writing *writing, struct summary *summary)
{
	struct metadata *metadata = &writing->capture->metadata;
	struct summary_source source = {
		.host = metadata->hostname,
		.boot = (char *)writing->boot,
		.run = writing->run,
		.first = writing->count,
		.last = writing->count,
	};
	struct summary_host host = {
		.kernel = metadata->release,
		.arch = metadata->machine,
		.cpus = (uint32_t)writing->capture->stream_count,
	};
	int err = summary_add_source(summary, &source);

	return err ? err : summary_set_host(summary, &host);
}

static void set_missing(const struct analysis *analysis, struct missing *missing)
{
	const struct missing of_capture = missing_of_capture(analysis);

	missing->unobserved = of_capture.unobserved;
	missing->names_lost = of_capture.names_lost;
	missing->sampling = of_capture.sampling;
}

static int write_summary(const struct summary *summary, FILE *file)
{
	__attribute__((cleanup(free_text))) char *text = NULL;
	size_t size;
	int err = summary_write_text(summary, &text, &size);

	if (!err && fwrite(text, 1, size, file) != size)
		err = errno ? -errno : -EIO;
	return err;
}

/* The summary until the end, ns since 1970. */
static int close_interval(struct writing *writing, const struct analysis *analysis, uint64_t end)
{
	struct interval *intervals;
	struct summary summary;
	int err;

	if (writing->count == CAPTURE_SUMMARIES_MAX)
		return fail_writing(writing, -EFBIG,
				    "too many intervals: give a longer --interval");
	intervals = array_grow(writing->intervals, writing->count, sizeof(*intervals));
	if (!intervals)
		return fail_errno(writing, -ENOMEM);
	writing->intervals = intervals;
	err = summary_count_take(&writing->counter, &summary);
	if (err)
		return fail_errno(writing, err);
	summary.begin = writing->begin;
	summary.end = summary.live_at = end;
	summary.live_hosts = 1;
	set_missing(analysis, &summary.missing);
	err = set_source(writing, &summary);
	if (!err)
		err = write_summary(&summary, writing->file);
	summary_deinit(&summary);
	if (err)
		return fail_errno(writing, err);
	intervals[writing->count++] =
		(struct interval){ .end = end - writing->capture->metadata.wall_offset };
	writing->begin = end;
	writing->next = end_of_interval(writing, end);
	return 0;
}

static int count_summary(void *data, const struct analysis *analysis,
			 const struct transition *transition)
{
	struct writing *writing = data;
	int err = 0;

	begin_writing(writing, analysis);
	if (transition->event && transition->outcome != OUTCOME_INITIAL) {
		uint64_t time = wall_time(writing, transition->event->time);

		while (time >= writing->next && writing->next != UINT64_MAX && !err)
			err = close_interval(writing, analysis, writing->next);
		writing->last = MAX(writing->last, time + 1);
	}
	return err ? err : summary_count_transition(&writing->counter, analysis, transition);
}

/*
 * Live figures are those of the latest time: no two summaries of a capture may have the same end,
 * even if there are events behind the end of the capture.
 */
static int close_last(struct writing *writing, const struct analysis *analysis)
{
	uint64_t end = MAX(wall_time(writing, analysis->end), writing->last);
	int err = 0;

	begin_writing(writing, analysis);
	while (end > writing->next && !err)
		err = close_interval(writing, analysis, writing->next);
	return err ? err : close_interval(writing, analysis, MAX(end, writing->begin));
}

/* The first interval that ends at the time or later; or the last one. */
static struct interval *find_interval(struct writing *writing, uint64_t time)
{
	size_t low = 0, high = writing->count - 1;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (writing->intervals[middle].end < time)
			low = middle + 1;
		else
			high = middle;
	}
	return &writing->intervals[low];
}

/* Each event counts where it was known to be missing; those without a time count at the end. */
static void find_losses(struct writing *writing, const struct analysis *analysis)
{
	const struct missing missing = missing_of_capture(analysis);
	uint64_t lost = missing.lost, skipped = missing.skipped;
	struct interval *last = &writing->intervals[writing->count - 1];

	for (size_t i = 0; i < analysis->gap_count; i++) {
		const struct analysis_gap *gap = &analysis->gaps[i];
		struct interval *interval = find_interval(writing, gap->before);
		uint64_t *left = gap->is_skip ? &skipped : &lost;
		uint64_t count = MIN(gap->count, *left);

		*left -= count;
		if (gap->is_skip)
			interval->skipped += count;
		else
			interval->lost += count;
	}
	last->lost += lost;
	last->skipped += skipped;
}

static int copy_summary(struct writing *writing, const struct analysis *analysis, size_t number,
			uint64_t *recorded, struct summary *summary)
{
	struct missing *missing = &summary->missing;

	missing->lost = writing->intervals[number].lost;
	missing->skipped = writing->intervals[number].skipped;
	*recorded -= MIN(*recorded, missing->recorded);
	if (number == writing->count - 1) {
		missing->recorded += *recorded;
		missing->uncounted = missing_of_capture(analysis).uncounted;
	}
	return write_summary(summary, writing->file);
}

/* Reads the summaries that were written, and writes them with the losses. */
static int write_again(struct writing *writing, const struct analysis *analysis, const char *from)
{
	uint64_t recorded = analysis->loss.recorded;
	struct summary_reader reader;
	struct summary summary;
	size_t number = 0;
	int more, err = summary_reader_open(&reader, from);

	while (!err && (more = summary_reader_next(&reader, &summary))) {
		err = more == 1 ? copy_summary(writing, analysis, number++, &recorded, &summary)
				: more;
		if (more == 1)
			summary_deinit(&summary);
	}
	summary_reader_close(&reader);
	return err ? fail_errno(writing, err) : 0;
}

static int begin_file(struct writing *writing, const char *path)
{
	writing->file = fopen(path, "wxe");
	if (!writing->file)
		return fail_errno(writing, -errno);
	fputs(SUMMARY_FILE_HEADER, writing->file);
	return 0;
}

static int finish_file(struct writing *writing)
{
	int err = text_write_result(writing->file);

	if (fclose(writing->file) && !err)
		err = -errno;
	writing->file = NULL;
	return err ? fail_errno(writing, err) : 0;
}

static int analyse_capture(struct writing *writing, const char *first, const char *path)
{
	struct progress_line *line = writing->summaries->line;
	const struct analysis_settings settings = {
		.by = GROUP_BY_FUNCTION,
		.observers = { { count_summary, writing } },
		.observer_count = 1,
		.estimate = writing->capture->status.sampling.is_profile,
		.progress = line ? progress_line_bytes : NULL,
		.progress_data = line,
	};
	struct analysis analysis;
	int err = begin_file(writing, first);

	if (err)
		return err;
	err = analysis_run(&analysis, writing->capture, &settings);
	progress_line_clear();
	if (err) {
		if (!*writing->summaries->errmsg)
			snprintf(writing->summaries->errmsg, sizeof(writing->summaries->errmsg),
				 "%s", writing->capture->error.text);
		return err;
	}
	writing->summaries->damaged_bytes = analysis.damaged_bytes;
	err = close_last(writing, &analysis);
	if (!err)
		err = finish_file(writing);
	if (!err)
		err = begin_file(writing, path);
	if (!err) {
		find_losses(writing, &analysis);
		err = write_again(writing, &analysis, first);
	}
	if (!err)
		err = finish_file(writing);
	analysis_deinit(&analysis);
	return err;
}

int capture_summaries_write(struct capture_summaries *summaries, const char *capture_path,
			    const char *path)
{
	__attribute__((cleanup(free_text))) char *first =
		join_path(summaries->directory, FIRST_FILE);
	struct capture capture;
	struct writing writing = { .summaries = summaries, .capture = &capture };
	int err;

	*summaries->errmsg = '\0';
	err = capture_open(&capture, capture_path);
	if (err) {
		snprintf(summaries->errmsg, sizeof(summaries->errmsg), "%s", capture.error.text);
		return err;
	}
	summaries->left_out = capture.parts.left_out;
	for (size_t i = 0; i < sizeof(capture.metadata.uuid); i++)
		sprintf(writing.boot + 2 * i, "%02x", capture.metadata.uuid[i]);
	err = first ? summary_counter_init(&writing.counter, &capture) : -ENOMEM;
	if (err) {
		fail_errno(&writing, err);
	} else {
		err = analyse_capture(&writing, first, path);
		unlink(first);
	}
	if (writing.file)
		fclose(writing.file);
	summary_counter_deinit(&writing.counter);
	free(writing.intervals);
	capture_close(&capture);
	return err;
}
