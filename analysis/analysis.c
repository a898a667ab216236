// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Runs the matcher over the merged streams, then adds the streams' own counters and the window. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "analysis/analysis.h"
#include "analysis/audit.h"
#include "analysis/cache_marks.h"
#include "analysis/estimate.h"
#include "analysis/heap_findings.h"
#include "analysis/live_curve.h"
#include "analysis/live_stacks.h"
#include "analysis/matcher.h"
#include "analysis/missing.h"
#include "analysis/peak_heap.h"
#include "base/array.h"
#include "base/number.h"
#include "capture/merge.h"

#define PROGRESS_EVENTS 65536 /* events between two calls of settings.progress */

/* Does the status file have the times from which and until which all programs were attached? */
static bool knows_times(const struct status *status)
{
	return status->complete == STATUS_COMPLETE ||
	       (status->complete == STATUS_REPAIRED && status->begin && status->end);
}

uint64_t analysis_known_end(const struct analysis *analysis)
{
	const struct status *status = &analysis->capture->status;
	uint64_t end = status->until ? status->until : status->end;

	return knows_times(status) ? MIN(end, analysis->window_end) : UINT64_MAX;
}

/* The time of the capture's clock. is_date: ns are since 1970, else from the begin. */
static uint64_t time_of(const struct analysis *analysis, uint64_t ns, bool is_date)
{
	uint64_t wall_offset = analysis->capture->metadata.wall_offset;

	if (!is_date)
		return analysis->begin + ns;
	return MAX(ns, analysis->begin + wall_offset) - wall_offset;
}

/* The capture begins with its first stream: this is known before the streams are read. */
static void find_begin(struct analysis *analysis, const struct merge *merge)
{
	const struct status *status = &analysis->capture->status;
	const struct select *select = analysis->settings.select;

	analysis->begin = UINT64_MAX;
	for (size_t i = 0; i < merge_stream_count(merge); i++) {
		const struct stream_counters *stream = merge_stream_counters(merge, i);

		if (stream->packets && stream->time_first < analysis->begin)
			analysis->begin = stream->time_first;
	}
	if (analysis->capture->checkpoint.begin)
		analysis->begin = analysis->capture->checkpoint.begin;
	/* the status of a live capture has the begin, and gets the end */
	if (knows_times(status) || (analysis->capture->live && status->begin))
		analysis->begin = status->begin;
	/* times count from the begin of a set, even if its first pieces are not read */
	if (analysis->capture->parts.origin)
		analysis->begin = analysis->capture->parts.origin;
	if (analysis->begin == UINT64_MAX)
		analysis->begin = 0;
	analysis->window_begin = 0;
	analysis->window_end = UINT64_MAX;
	if (select && select->after)
		analysis->window_begin = time_of(analysis, select->after, select->after_is_date);
	if (analysis->settings.end)
		analysis->window_end = analysis->settings.end;
	if (select && (select->before || select->at_begin))
		analysis->window_end = time_of(analysis, select->before, select->before_is_date);
}

static int add_gap(struct analysis *analysis, struct analysis_gap gap)
{
	struct analysis_gap *gaps = array_grow(analysis->gaps, analysis->gap_count, sizeof(*gaps));

	if (!gaps)
		return -ENOMEM;
	analysis->gaps = gaps;
	gaps[analysis->gap_count++] = gap;
	return 0;
}

static int add_stream_gaps(struct analysis *analysis, const struct stream_counters *stream)
{
	int err = 0;

	for (size_t i = 0; i < stream->loss.count && !err; i++) {
		const struct loss_span *span = &stream->loss.spans[i];

		err = add_gap(analysis,
			      (struct analysis_gap){ .after = span->after,
						     .before = span->before,
						     .count = span->last - span->first + 1,
						     .cpu = stream->cpu });
	}
	return err;
}

static int add_skip_gaps(struct analysis *analysis)
{
	const struct status *status = &analysis->capture->status;
	int err = 0;

	for (size_t i = 0; i < status->skip_span_count && !err; i++) {
		const struct status_skip_span *span = &status->skip_spans[i];

		err = add_gap(analysis, (struct analysis_gap){ .after = span->after,
							       .before = span->before,
							       .count = span->count,
							       .is_skip = true });
	}
	return err;
}

static struct analysis_cpu *find_analysis_cpu(struct analysis *analysis, unsigned int cpu)
{
	for (size_t i = 0; i < analysis->cpu_count; i++)
		if (analysis->cpus[i].cpu == cpu)
			return &analysis->cpus[i];
	return NULL;
}

static int compare_cpus(const void *left, const void *right)
{
	const struct analysis_cpu *a = left, *b = right;

	return (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

/*
 * The status file of a finished capture has the number of records of each stream. Records that are
 * not there, because a stream was truncated or deleted, are lost.
 */
static int add_lost_after_end(struct analysis *analysis)
{
	const struct status *status = &analysis->capture->status;
	int err = 0;

	if (status->complete != STATUS_COMPLETE)
		return 0;
	for (size_t i = 0; i < status->cpu_count && !err; i++) {
		uint64_t missing = status->cpus[i].recorded;
		struct analysis_cpu *cpu = find_analysis_cpu(analysis, status->cpus[i].cpu);

		number_add(&missing, status->cpus[i].lost);
		if (!missing || (cpu && cpu->in_stream + cpu->lost >= missing))
			continue;
		if (!cpu) {
			cpu = &analysis->cpus[analysis->cpu_count++];
			cpu->cpu = status->cpus[i].cpu;
		}
		missing -= cpu->in_stream + cpu->lost;
		cpu->lost += missing;
		number_add(&analysis->loss.lost, missing);
		number_add(&analysis->loss.lost_after_end, missing);
		err = add_gap(analysis, (struct analysis_gap){ .after = cpu->time_last,
							       .before = UINT64_MAX,
							       .count = missing,
							       .cpu = cpu->cpu });
		if (!err && analysis->findings)
			err = heap_findings_add_loss(analysis->findings, cpu->time_last,
						     UINT64_MAX);
	}
	qsort(analysis->cpus, analysis->cpu_count, sizeof(*analysis->cpus), compare_cpus);
	return err;
}

/* The streams' counters, when all are read. */
static int add_stream_counters(struct analysis *analysis, const struct merge *merge)
{
	const struct capture *capture = analysis->capture;
	const struct status *status = &capture->status;
	struct analysis_loss *loss = &analysis->loss;
	uint64_t initial = 0;
	int err = 0;

	analysis->cpus =
		calloc(merge_stream_count(merge) + status->cpu_count + 1, sizeof(*analysis->cpus));
	if (!analysis->cpus)
		return -ENOMEM;
	for (size_t i = 0; i < merge_stream_count(merge) && !err; i++) {
		const struct stream_counters *stream = merge_stream_counters(merge, i);

		analysis->cpus[analysis->cpu_count++] = (struct analysis_cpu){
			.cpu = stream->cpu,
			.recorded = stream->recorded,
			.in_stream = stream->recorded - stream->from_before + stream->left_to_next,
			.lost = stream->loss.confirmed,
			.own = stream->own,
			.time_last = stream->time_last,
		};
		loss->recorded += stream->recorded;
		number_add(&loss->lost, stream->loss.confirmed);
		loss->own += stream->own;
		if (stream->all_cpus_skipped > loss->skipped)
			loss->skipped = stream->all_cpus_skipped;
		if (stream->time_last > analysis->end)
			analysis->end = stream->time_last;
		analysis->totals.unknown += stream->unknown;
		analysis->damaged_bytes += stream->damaged_bytes;
		analysis->cut_bytes += stream->cut_bytes;
		initial += stream->initial;
		analysis->caches_unknown += stream->caches_unknown;
		analysis->anonymous_allocations += stream->anonymous_allocations;
		err = add_stream_gaps(analysis, stream);
		if (!err && analysis->findings)
			err = heap_findings_add_losses(analysis->findings, &stream->loss);
	}
	if (initial < capture->checkpoint.objects)
		analysis->initial_missing = capture->checkpoint.objects - initial;
	if (!err)
		err = add_lost_after_end(analysis);
	if (!err)
		err = add_skip_gaps(analysis);
	if (knows_times(status))
		analysis->end = status->until ? status->until : status->end;
	if (analysis->begin > analysis->end)
		analysis->begin = analysis->end;
	loss->skipped_partial = !capture_knows_skips(capture);
	if (!loss->skipped_partial)
		loss->skipped = status->skipped;
	loss->own_known = capture_knows_own(capture);
	loss->seen = loss->recorded;
	number_add(&loss->seen, loss->lost);
	number_add(&loss->seen, loss->skipped);
	return err;
}

/* Samples and frees of sampled objects without a record, and what is known of them. */
static void add_lost_samples(struct analysis *analysis)
{
	const struct capture *capture = analysis->capture;
	const struct status *status = &capture->status;
	const struct analysis_totals *totals = &analysis->totals;
	const struct missing missing = missing_of_capture(analysis);
	const struct status_counted all = status_sum_counted(status);
	struct estimate_counted counted = { .objects = (double)all.allocations,
					    .bytes = (double)all.bytes,
					    .objects_found = totals->allocations,
					    .bytes_found = totals->bytes_allocated };
	/* of a piece, the counters are read a moment before or after its first and last event */
	bool is_counted = status->sampling.is_profile && status->complete == STATUS_COMPLETE &&
			  !status->until && !capture->checkpoint.begin;

	estimates_set_lost(analysis->estimates, missing.lost + missing.uncounted,
			   analysis->initial_missing + capture->checkpoint.lost,
			   is_counted ? &counted : NULL);
}

/* Limits the window to the time that the capture covers. */
static int finish_window(struct analysis *analysis, struct matcher *matcher)
{
	uint64_t end = analysis->window_end;
	int err;

	if (end > analysis->end)
		end = analysis->end;
	err = matcher_finish(matcher, end);
	if (analysis->window_begin < analysis->begin)
		analysis->window_begin = analysis->begin;
	if (analysis->window_begin < analysis->capture->checkpoint.begin)
		analysis->window_begin = analysis->capture->checkpoint.begin;
	if (analysis->window_begin > end)
		analysis->window_begin = end;
	return !err && analysis->findings ? heap_findings_classify(analysis->findings) : err;
}

static int match_events(struct analysis *analysis, struct merge *merge, struct matcher *matcher)
{
	const struct analysis_settings *settings = &analysis->settings;
	const struct event *events;
	uint64_t taken = 0, done, bytes;
	int got, err;

	while ((got = merge_next(merge, &events)) > 0) {
		err = live_curve_take(matcher, events, (size_t)got);
		if (err)
			return err;
		taken += (size_t)got;
		if (taken < PROGRESS_EVENTS || !settings->progress)
			continue;
		taken = 0;
		done = merge_progress(merge, &bytes);
		settings->progress(settings->progress_data, done, bytes);
	}
	err = got ? got : add_stream_counters(analysis, merge);
	if (!err)
		err = finish_window(analysis, matcher);
	if (analysis->estimates)
		add_lost_samples(analysis);
	matcher_last_allocations(matcher, settings->last_allocation);
	return err ? err : cache_marks_add_rest(analysis);
}

/* Objects of a checkpoint may have been freed by an event that was lost before it. */
static int add_losses_before(struct analysis *analysis)
{
	const struct checkpoint_state *before = &analysis->capture->checkpoint;
	int err = 0;

	if (before->lost)
		err = heap_findings_add_loss(analysis->findings, before->lost_after,
					     before->lost_before);
	if (!err && before->skipped)
		err = heap_findings_add_loss(analysis->findings, before->since, before->begin);
	return err;
}

int analysis_run(struct analysis *analysis, struct capture *capture,
		 const struct analysis_settings *settings)
{
	struct matcher *matcher = NULL;
	struct merge *merge = NULL;
	int err;

	memset(analysis, 0, sizeof(*analysis));
	if (settings)
		analysis->settings = *settings;
	analysis->capture = capture;
	*capture->error.text = 0;
	err = object_table_init(&analysis->objects);
	if (!err)
		err = merge_open(&merge, capture, analysis->settings.threads,
				 analysis->objects.seed);
	if (!err)
		find_begin(analysis, merge);
	if (!err && analysis->settings.findings)
		err = heap_findings_open(&analysis->findings, analysis);
	if (!err && analysis->findings)
		err = add_losses_before(analysis);
	if (!err && analysis->settings.estimate)
		err = estimates_init(&analysis->estimates, &capture->status.sampling);
	if (!err && analysis->estimates)
		analysis->estimates->counts_at_end = analysis->settings.select &&
						     analysis->settings.select->older;
	if (!err && analysis->settings.peak_heap)
		err = peak_heap_open(&analysis->peak_heap, analysis);
	if (!err && analysis->settings.live_stacks && capture->status.sampling.interval)
		err = live_stacks_open(&analysis->live_stacks);
	if (!err)
		err = matcher_open(&matcher, analysis);
	if (!err)
		err = match_events(analysis, merge, matcher);
	if (err && !*capture->error.text)
		snprintf(capture->error.text, sizeof(capture->error.text), "%s: %s", capture->path,
			 strerror(-err));
	matcher_close(matcher);
	merge_close(merge);
	if (err)
		analysis_deinit(analysis);
	return err;
}

void analysis_deinit(struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->group_count; i++)
		free(analysis->groups[i].lifetimes);
	free(analysis->groups);
	free(analysis->caches);
	cache_marks_deinit(analysis);
	free(analysis->sites);
	free(analysis->cpus);
	free(analysis->gaps);
	audit_deinit(&analysis->audit);
	object_table_deinit(&analysis->objects);
	heap_findings_close(analysis->findings);
	peak_heap_close(analysis->peak_heap);
	estimates_deinit(analysis->estimates);
	live_stacks_close(analysis->live_stacks);
	memset(analysis, 0, sizeof(*analysis));
}

const struct slab_object *analysis_next_live(const struct analysis *analysis, size_t *next)
{
	const struct slab_object *object;

	do {
		object = object_table_next(&analysis->objects, next);
	} while (object && object->flags & (OBJECT_FREED | OBJECT_LEFT_OUT | OBJECT_PREWINDOW));
	return object;
}

double analysis_coverage(uint64_t frees, uint64_t missed_frees)
{
	if (!missed_frees)
		return 100;
	return 100 * (double)frees / ((double)frees + (double)missed_frees);
}

double analysis_fragmentation(uint64_t wasted, uint64_t allocated)
{
	return allocated ? 100 * (double)wasted / (double)allocated : 0;
}
