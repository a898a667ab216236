// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A file is read as one or several runs of summaries that are in order of their ends: a clock that
 * was set back begins a new run. The runs are merged by their next end. Of summaries with one end,
 * the one of the most sources is added first, so that a sum and its parts are found to be the same
 * in any order of the files.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/merge_heap.h"
#include "base/utc.h"
#include "cli/message.h"
#include "cli/stop.h"
#include "fleet/merge/merge_summaries.h"
#include "fleet/summary/summary_file.h"

#define GAPS_SHOWN 10

/* A part of a file. */
struct sorted_run {
	size_t input;
	uint64_t next, end; /* offsets: of the block behind the head, and of the run's end */
	struct summary_head head;
};

/* A summary that is due. */
struct due {
	size_t input;
	struct summary_head head;
};

struct merging {
	const struct merge_inputs *inputs;
	const struct merge_settings *settings;
	FILE *output;
	struct sorted_run *runs;
	size_t run_count;
	struct merge_heap heap; /* of runs, by the end of the next summary */
	struct summary_reader reader;
	size_t open; /* the input that the reader reads, + 1; 0: none */
	struct due *due;
	size_t due_count;
	struct summary sum;	/* of the output's interval; no source: nothing yet */
	struct summary written; /* the sources of all intervals before; no rows */
	bool is_incomplete;
};

static void report_damage(struct merging *merging)
{
	merging->is_incomplete = true;
	if (!merging->settings->quiet)
		info_msg("%s: it is left out", merging->reader.errmsg);
}

/* 0, or EXIT_TROUBLE after a message. */
static int open_input(struct merging *merging, size_t input)
{
	if (merging->open == input + 1)
		return 0;
	summary_reader_close(&merging->reader);
	merging->open = 0;
	if (summary_reader_open(&merging->reader, merging->inputs->list[input].path))
		return error_msg("%s", merging->reader.errmsg);
	merging->open = input + 1;
	return 0;
}

static int add_run(struct merging *merging, size_t input, const struct summary_head *head)
{
	struct sorted_run *runs = array_grow(merging->runs, merging->run_count, sizeof(*runs));

	if (!runs)
		return error_msg("%s", strerror(ENOMEM));
	merging->runs = runs;
	runs[merging->run_count++] = (struct sorted_run){ .input = input,
							  .next = merging->reader.offset,
							  .end = merging->reader.offset,
							  .head = *head };
	return 0;
}

/* Reads the file once, without its rows: finds its runs and its damage. */
static int find_runs(struct merging *merging, size_t input)
{
	struct summary_reader *reader = &merging->reader;
	struct summary_head head;
	uint64_t last = 0;
	bool has_run = false;
	int more, status = open_input(merging, input);

	while (!status && (more = summary_reader_skip(reader, &head))) {
		if (more == -EBADMSG) {
			report_damage(merging);
		} else if (more < 0) {
			status = error_msg("%s", reader->errmsg);
		} else {
			if (!has_run || head.end < last)
				status = add_run(merging, input, &head);
			if (!status)
				merging->runs[merging->run_count - 1].end = reader->offset;
			has_run = true;
			last = head.end;
		}
	}
	return status;
}

/* 1: the run has another head; 0: it has ended; -1 after a message. */
static int advance_run(struct merging *merging, struct sorted_run *run)
{
	int more = -EBADMSG;

	if (run->next >= run->end)
		return 0;
	if (open_input(merging, run->input))
		return -1;
	if (summary_reader_seek(&merging->reader, run->next))
		goto failed;
	while (more == -EBADMSG)
		more = summary_reader_skip(&merging->reader, &run->head);
	if (more < 0)
		goto failed;
	run->next = merging->reader.offset;
	return more && run->head.offset < run->end;

failed:
	error_msg("%s", merging->reader.errmsg);
	return -1;
}

static int fill_heap(struct merging *merging)
{
	if (merge_heap_init(&merging->heap, merging->run_count))
		return error_msg("%s", strerror(ENOMEM));
	for (size_t i = 0; i < merging->run_count; i++)
		merging->heap.list[i] = (struct merge_entry){ merging->runs[i].head.end, i };
	merging->heap.count = merging->run_count;
	merge_heap_sort(&merging->heap);
	return 0;
}

/* Takes all summaries with the next end. */
static int take_due(struct merging *merging)
{
	struct merge_heap *heap = &merging->heap;
	uint64_t end = heap->list[0].key;

	merging->due_count = 0;
	while (heap->count && heap->list[0].key == end) {
		struct sorted_run *run = &merging->runs[heap->list[0].index];
		struct due *due = array_grow(merging->due, merging->due_count, sizeof(*due));
		int more;

		if (!due)
			return error_msg("%s", strerror(ENOMEM));
		merging->due = due;
		due[merging->due_count++] = (struct due){ run->input, run->head };
		more = advance_run(merging, run);
		if (more < 0)
			return EXIT_TROUBLE;
		heap->list[0].key = run->head.end;
		if (more)
			merge_heap_move_first(heap);
		else
			merge_heap_drop_first(heap);
	}
	return 0;
}

/* The most sources first; the rest makes the order of the files unimportant. */
static int compare_due(const void *left, const void *right)
{
	const struct summary_head *a = &((const struct due *)left)->head;
	const struct summary_head *b = &((const struct due *)right)->head;

	if (a->summaries != b->summaries)
		return a->summaries > b->summaries ? -1 : 1;
	if (a->checksum != b->checksum)
		return a->checksum < b->checksum ? -1 : 1;
	return (a->begin > b->begin) - (a->begin < b->begin);
}

static int fail_overlap(const struct merging *merging, const struct due *due,
			const struct summary *summary)
{
	const struct summary_source *source = &summary->sources[0];

	for (size_t i = 0; i < summary->source_count; i++) {
		const struct summary one = { .sources = &summary->sources[i], .source_count = 1 };

		source = &summary->sources[i];
		if (summary_compare_sources(&merging->sum, &one) ||
		    summary_compare_sources(&merging->written, &one))
			break;
	}
	return error_msg(
		"%s: the summary at byte %" PRIu64 " has summaries %" PRIu64 " to %" PRIu64
		" of %s, which are in another summary too, together with others: they would count twice: merge each summary once",
		merging->inputs->list[due->input].shown, due->head.offset, source->first,
		source->last, *source->host ? source->host : "a host without a name");
}

static int add_summary(struct merging *merging, const struct due *due,
		       const struct summary *summary)
{
	int err = 0;

	if (summary_compare_sources(&merging->written, summary))
		return fail_overlap(merging, due, summary);
	err = summary_add(&merging->sum, summary);
	if (err == -EEXIST)
		return fail_overlap(merging, due, summary);
	return err && err != -EALREADY ? error_msg("%s", strerror(-err)) : 0;
}

static int add_due(struct merging *merging, const struct due *due)
{
	struct summary summary;
	int more, status = open_input(merging, due->input);

	if (status)
		return status;
	if (summary_reader_seek(&merging->reader, due->head.offset))
		return error_msg("%s", merging->reader.errmsg);
	more = summary_reader_next(&merging->reader, &summary);
	if (more == -EBADMSG)
		report_damage(merging);
	else if (more < 0)
		return error_msg("%s", merging->reader.errmsg);
	if (more <= 0)
		return 0;
	status = add_summary(merging, due, &summary);
	summary_deinit(&summary);
	return status;
}

static int write_sum(struct merging *merging)
{
	__attribute__((cleanup(free_text))) char *text = NULL;
	struct summary *sum = &merging->sum;
	size_t size;
	int err = 0;

	if (!sum->source_count)
		return 0;
	summary_sort(sum);
	err = summary_write_text(sum, &text, &size);
	if (err == -EFBIG)
		return error_msg(
			"the sum of an interval has more than %zu bytes: merge fewer hosts at a time, or give a shorter --interval",
			SUMMARY_BLOCK_MAX);
	for (size_t i = 0; i < sum->source_count && !err; i++)
		err = summary_add_source(&merging->written, &sum->sources[i]);
	if (!err && fwrite(text, 1, size, merging->output) != size)
		err = errno ? -errno : -EIO;
	summary_deinit(sum);
	if (!err)
		err = summary_init(sum);
	return err ? error_msg("the output: %s", strerror(-err)) : 0;
}

/* The output's interval that has this end. */
static uint64_t interval_of(const struct merging *merging, uint64_t end)
{
	uint64_t interval = merging->settings->interval;

	if (!interval)
		return end;
	if (interval == MERGE_INTERVAL_ALL)
		return 0;
	return end / interval + (end % interval != 0);
}

static int merge_all(struct merging *merging)
{
	uint64_t current = 0;
	int status = 0;

	while (merging->heap.count && !status) {
		uint64_t interval = interval_of(merging, merging->heap.list[0].key);

		if (stop_signal())
			return EXIT_TROUBLE;
		if (interval != current)
			status = write_sum(merging);
		current = interval;
		if (!status)
			status = take_due(merging);
		if (status)
			break;
		qsort(merging->due, merging->due_count, sizeof(*merging->due), compare_due);
		for (size_t i = 0; i < merging->due_count && !status; i++)
			status = add_due(merging, &merging->due[i]);
	}
	return status ? status : write_sum(merging);
}

static void report_gap(const struct summary_source *before, const struct summary_source *after)
{
	char run[40];

	utc_text(after->run, run, sizeof(run));
	if (before->last + 2 == after->first)
		info_msg("%s: summary %" PRIu64 " of the run that began at %.19s UTC is missing",
			 after->host, before->last + 1, run);
	else
		info_msg("%s: summaries %" PRIu64 " to %" PRIu64
			 " of the run that began at %.19s UTC are missing",
			 after->host, before->last + 1, after->first - 1, run);
}

/* A run of kmemtraced that has later and earlier summaries than the missing ones. */
static void report_gaps(struct merging *merging)
{
	const struct summary *written = &merging->written;
	size_t gaps = 0;

	for (size_t i = 1; i < written->source_count; i++) {
		const struct summary_source *before = &written->sources[i - 1];
		const struct summary_source *after = &written->sources[i];

		if (before->run != after->run || strcmp(before->host, after->host) != 0 ||
		    strcmp(before->boot, after->boot) != 0)
			continue;
		if (gaps++ < GAPS_SHOWN && !merging->settings->quiet)
			report_gap(before, after);
	}
	if (gaps > GAPS_SHOWN && !merging->settings->quiet)
		info_msg("summaries are missing in %zu more places", gaps - GAPS_SHOWN);
	merging->is_incomplete |= gaps != 0;
}

int merge_summaries(const struct merge_inputs *inputs, const struct merge_settings *settings,
		    FILE *output)
{
	struct merging merging = {
		.inputs = inputs, .settings = settings, .output = output, .is_incomplete = false
	};
	int status = 0;

	if (summary_init(&merging.sum) || summary_init(&merging.written))
		status = error_msg("%s", strerror(ENOMEM));
	for (size_t i = 0; i < inputs->count && !status; i++)
		status = find_runs(&merging, i);
	if (!status)
		status = fill_heap(&merging);
	if (!status) {
		fputs(SUMMARY_FILE_HEADER, output);
		status = merge_all(&merging);
	}
	if (!status) {
		report_gaps(&merging);
		status = merging.is_incomplete ? EXIT_FINDINGS : EXIT_OK;
	}
	summary_reader_close(&merging.reader);
	merge_heap_deinit(&merging.heap);
	summary_deinit(&merging.sum);
	summary_deinit(&merging.written);
	free(merging.runs);
	free(merging.due);
	return status;
}
