// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counts the records of a task between two times, by tracepoint: count DIR {TASK BEGIN END}… A
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
	uint64_t counts[KMT_ID_END];
	uint64_t lost_outside;
};

struct windows {
	struct window *list;
	size_t count;
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

static void count_record(const struct kmt_record *record, const struct windows *windows)
{
	for (size_t i = 0; i < windows->count && record->id < KMT_ID_END; i++) {
		struct window *window = &windows->list[i];

		if (record->task == window->task && record->time >= window->begin &&
		    record->time <= window->end)
			window->counts[record->id]++;
	}
}

/* 0 or -errno. */
static int count_stream(const char *path, const struct windows *windows)
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
		err = loss_begin_packet(&loss, packet.header.sequence_first,
					packet.header.time_first);
		cursor_init(&cursor, &packet);
		while (!err && cursor_next(&cursor, &record) == 1) {
			count_record(&record, windows);
			err = loss_record_low(&loss, record.sequence, record.time);
		}
		sequence_end = packet.header.sequence_end;
		time_last = packet.header.time_last;
	}
	if (!err && !got)
		err = loss_confirm(&loss, sequence_end, time_last);
	for (size_t i = 0; i < windows->count; i++)
		windows->list[i].lost_outside += lost_outside(&loss, &windows->list[i]);
	loss_deinit(&loss);
	stream_close(&stream);
	return err ? err : got;
}

static void print_window(const struct window *window, const struct status *status)
{
	const uint64_t *counts = window->counts;
	uint64_t lost = 0;

	for (size_t i = 0; i < status->lost_task_count; i++)
		if (status->lost_tasks[i].task == window->task)
			lost = status->lost_tasks[i].count;
	printf("kmalloc %" PRIu64 "\nkfree %" PRIu64 "\nkmem_cache_alloc %" PRIu64
	       "\nkmem_cache_free %" PRIu64 "\nlost %" PRIu64 "\nlost_outside %" PRIu64
	       "\nskipped %" PRIu64 "\nfrom_backup %" PRIu64 "\n",
	       counts[KMT_KMALLOC], counts[KMT_KFREE] + counts[KMT_BACKUP_KFREE],
	       counts[KMT_CACHE_ALLOC] + counts[KMT_ANONYMOUS_ALLOC],
	       counts[KMT_CACHE_FREE] + counts[KMT_BACKUP_CACHE_FREE], lost,
	       window->lost_outside < lost ? window->lost_outside : lost, status->skipped,
	       counts[KMT_BACKUP_KFREE] + counts[KMT_BACKUP_CACHE_FREE]);
}

int main(int argc, char **argv)
{
	struct windows windows = { .count = argc > 2 ? (size_t)(argc - 2) / 3 : 0 };
	struct capture capture;

	if (argc < 5 || (argc - 2) % 3 || capture_open(&capture, argv[1]))
		return 2;
	windows.list = calloc(windows.count, sizeof(*windows.list));
	if (!windows.list)
		return 2;
	for (size_t i = 0; i < windows.count; i++) {
		char **words = &argv[2 + 3 * i];

		windows.list[i].task = strtoul(words[0], NULL, 10);
		windows.list[i].begin = strtoull(words[1], NULL, 10);
		windows.list[i].end = strtoull(words[2], NULL, 10);
	}
	for (size_t i = 0; i < capture.stream_count; i++)
		if (count_stream(capture.streams[i].path, &windows))
			return 2;
	for (size_t i = 0; i < windows.count; i++)
		print_window(&windows.list[i], &capture.status);
	free(windows.list);
	capture_close(&capture);
	return 0;
}
