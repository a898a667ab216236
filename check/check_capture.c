// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The checks of a whole capture: all parts exist, and its tables agree with its streams. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/files.h"
#include "check/check_capture.h"
#include "check/check_checkpoint.h"

#define report_problem(state, ...) \
	problems_add((state)->problems, &(state)->check->info, PROBLEM_NO_OFFSET, __VA_ARGS__)

/* Another version may write other metadata. */
static void check_metadata(struct capture_state *state)
{
	const struct metadata *metadata = &state->capture->metadata;
	int err;

	if (strcmp(metadata->tracer_version, PACKAGE_VERSION) != 0)
		return;
	err = metadata_compare_file(metadata, state->problems->path);
	if (error_is_shortage(err))
		state->err = err;
	else if (err)
		report_problem(state, "differs from the metadata that kmemtraced %s writes",
			       PACKAGE_VERSION);
}

/* Some kernels hide their addresses, or the names of their GFP flags. */
static bool is_hidden_by_kernel(const struct capture *capture, const struct unread_table *unread)
{
	return strcmp(unread->key, "hidden") == 0 ||
	       (strcmp(unread->key, "gfp") == 0 && unread->err == -ENOENT &&
		capture->status.complete == STATUS_COMPLETE);
}

/* A later version wrote the table. In this version's captures an unknown format is damage. */
bool check_table_is_newer(const struct capture *capture, const struct unread_table *unread)
{
	return unread->err == -EPROTONOSUPPORT &&
	       strcmp(capture->metadata.tracer_version, PACKAGE_VERSION) != 0;
}

/* A repair reported the tables that it lost. */
static void check_tables(struct capture_state *state)
{
	const struct capture *whole = state->capture;

	if (whole->status.complete == STATUS_REPAIRED)
		return;
	for (size_t i = 0; i < whole->unread_count; i++) {
		/* A newer table is reported as unchecked, not as a problem. */
		if (is_hidden_by_kernel(whole, &whole->unread[i]) ||
		    check_table_is_newer(whole, &whole->unread[i]))
			continue;
		report_problem(state, "%s", whole->unread[i].summary);
		/* A repair makes this table from the streams, and no other. */
		state->problems->repairable += strcmp(whole->unread[i].key, "status") == 0;
	}
}

static void check_complete(struct capture_state *state)
{
	if (state->capture->being_written)
		report_problem(state, "kmemtraced is still writing the capture");
	else if (state->capture->has_status && state->capture->status.complete == STATUS_CUT_OFF)
		report_problem(state, "the capture was cut off: kmemtraced did not finish it");
}

static const struct stream_state *find_stream(const struct capture_state *state, unsigned int cpu)
{
	const struct capture *whole = state->capture;
	size_t low = 0, high = whole->stream_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (whole->streams[middle].cpu < cpu)
			low = middle + 1;
		else
			high = middle;
	}
	return low < whole->stream_count && whole->streams[low].cpu == cpu ? &state->streams[low]
									   : NULL;
}

static void check_streams(struct capture_state *state)
{
	const struct capture *whole = state->capture;
	const struct status *status = &whole->status;

	if (!whole->has_status)
		return;
	for (size_t i = 0; i < status->cpu_count; i++) {
		unsigned int cpu = status->cpus[i].cpu;

		if (!find_stream(state, cpu))
			report_problem(state, "the stream of cpu%u is missing", cpu);
	}
	for (size_t i = 0; status->complete != STATUS_CUT_OFF && i < whole->stream_count; i++) {
		if (!status_find_cpu(status, whole->streams[i].cpu))
			report_problem(state, "does not name the stream of cpu%u, which exists",
				       whole->streams[i].cpu);
	}
}

static void check_number(struct capture_state *state, unsigned int cpu, const char *counter,
			 uint64_t stated, uint64_t found)
{
	if (stated != found)
		report_problem(state, "cpu%u: %s %" PRIu64 ", but its stream has %" PRIu64, cpu,
			       counter, stated, found);
}

static void check_status(struct capture_state *state)
{
	const struct status *status = &state->capture->status;
	uint64_t skipped_sum = 0, skipped_highest = 0, lost = 0, lost_of_tasks;
	bool skipped_known = true;

	/* The counters of a capture that was cut off are older than its streams. */
	if (!state->capture->has_status || status->complete == STATUS_CUT_OFF)
		return;
	for (size_t i = 0; i < status->cpu_count; i++) {
		const struct status_cpu *cpu = &status->cpus[i];
		const struct stream_state *stream = find_stream(state, cpu->cpu);
		uint64_t skipped = cpu->skipped == STATUS_UNKNOWN ? 0 : cpu->skipped;

		skipped_known &= cpu->skipped != STATUS_UNKNOWN;
		skipped_sum += skipped;
		lost += cpu->lost;
		if (cpu->seen != cpu->recorded + cpu->lost + skipped)
			report_problem(state,
				       "cpu%u: seen %" PRIu64
				       " differs from the sum of recorded %" PRIu64
				       " + lost %" PRIu64 " + skipped %" PRIu64,
				       cpu->cpu, cpu->seen, cpu->recorded, cpu->lost, skipped);
		if (!stream)
			continue;
		check_number(state, cpu->cpu, "recorded", cpu->recorded, stream->records);
		check_number(state, cpu->cpu, "lost", cpu->lost, loss_missing(&stream->loss));
		check_number(state, cpu->cpu, "own", cpu->own, stream->own);
	}
	lost_of_tasks = status->lost_unattributed;
	for (size_t i = 0; i < status->lost_task_count; i++)
		lost_of_tasks += status->lost_tasks[i].count;
	if (lost != lost_of_tasks)
		report_problem(state,
			       "lost %" PRIu64 " on all CPUs, but %" PRIu64
			       " by all tasks and unattributed",
			       lost, lost_of_tasks);
	for (size_t i = 0; i < state->capture->stream_count; i++) {
		if (state->streams[i].last.skipped > skipped_highest)
			skipped_highest = state->streams[i].last.skipped;
	}
	if (status->skipped == STATUS_UNKNOWN)
		return;
	if (skipped_known && skipped_sum != status->skipped)
		report_problem(state, "skipped %" PRIu64 " in total, but %" PRIu64 " on all CPUs",
			       status->skipped, skipped_sum);
	if (skipped_highest != status->skipped)
		report_problem(state, "skipped %" PRIu64 ", but the streams have %" PRIu64,
			       status->skipped, skipped_highest);
}

/* A stream of a piece begins with the event that the checkpoint names. */
static void check_first_events(struct capture_state *state)
{
	const struct checkpoint_state *checkpoint = &state->capture->checkpoint;

	for (size_t i = 0; checkpoint->begin && i < state->capture->stream_count; i++) {
		const struct packet_header *first = &state->streams[i].first;
		uint64_t number = first->sequence_end;

		checkpoint_state_find_number(checkpoint, state->streams[i].cpu, &number);
		if (state->streams[i].packets && !first->number && number != first->sequence_end)
			report_problem(state,
				       "cpu%u: its first event is %" PRIu64
				       ", but the stream begins with %" PRIu64,
				       state->streams[i].cpu, number, first->sequence_end);
	}
}

static void check_checkpoint(struct capture_state *state)
{
	struct error error = { 0 };
	int err;

	if (!state->capture->checkpoint.begin)
		return;
	check_first_events(state);
	err = check_checkpoint_objects(state->capture, &error);
	if (err == -EBADMSG)
		report_problem(state, "%s", error.text);
	else
		state->err = err;
}

/* The times of the status, and of the packets. */
static void check_times(struct capture_state *state)
{
	const struct capture *whole = state->capture;
	const struct status *status = &whole->status;
	uint64_t first = UINT64_MAX, last = 0, earliest_end = UINT64_MAX;

	if (!whole->has_status || status->complete != STATUS_COMPLETE)
		return;
	for (size_t i = 0; i < whole->stream_count; i++) {
		const struct stream_state *stream = &state->streams[i];

		if (!stream->packets)
			return; /* another check says it */
		first = MIN(first, stream->first.time_first);
		last = MAX(last, stream->last.time_last);
		earliest_end = MIN(earliest_end, stream->last.time_last);
	}
	if (status->begin < first || status->begin > last)
		report_problem(state,
			       "begin %" PRIu64 " is not in the time of the streams, %" PRIu64
			       " to %" PRIu64 " ns",
			       status->begin, first, last);
	else if ((whole->goes_on || whole->checkpoint.begin) && status->begin != first)
		report_problem(state,
			       "begin %" PRIu64 ", but the streams of the piece begin at %" PRIu64
			       " ns",
			       status->begin, first);
	if (status->until ? status->end < last : status->end > last)
		report_problem(state, "end %" PRIu64 ", but the streams end at %" PRIu64 " ns",
			       status->end, last);
	if (status->until > earliest_end)
		report_problem(state,
			       "until %" PRIu64 ", but a stream ends before that, at %" PRIu64
			       " ns",
			       status->until, earliest_end);
}

const struct capture_check capture_checks[] = {
	{ .info = { "metadata", "the metadata has the text that kmemtraced writes",
		    .repairable = true },
	  .file = "metadata",
	  .run = check_metadata },
	{ .info = { "tables", "the tables of kernel/ exist and can be read" },
	  .file = "kernel",
	  .run = check_tables },
	{ .info = { "checkpoint",
		    "the checkpoint of a piece has the objects and the first events that it says" },
	  .file = "checkpoint",
	  .run = check_checkpoint },
	{ .info = { "complete", "kmemtraced finished the capture", .repairable = true },
	  .file = "kernel/status",
	  .run = check_complete },
	{ .info = { "streams", "kernel/status names exactly the CPUs that have a stream",
		    .repairable = true },
	  .file = "kernel/status",
	  .run = check_streams },
	{ .info = { "status", "the counters of kernel/status add up and agree with the streams",
		    .repairable = true },
	  .file = "kernel/status",
	  .run = check_status },
	{ .info = { "times", "the times of kernel/status agree with the streams" },
	  .file = "kernel/status",
	  .run = check_times },
};
const size_t capture_check_count = sizeof(capture_checks) / sizeof(*capture_checks);

int check_capture_run(struct capture_state *state)
{
	for (size_t i = 0; i < capture_check_count; i++) {
		char *path;

		state->check = &capture_checks[i];
		path = join_path(state->capture->path, state->check->file);
		if (!path)
			return -ENOMEM;
		problems_begin(state->problems, path);
		state->check->run(state);
		problems_end(state->problems);
		free(path);
	}
	return state->err;
}
