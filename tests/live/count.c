// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counts the records of one task between two times, by tracepoint: count DIR TASK BEGIN END. A
 * record of a backup program counts for its tracepoint; records of hooks have no tracepoint.
 *
 * kernel/status has the lost events of the task in the whole capture, as a count without times. At
 * most lost_outside of them were lost outside of the two times: the events of all tasks in the
 * loss spans that are not wholly between them.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "capture/capture.h"
#include "capture/loss.h"
#include "capture/reader.h"

struct window {
	uint32_t task;
	uint64_t begin, end; /* ns */
};

/* The sum of the spans that reach beyond the window. Merged spans (see loss.h) count in full. */
static uint64_t lost_outside(const struct loss *loss, const struct window *window)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < loss->count; i++) {
		const struct loss_span *span = &loss->spans[i];

		if (span->after < window->begin || span->before > window->end)
			lost += span->last - span->first + 1;
	}
	return lost;
}

/* 0 or -errno. */
static int count_record(const struct kmt_record *record, const struct window *window,
			struct loss *loss, uint64_t counts[KMT_ID_END])
{
	if (record->task == window->task && record->time >= window->begin &&
	    record->time <= window->end && record->id < KMT_ID_END)
		counts[record->id]++;
	return loss_follow(loss, record->sequence, record->time);
}

/* Adds to the counts and to *outside, which counts lost events. 0 or -errno. */
static int count_stream(const char *path, const struct window *window, uint64_t counts[KMT_ID_END],
			uint64_t *outside)
{
	uint64_t sequence_end = 0, time_last = 0;
	struct kmt_record record;
	struct cursor cursor;
	struct stream stream;
	struct packet packet;
	struct loss loss;
	int got = 0, err = 0;

	got = stream_open(&stream, path);
	if (got)
		return got;
	loss_init(&loss, 0);
	while (!err && (got = stream_next(&stream, &packet)) == 1) {
		err = loss_approach(&loss, packet.header.sequence_first, packet.header.time_first);
		cursor_init(&cursor, &packet);
		while (!err && cursor_next(&cursor, &record) == 1)
			err = count_record(&record, window, &loss, counts);
		sequence_end = packet.header.sequence_end;
		time_last = packet.header.time_last;
	}
	if (!err && !got)
		err = loss_confirm(&loss, sequence_end, time_last);
	*outside += lost_outside(&loss, window);
	loss_deinit(&loss);
	stream_close(&stream);
	return err ? err : got;
}

int main(int argc, char **argv)
{
	uint64_t counts[KMT_ID_END] = { 0 }, lost = 0, outside = 0;
	struct capture capture;
	struct window window;

	if (argc != 5 || capture_open(&capture, argv[1]))
		return 2;
	window.task = strtoul(argv[2], NULL, 10);
	window.begin = strtoull(argv[3], NULL, 10);
	window.end = strtoull(argv[4], NULL, 10);
	for (size_t i = 0; i < capture.stream_count; i++)
		if (count_stream(capture.streams[i].path, &window, counts, &outside))
			return 2;
	for (size_t i = 0; i < capture.status.lost_task_count; i++)
		if (capture.status.lost_tasks[i].task == window.task)
			lost = capture.status.lost_tasks[i].count;
	printf("kmalloc %" PRIu64 "\nkfree %" PRIu64 "\nkmem_cache_alloc %" PRIu64
	       "\nkmem_cache_free %" PRIu64 "\nlost %" PRIu64 "\nlost_outside %" PRIu64
	       "\nskipped %" PRIu64 "\nfrom_backup %" PRIu64 "\n",
	       counts[KMT_KMALLOC], counts[KMT_KFREE] + counts[KMT_BACKUP_KFREE],
	       counts[KMT_CACHE_ALLOC] + counts[KMT_ANONYMOUS_ALLOC],
	       counts[KMT_CACHE_FREE] + counts[KMT_BACKUP_CACHE_FREE], lost,
	       outside < lost ? outside : lost, capture.status.skipped,
	       counts[KMT_BACKUP_KFREE] + counts[KMT_BACKUP_CACHE_FREE]);
	capture_close(&capture);
	return 0;
}
