// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Merges the streams of a capture by time. The events of one CPU come in runs: while the events of
 * one stream precede the next event of the second stream, they are taken without a comparison with
 * the others. A long run is returned without a copy.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/live_capture.h"
#include "capture/prefetch.h"
#include "capture/stream_events.h"
#include "capture/merge.h"
#include "base/merge_heap.h"

#define BATCH 1024	     /* events of short runs, copied and returned together */
#define LONG_RUN 64	     /* events */
#define SLOTS_BYTES 16777216 /* bytes of all slots, unless there are very many streams */
#define SLOTS_PER_STREAM 8

/* Events of a slot. With few, the CPUs that fill and read neighbouring slots share cache lines. */
#define SLOT_EVENTS_MAX 4096
#define SLOT_EVENTS_MIN 256

struct slot {
	uint64_t offset; /* in the stream, behind the packet of the events */
	uint64_t latest; /* ns: the highest time of the stream so far */
	_Alignas(EVENT_SIZE_MAX) struct event events[];
};

/* The position of the merge in one stream. */
struct merge_cursor {
	const struct slot *slot;
	const struct event *at, *end;
	uint64_t key;	 /* ns: the highest time up to the next event, inclusive */
	uint64_t offset; /* bytes of the stream whose events were returned */
};

struct merge {
	struct capture *capture;
	struct stream_events *streams; /* by cpu */
	struct merge_cursor *cursors;  /* of each stream */
	size_t stream_count, slot_events;
	struct prefetcher *prefetcher;
	struct merge_heap heap;
	bool started;
	bool has_pending_run;	   /* a run was returned: the first cursor must move behind it */
	struct live_capture *live; /* NULL: all events are there */
	unsigned char *live_slots; /* a slot for each stream of a live capture */
	size_t slot_size;
	struct event events[BATCH];
};

static int fail_merge(struct merge *merge, size_t index, int err)
{
	struct capture *capture = merge->capture;
	const struct stream *stream = &merge->streams[index].stream;
	const char *path = stream->path ? stream->path : capture->streams[index].path;
	char newer[METADATA_TEXT];

	if (err == -EPROTONOSUPPORT)
		error_format(&capture->error, err, "%s: byte %" PRIu64 ": %s; %s", path,
			     stream->offset, stream->errmsg,
			     metadata_newer_text(capture->metadata.tracer_version, newer,
						 sizeof(newer)));
	else if (err == -EMFILE)
		error_format(
			&capture->error, err,
			"%s: %s: each of the %zu streams needs one: raise the limit with ulimit -n",
			path, strerror(EMFILE), capture->stream_count);
	else if (err == -EILSEQ)
		error_format(
			&capture->error, err,
			"%s: begins before the end of the piece before: kmemtrace-check lists what is wrong in the set",
			path);
	else
		error_set_at(&capture->error, err, path);
	return err;
}

static int fill_slot(void *data, size_t index, void *space)
{
	struct merge *merge = data;
	struct slot *slot = space;
	int got;

	got = stream_events_fill(&merge->streams[index], slot->events, merge->slot_events);
	slot->offset = stream_events_offset(&merge->streams[index]);
	slot->latest = merge->streams[index].latest;
	return got;
}

/* A live capture has no threads that read ahead: its streams end again and again. */
static int take_slot(struct merge *merge, size_t index, const void **slot)
{
	void *own = merge->live ? merge->live_slots + index * merge->slot_size : NULL;

	*slot = own;
	return own ? fill_slot(merge, index, own) : prefetcher_take(merge->prefetcher, index, slot);
}

/* Finds the next event of a stream. 1, 0 at the end, or -errno. */
static int cursor_refill(struct merge *merge, size_t index)
{
	struct merge_cursor *cursor = &merge->cursors[index];
	const void *slot;
	int got;

	if (cursor->at == cursor->end) {
		if (cursor->slot)
			cursor->offset = cursor->slot->offset;
		got = take_slot(merge, index, &slot);
		if (got < 0)
			return fail_merge(merge, index, got);
		cursor->slot = got ? slot : NULL;
		if (!got)
			return 0;
		cursor->at = cursor->slot->events;
		cursor->end = cursor->at + got;
	}
	if (cursor->at->time > cursor->key)
		cursor->key = cursor->at->time;
	return 1;
}

/* Takes the events of the cursor that precede the second stream's: from one to `limit` of them. */
static size_t take_run(struct merge_cursor *cursor, size_t index, const struct merge_entry *second,
		       size_t limit)
{
	size_t left = cursor->end - cursor->at, count = 1;
	struct merge_entry entry = { cursor->slot->latest, index };

	/* the whole rest of the slot precedes: no time has to be compared */
	if (left <= limit && merge_entry_precedes(&entry, second)) {
		cursor->key = entry.key;
		cursor->at = cursor->end;
		return left;
	}
	entry.key = cursor->key;
	if (left > limit)
		left = limit;
	for (; count < left; count++) {
		if (cursor->at[count].time > entry.key)
			entry.key = cursor->at[count].time;
		if (!merge_entry_precedes(&entry, second))
			break;
		cursor->key = entry.key;
	}
	cursor->at += count;
	return count;
}

/* Moves the first entry of the heap to its new position. 0 or -errno. */
static int update_first(struct merge *merge)
{
	struct merge_entry *first = &merge->heap.list[0];
	int got = cursor_refill(merge, first->index);

	if (got < 0)
		return got;
	first->key = merge->cursors[first->index].key;
	if (got)
		merge_heap_move_first(&merge->heap);
	else
		merge_heap_drop_first(&merge->heap);
	return 0;
}

/* The entry that the first one must precede: the second, or the watermark of a live capture. */
static struct merge_entry find_second(const struct merge *merge)
{
	struct merge_entry second = merge_heap_second(&merge->heap);

	if (merge->live && !merge->live->ended && second.key >= merge->live->watermark)
		second = (struct merge_entry){ merge->live->watermark, 0 };
	return second;
}

/* Is the first event before the watermark of a live capture? */
static bool has_event(const struct merge *merge)
{
	return merge->heap.count && (!merge->live || merge->live->ended ||
				     merge->heap.list[0].key < merge->live->watermark);
}

/* Adds the streams that have events again. 0 or -errno. */
static int refresh_streams(struct merge *merge)
{
	int got = 0;

	for (size_t i = 0; i < merge->stream_count && got >= 0; i++) {
		bool had_end = !merge->cursors[i].slot;

		got = stream_events_refresh(&merge->streams[i], !merge->live->ended);
		if (got < 0)
			return fail_merge(merge, i, got);
		live_capture_release(merge->live, i, merge->streams[i].stream.offset);
		if (!had_end)
			continue;
		got = cursor_refill(merge, i);
		if (got > 0)
			merge->heap.list[merge->heap.count++] =
				(struct merge_entry){ merge->cursors[i].key, i };
	}
	merge_heap_sort(&merge->heap);
	return got < 0 ? got : 0;
}

static int wait_for_events(struct merge *merge)
{
	int err = 0;

	while (!err && !has_event(merge) && !merge->live->ended) {
		err = live_capture_more(merge->live);
		if (!err)
			err = refresh_streams(merge);
	}
	return err ? err : live_capture_read_changed(merge->live);
}

int merge_next(struct merge *merge, const struct event **events)
{
	size_t count = 0;
	int err = 0;

	if (!merge->started && !merge->live)
		prefetcher_start(merge->prefetcher);
	merge->started = true;
	if (merge->has_pending_run)
		err = update_first(merge);
	merge->has_pending_run = false;
	*events = merge->events;
	if (!err && merge->live)
		err = wait_for_events(merge);
	while (!err && count < BATCH && has_event(merge)) {
		struct merge_entry second = find_second(merge);
		size_t index = merge->heap.list[0].index, run;
		struct merge_cursor *cursor = &merge->cursors[index];
		const struct event *first = cursor->at;

		run = take_run(cursor, index, &second, count ? BATCH - count : merge->slot_events);
		if (!count && run >= LONG_RUN) {
			*events = first;
			merge->has_pending_run = true;
			return (int)run;
		}
		memcpy(&merge->events[count], first, run * sizeof(*first));
		count += run;
		err = update_first(merge);
	}
	return err ? err : (int)count;
}

static int open_merged_stream(struct merge *merge, size_t index, uint64_t seed)
{
	const struct capture *capture = merge->capture;
	int got;

	got = stream_events_open(&merge->streams[index], capture, &capture->streams[index], seed);
	if (got)
		return fail_merge(merge, index, got);
	merge->stream_count++;
	merge->streams[index].grows = merge->live;
	got = cursor_refill(merge, index);
	if (got > 0)
		merge->heap.list[merge->heap.count++] =
			(struct merge_entry){ merge->cursors[index].key, index };
	return got < 0 ? got : 0;
}

static int prepare_merge(struct merge *merge, unsigned int threads)
{
	size_t count = merge->capture->stream_count;
	struct prefetcher_settings settings = {
		.sources = count,
		.threads = threads ? threads : prefetcher_default_threads(),
		.space = SLOTS_BYTES,
		.fill = fill_slot,
		.data = merge,
	};

	merge->slot_events =
		SLOTS_BYTES / SLOTS_PER_STREAM / sizeof(struct event) / (count ? count : 1);
	if (merge->slot_events > SLOT_EVENTS_MAX)
		merge->slot_events = SLOT_EVENTS_MAX;
	if (merge->slot_events < SLOT_EVENTS_MIN)
		merge->slot_events = SLOT_EVENTS_MIN;
	settings.slot_align = EVENT_SIZE_MAX;
	settings.slot_size = sizeof(struct slot) + merge->slot_events * sizeof(struct event);
	merge->streams = calloc(count + 1, sizeof(*merge->streams));
	merge->cursors = calloc(count + 1, sizeof(*merge->cursors));
	if (!merge->streams || !merge->cursors || merge_heap_init(&merge->heap, count))
		return -ENOMEM;
	merge->slot_size = settings.slot_size;
	if (merge->live) {
		merge->live_slots = aligned_alloc(EVENT_SIZE_MAX, (count + 1) * settings.slot_size);
		settings.threads = 1;
		if (!merge->live_slots)
			return -ENOMEM;
	}
	return prefetcher_open(&merge->prefetcher, &settings);
}

int merge_open(struct merge **result, struct capture *capture, unsigned int threads, uint64_t seed)
{
	struct merge *merge;
	int err = -ENOMEM;

	merge = calloc(1, sizeof(*merge));
	if (merge) {
		merge->capture = capture;
		merge->live = capture->live;
		err = prepare_merge(merge, threads);
	}
	if (err)
		error_set_at(&capture->error, err, capture->path);
	for (size_t i = 0; !err && i < capture->stream_count; i++)
		err = open_merged_stream(merge, i, seed);
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
	for (size_t i = 0; i < merge->stream_count; i++)
		stream_events_close(&merge->streams[i]);
	free(merge->streams);
	free(merge->cursors);
	free(merge->live_slots);
	merge_heap_deinit(&merge->heap);
	free(merge);
}

size_t merge_stream_count(const struct merge *merge)
{
	return merge->stream_count;
}

const struct stream_counters *merge_stream_counters(const struct merge *merge, size_t index)
{
	return &merge->streams[index].counters;
}

uint64_t merge_progress(const struct merge *merge, uint64_t *bytes)
{
	uint64_t done = 0;

	*bytes = 0;
	for (size_t i = 0; i < merge->stream_count; i++) {
		*bytes += stream_events_bytes(&merge->streams[i]);
		done += merge->cursors[i].offset;
	}
	return done;
}
