// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Merges the streams of a capture by time. One CPU's events come in runs: as long as a stream
 * stays ahead of the runner-up, its records are taken without a look at the others.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/order.h"
#include "trace/reader.h"

#define BATCH 256
#define MEMO_BITS 10

/* One stream with its next record. */
struct lane {
	struct stream stream;
	struct packet packet;
	struct cursor cursor;
	struct kmt_record record;
	uint64_t sequence;     /* of record, widened */
	uint64_t key;	       /* ns: its time, but never a step back */
	uint64_t sequence_end; /* the highest that a packet told */
	uint32_t last_task;
	bool last_own; /* last_task is one of kmemtraced's own */
	struct order_stream figures;
};

struct rank {
	uint64_t key;
	size_t lane;
};

struct memo {
	uint64_t address;
	const struct cache *cache;
};

struct order {
	struct capture *capture;
	struct lane *lanes; /* by cpu */
	size_t lane_count;
	struct rank *ranks; /* a heap: the lane whose turn it is comes first */
	size_t rank_count;
	struct memo memos[1 << MEMO_BITS];
	struct event events[BATCH];
};

static int fail(struct order *order, const struct lane *lane, int err)
{
	struct capture *capture = order->capture;
	const char *path = capture->streams[lane - order->lanes].path;
	char newer[METADATA_TEXT];

	if (err == -EPROTONOSUPPORT)
		snprintf(capture->why, sizeof(capture->why), "%s: byte %" PRIu64 ": %s; %s", path,
			 lane->stream.offset, lane->stream.why,
			 metadata_newer_text(capture->metadata.tracer_version, newer,
					     sizeof(newer)));
	else
		snprintf(capture->why, sizeof(capture->why), "%s: %s", path, strerror(-err));
	return err;
}

static int lane_begin_packet(struct lane *lane)
{
	const struct packet_header *header = &lane->packet.header;
	struct order_stream *figures = &lane->figures;
	int err;

	if (!figures->packets++) {
		figures->time_first = header->time_first;
		loss_init(&figures->loss, header->time_first);
	}
	if (header->time_last > figures->time_last)
		figures->time_last = header->time_last;
	figures->skipped = header->skipped;
	if (header->sequence_end > lane->sequence_end)
		lane->sequence_end = header->sequence_end;
	err = loss_approach(&figures->loss, header->sequence_first, header->time_first);
	cursor_init(&lane->cursor, &lane->packet);
	return err == -ERANGE ? 0 : err;
}

/* 1, 0 at the end, or -errno. */
static int lane_next_packet(struct lane *lane)
{
	struct stream *stream = &lane->stream;
	uint64_t offset;
	int got, err;

	for (;;) {
		got = stream_next(stream, &lane->packet);
		if (got > 0) {
			err = lane_begin_packet(lane);
			return err ? err : 1;
		}
		if (got != -EBADMSG)
			return got;
		offset = stream->offset;
		got = stream_resync(stream);
		if (got < 0)
			return got;
		lane->figures.damaged_bytes += stream->offset - offset;
	}
}

static int lane_count_record(struct lane *lane, const struct status *status)
{
	struct order_stream *figures = &lane->figures;
	const struct kmt_record *record = &lane->record;
	int err;

	lane->sequence = loss_widen(&figures->loss, record->sequence);
	err = loss_record(&figures->loss, lane->sequence, record->time);
	if (err == -ENOMEM)
		return err;
	figures->recorded++;
	if (record->task != lane->last_task) {
		lane->last_task = record->task;
		lane->last_own = status_is_own(status, record->task);
	}
	figures->own += lane->last_own;
	if (record->time > lane->key)
		lane->key = record->time;
	return 0;
}

/* The next record whose id is known. 1, 0 at the end, or -errno. */
static int lane_advance(struct lane *lane, const struct status *status)
{
	int got, err;

	for (;;) {
		got = cursor_next(&lane->cursor, &lane->record);
		if (got > 0) {
			err = lane_count_record(lane, status);
			if (err)
				return err;
			if (lane->record.id > KMT_NONE && lane->record.id < KMT_ID_END)
				return 1;
			lane->figures.unknown++;
			continue;
		}
		if (got < 0)
			lane->figures.damaged_bytes += lane->cursor.end - lane->cursor.at;
		got = lane_next_packet(lane);
		if (got <= 0)
			return got;
	}
}

/* Nothing more can come: what is missing is lost. */
static int lane_end(struct lane *lane)
{
	struct loss *loss = &lane->figures.loss;
	uint64_t end = lane->sequence_end;

	if (end < loss->next || end > LOSS_SEQUENCE_MAX)
		end = loss->next;
	return loss_settle(loss, end, lane->figures.time_last);
}

/* May the cache at the address be told without a look at the time? */
static bool cache_is_alone(const struct caches *caches, const struct cache *cache)
{
	const struct cache *end = caches->list + caches->count;

	return cache->until == CACHE_FOREVER &&
	       (cache == caches->list || cache[-1].address != cache->address) &&
	       (cache + 1 == end || cache[1].address != cache->address);
}

static const struct cache *find_cache(struct order *order, uint64_t address, uint64_t time)
{
	const struct caches *caches = &order->capture->caches;
	struct memo *memo = &order->memos[address * 0x9e3779b97f4a7c15 >> (64 - MEMO_BITS)];
	const struct cache *cache;

	if (memo->address == address && memo->cache)
		return memo->cache;
	cache = caches_find(caches, address, time);
	if (cache && cache_is_alone(caches, cache))
		*memo = (struct memo){ address, cache };
	return cache;
}

static void make_cache_event(struct order *order, struct lane *lane, struct event *event)
{
	event->cache_address = lane->record.cache;
	if (!event->cache_address && !event_is_allocation(event))
		return; /* kfree_bulk() names none, nor do older kernels in any free */
	event->cache = find_cache(order, event->cache_address, event->time);
	if (!event->cache) {
		lane->figures.caches_unknown++;
	} else if (event_is_allocation(event)) {
		event->requested = event->cache->object_size;
		event->allocated = event->cache->size;
	}
}

static void make_event(struct order *order, struct lane *lane, struct event *event)
{
	const struct kmt_record *record = &lane->record;

	*event = (struct event){
		.time = record->time,
		.pointer = record->pointer,
		.call_site = record->call_site,
		.sequence = lane->sequence,
		.task = record->task,
		.gfp = record->gfp,
		.node = record->node,
		.cpu = (uint16_t)lane->figures.cpu,
		.id = record->id,
	};
	switch (record->id) {
	case KMT_UNNAMED_ALLOC:
		lane->figures.caches_untold++;
		/* fall through */
	case KMT_KMALLOC:
	case KMT_REALLOC:
		event->requested = record->requested;
		event->allocated = record->allocated;
		break;
	case KMT_KFREE:
	case KMT_RESCUED_KFREE:
		break;
	default:
		make_cache_event(order, lane, event);
	}
}

static bool comes_before(const struct rank *a, const struct rank *b)
{
	return a->key < b->key || (a->key == b->key && a->lane < b->lane);
}

/* Moves the rank at index down to where it belongs. */
static void sift(struct order *order, size_t index)
{
	struct rank *ranks = order->ranks;
	struct rank moved = ranks[index];

	for (;;) {
		size_t child = index * 2 + 1;

		if (child >= order->rank_count)
			break;
		if (child + 1 < order->rank_count && comes_before(&ranks[child + 1], &ranks[child]))
			child++;
		if (comes_before(&moved, &ranks[child]))
			break;
		ranks[index] = ranks[child];
		index = child;
	}
	ranks[index] = moved;
}

static struct rank find_runner_up(const struct order *order)
{
	const struct rank *ranks = order->ranks;

	if (order->rank_count < 2)
		return (struct rank){ UINT64_MAX, SIZE_MAX };
	if (order->rank_count > 2 && comes_before(&ranks[2], &ranks[1]))
		return ranks[2];
	return ranks[1];
}

int order_next(struct order *order, const struct event **events)
{
	const struct status *status = &order->capture->status;
	size_t count = 0;
	int got;

	while (count < BATCH && order->rank_count) {
		struct rank runner_up = find_runner_up(order);
		struct rank *first = &order->ranks[0];
		struct lane *lane = &order->lanes[first->lane];

		do {
			make_event(order, lane, &order->events[count++]);
			got = lane_advance(lane, status);
			first->key = lane->key;
		} while (got > 0 && count < BATCH && comes_before(first, &runner_up));
		if (!got) {
			got = lane_end(lane);
			*first = order->ranks[--order->rank_count];
		}
		if (got < 0)
			return fail(order, lane, got);
		if (order->rank_count)
			sift(order, 0);
	}
	*events = order->events;
	return (int)count;
}

static int lane_open(struct order *order, size_t index)
{
	struct capture_stream *source = &order->capture->streams[index];
	struct lane *lane = &order->lanes[index];
	int got;

	got = stream_open(&lane->stream, source->path);
	if (got)
		return fail(order, lane, got);
	order->lane_count++;
	lane->figures.cpu = source->cpu;
	lane->last_own = status_is_own(&order->capture->status, 0);
	got = lane_advance(lane, &order->capture->status);
	if (!got)
		got = lane_end(lane);
	else if (got > 0)
		order->ranks[order->rank_count++] = (struct rank){ lane->key, index };
	return got < 0 ? fail(order, lane, got) : 0;
}

int order_open(struct order **result, struct capture *capture)
{
	struct order *order;
	int err = 0;

	order = calloc(1, sizeof(*order));
	if (order) {
		order->capture = capture;
		order->lanes = calloc(capture->stream_count, sizeof(*order->lanes));
		order->ranks = calloc(capture->stream_count, sizeof(*order->ranks));
	}
	if (!order || !order->lanes || !order->ranks) {
		order_close(order);
		snprintf(capture->why, sizeof(capture->why), "%s: %s", capture->path,
			 strerror(ENOMEM));
		return -ENOMEM;
	}
	for (size_t i = 0; !err && i < capture->stream_count; i++)
		err = lane_open(order, i);
	if (err) {
		order_close(order);
		return err;
	}
	for (size_t i = order->rank_count / 2; i-- > 0;)
		sift(order, i);
	*result = order;
	return 0;
}

void order_close(struct order *order)
{
	if (!order)
		return;
	for (size_t i = 0; i < order->lane_count; i++) {
		stream_close(&order->lanes[i].stream);
		loss_deinit(&order->lanes[i].figures.loss);
	}
	free(order->lanes);
	free(order->ranks);
	free(order);
}

size_t order_stream_count(const struct order *order)
{
	return order->lane_count;
}

const struct order_stream *order_stream(const struct order *order, size_t index)
{
	return &order->lanes[index].figures;
}
