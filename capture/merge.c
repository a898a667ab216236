// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Merges the streams of a capture by time. One CPU's events come in runs: as long as a stream
 * stays ahead of the runner-up, its events are taken without a look at the others, and a long run
 * is handed on where it lies.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/prefetch.h"
#include "capture/stream_events.h"
#include "capture/merge.h"
#include "base/merge_heap.h"

#define BATCH 1024	     /* events of short runs that are handed on together */
#define LONG_RUN 64	     /* events */
#define SLOTS_SPACE 16777216 /* bytes, of all streams, if there are not very many */
#define SLOTS 8		     /* of a stream */

/*
 * Events that are read at a time. Many: two processors that write and read nearby wait for each
 * other's caches.
 */
#define SLOT_EVENTS_MAX 4096
#define SLOT_EVENTS_MIN 256

struct slot {
	uint64_t offset; /* in the stream, of what comes behind its packet */
	uint64_t latest; /* ns: the highest time of the stream's events, up to its end */
	_Alignas(EVENT_SIZE_MAX) struct event events[];
};

/* Where the merging stands in one stream. */
struct turn {
	const struct slot *slot;
	const struct event *at, *end;
	uint64_t key;	 /* ns: the time of the next event, but never a step back */
	uint64_t offset; /* bytes that are behind it */
};

struct merge {
	struct capture *capture;
	struct stream_events *streams; /* by cpu */
	struct turn *turns;	       /* of each lane */
	size_t lane_count, slot_events;
	struct prefetcher *prefetcher;
	struct merge_heap heap;
	bool started;
	bool handed; /* the first in ranks has handed on a run: its next event must be found */
	struct event events[BATCH];
};

static int fail(struct merge *merge, size_t index, int err)
{
	struct capture *capture = merge->capture;
	const struct stream *stream = &merge->streams[index].stream;
	const char *path = capture->streams[index].path;
	char newer[METADATA_TEXT];

	if (err == -EPROTONOSUPPORT)
		snprintf(capture->errmsg, sizeof(capture->errmsg), "%s: byte %" PRIu64 ": %s; %s",
			 path, stream->offset, stream->errmsg,
			 metadata_newer_text(capture->metadata.tracer_version, newer,
					     sizeof(newer)));
	else
		snprintf(capture->errmsg, sizeof(capture->errmsg), "%s: %s", path, strerror(-err));
	return err;
}

static int fill_slot(void *data, size_t index, void *space)
{
	struct merge *merge = data;
	struct slot *slot = space;
	int got;

	got = stream_events_fill(&merge->streams[index], slot->events, merge->slot_events);
	slot->offset = merge->streams[index].stream.offset;
	slot->latest = merge->streams[index].latest;
	return got;
}

/* Finds the lane's next event. 1, 0 at the end, or -errno. */
static int find_next(struct merge *merge, size_t index)
{
	struct turn *turn = &merge->turns[index];
	const void *slot;
	int got;

	if (turn->at == turn->end) {
		if (turn->slot)
			turn->offset = turn->slot->offset;
		got = prefetcher_take(merge->prefetcher, index, &slot);
		if (got < 0)
			return fail(merge, index, got);
		turn->slot = got ? slot : NULL;
		if (!got)
			return 0;
		turn->at = turn->slot->events;
		turn->end = turn->at + got;
	}
	if (turn->at->time > turn->key)
		turn->key = turn->at->time;
	return 1;
}

/* Takes those of the turn's events, up to a limit, that come before the runner-up: at least one. */
static size_t take_run(struct turn *turn, size_t stream_events, const struct merge_entry *second,
		       size_t limit)
{
	size_t left = turn->end - turn->at, count = 1;
	struct merge_entry rank = { turn->slot->latest, stream_events };

	/* all that is left of a slot: none of its times needs a look */
	if (left <= limit && merge_entry_precedes(&rank, second)) {
		turn->key = rank.key;
		turn->at = turn->end;
		return left;
	}
	rank.key = turn->key;
	if (left > limit)
		left = limit;
	for (; count < left; count++) {
		if (turn->at[count].time > rank.key)
			rank.key = turn->at[count].time;
		if (!merge_entry_precedes(&rank, second))
			break;
		turn->key = rank.key;
	}
	turn->at += count;
	return count;
}

/* Gives the first lane its next place. 0 or -errno. */
static int rank_first(struct merge *merge)
{
	struct merge_entry *first = &merge->heap.list[0];
	int got = find_next(merge, first->index);

	if (got < 0)
		return got;
	first->key = merge->turns[first->index].key;
	if (got)
		merge_heap_move_first(&merge->heap);
	else
		merge_heap_drop_first(&merge->heap);
	return 0;
}

int merge_next(struct merge *merge, const struct event **events)
{
	size_t count = 0;
	int err = 0;

	if (!merge->started)
		prefetcher_start(merge->prefetcher);
	merge->started = true;
	if (merge->handed)
		err = rank_first(merge);
	merge->handed = false;
	*events = merge->events;
	while (!err && count < BATCH && merge->heap.count) {
		struct merge_entry second = merge_heap_second(&merge->heap);
		size_t index = merge->heap.list[0].index, run;
		struct turn *turn = &merge->turns[index];
		const struct event *first = turn->at;

		run = take_run(turn, index, &second, count ? BATCH - count : merge->slot_events);
		if (!count && run >= LONG_RUN) {
			*events = first;
			merge->handed = true;
			return (int)run;
		}
		memcpy(&merge->events[count], first, run * sizeof(*first));
		count += run;
		err = rank_first(merge);
	}
	return err ? err : (int)count;
}

static int open_lane(struct merge *merge, size_t index, uint64_t seed)
{
	const struct capture *capture = merge->capture;
	int got;

	got = stream_events_open(&merge->streams[index], capture, &capture->streams[index], seed);
	if (got)
		return fail(merge, index, got);
	merge->lane_count++;
	got = find_next(merge, index);
	if (got > 0)
		merge->heap.list[merge->heap.count++] =
			(struct merge_entry){ merge->turns[index].key, index };
	return got < 0 ? got : 0;
}

static int prepare(struct merge *merge, unsigned int threads)
{
	size_t count = merge->capture->stream_count;
	struct prefetcher_settings settings = {
		.sources = count,
		.threads = threads ? threads : prefetcher_default_threads(),
		.space = SLOTS_SPACE,
		.fill = fill_slot,
		.data = merge,
	};

	merge->slot_events = SLOTS_SPACE / SLOTS / sizeof(struct event) / (count ? count : 1);
	if (merge->slot_events > SLOT_EVENTS_MAX)
		merge->slot_events = SLOT_EVENTS_MAX;
	if (merge->slot_events < SLOT_EVENTS_MIN)
		merge->slot_events = SLOT_EVENTS_MIN;
	settings.slot_align = EVENT_SIZE_MAX;
	settings.slot_size = sizeof(struct slot) + merge->slot_events * sizeof(struct event);
	merge->streams = calloc(count + 1, sizeof(*merge->streams));
	merge->turns = calloc(count + 1, sizeof(*merge->turns));
	if (!merge->streams || !merge->turns || merge_heap_init(&merge->heap, count))
		return -ENOMEM;
	return prefetcher_open(&merge->prefetcher, &settings);
}

int merge_open(struct merge **result, struct capture *capture, unsigned int threads, uint64_t seed)
{
	struct merge *merge;
	int err = -ENOMEM;

	merge = calloc(1, sizeof(*merge));
	if (merge) {
		merge->capture = capture;
		err = prepare(merge, threads);
	}
	if (err)
		snprintf(capture->errmsg, sizeof(capture->errmsg), "%s: %s", capture->path,
			 strerror(-err));
	for (size_t i = 0; !err && i < capture->stream_count; i++)
		err = open_lane(merge, i, seed);
	if (err) {
		merge_close(merge);
		return err;
	}
	merge_heap_sort(&merge->heap);
	*result = merge;
	return 0;
}

void merge_close(struct merge *merge)
{
	if (!merge)
		return;
	prefetcher_close(merge->prefetcher);
	for (size_t i = 0; i < merge->lane_count; i++)
		stream_events_close(&merge->streams[i]);
	free(merge->streams);
	free(merge->turns);
	merge_heap_deinit(&merge->heap);
	free(merge);
}

size_t merge_stream_count(const struct merge *merge)
{
	return merge->lane_count;
}

const struct stream_counters *merge_stream_counters(const struct merge *merge, size_t index)
{
	return &merge->streams[index].figures;
}

uint64_t merge_progress(const struct merge *merge, uint64_t *bytes)
{
	uint64_t done = 0;

	*bytes = 0;
	for (size_t i = 0; i < merge->lane_count; i++) {
		*bytes += merge->streams[i].stream.size;
		done += merge->turns[i].offset;
	}
	return done;
}
