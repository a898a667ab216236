// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counts the records of one task between two times, by tracepoint: count DIR TASK BEGIN END. A
 * record of a backup program counts for its tracepoint; records of hooks have no tracepoint.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "capture/capture.h"
#include "capture/reader.h"

static int count_stream(const char *path, uint32_t task, uint64_t begin, uint64_t end,
			uint64_t counts[KMT_ID_END])
{
	struct kmt_record record;
	struct cursor cursor;
	struct stream stream;
	struct packet packet;
	int got;

	got = stream_open(&stream, path);
	if (got)
		return got;
	while ((got = stream_next(&stream, &packet)) == 1) {
		cursor_init(&cursor, &packet);
		while (cursor_next(&cursor, &record) == 1)
			if (record.task == task && record.time >= begin && record.time <= end &&
			    record.id < KMT_ID_END)
				counts[record.id]++;
	}
	stream_close(&stream);
	return got;
}

int main(int argc, char **argv)
{
	uint64_t counts[KMT_ID_END] = { 0 }, lost = 0;
	struct capture capture;
	uint32_t task;

	if (argc != 5 || capture_open(&capture, argv[1]))
		return 2;
	task = strtoul(argv[2], NULL, 10);
	for (size_t i = 0; i < capture.stream_count; i++)
		if (count_stream(capture.streams[i].path, task, strtoull(argv[3], NULL, 10),
				 strtoull(argv[4], NULL, 10), counts))
			return 2;
	for (size_t i = 0; i < capture.status.lost_task_count; i++)
		if (capture.status.lost_tasks[i].task == task)
			lost = capture.status.lost_tasks[i].count;
	printf("kmalloc %" PRIu64 "\nkfree %" PRIu64 "\nkmem_cache_alloc %" PRIu64
	       "\nkmem_cache_free %" PRIu64 "\nlost %" PRIu64 "\nskipped %" PRIu64
	       "\nfrom_backup %" PRIu64 "\n",
	       counts[KMT_KMALLOC], counts[KMT_KFREE] + counts[KMT_BACKUP_KFREE],
	       counts[KMT_CACHE_ALLOC] + counts[KMT_ANONYMOUS_ALLOC],
	       counts[KMT_CACHE_FREE] + counts[KMT_BACKUP_CACHE_FREE], lost, capture.status.skipped,
	       counts[KMT_BACKUP_KFREE] + counts[KMT_BACKUP_CACHE_FREE]);
	capture_close(&capture);
	return 0;
}
