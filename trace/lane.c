// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Makes events of a stream's records, and follows what the stream lost. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "trace/lane.h"

int lane_open(struct lane *lane, const struct capture *capture, const struct capture_stream *source,
	      uint64_t seed)
{
	memset(lane, 0, sizeof(*lane));
	lane->capture = capture;
	lane->figures.cpu = source->cpu;
	lane->seed = seed;
	lane->last_own = status_is_own(&capture->status, 0);
	return stream_open(&lane->stream, source->path);
}

void lane_close(struct lane *lane)
{
	stream_close(&lane->stream);
	loss_deinit(&lane->figures.loss);
}

static int begin_packet(struct lane *lane)
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
static int next_packet(struct lane *lane)
{
	struct stream *stream = &lane->stream;
	uint64_t offset;
	int got, err;

	for (;;) {
		got = stream_next(stream, &lane->packet);
		if (got > 0) {
			err = begin_packet(lane);
			return err ? err : 1;
		}
		if (got != -EBADMSG)
			return got;
		offset = stream->offset;
		got = stream_resync(stream);
		if (got < 0)
			return got;
		lane->figures.damaged_bytes += stream->offset - offset;
		if (!got)
			lane->figures.cut_bytes = stream->offset - offset;
	}
}

/* Nothing more can come: what is missing is lost. */
static int end_stream(struct lane *lane)
{
	struct loss *loss = &lane->figures.loss;
	uint64_t end = lane->sequence_end;

	if (end < loss->next || end > LOSS_SEQUENCE_MAX)
		end = loss->next;
	return loss_settle(loss, end, lane->figures.time_last);
}

static const struct cache *find_cache(struct lane *lane, uint64_t address, uint64_t time)
{
	const struct caches *caches = &lane->capture->caches;
	struct lane_memo *memo =
		&lane->memos[address * 0x9e3779b97f4a7c15 >> (64 - LANE_MEMO_BITS)];
	const struct cache *cache;

	if (memo->address == address && memo->cache)
		return memo->cache;
	cache = caches_find(caches, address, time);
	if (cache && caches_is_alone(caches, cache))
		*memo = (struct lane_memo){ address, cache };
	return cache;
}

static void make_event(struct lane *lane, const struct kmt_record *record, struct event *event)
{
	struct order_stream *figures = &lane->figures;

	if (record->id == KMT_UNNAMED_ALLOC)
		figures->caches_untold++;
	if (!event_init(event, record, figures->cpu, lane->seed))
		return;
	event_set_cache(event, find_cache(lane, event->cache_address, event->time));
	if (!event->has_cache)
		figures->caches_unknown++;
}

/* Takes records of the packet; those whose id is not known make no event. */
static int take_records(struct lane *lane, struct event *events, size_t space)
{
	struct order_stream *figures = &lane->figures;
	struct cursor cursor = lane->cursor; /* a copy, which can stay in registers */
	const struct kmt_record *record;
	struct kmt_record turned;
	uint64_t latest = lane->latest;
	struct event *event = events, *end = events + space;
	size_t unknown = 0;
	int got = 0;

	while (event < end && (got = cursor_find(&cursor, &turned, &record)) > 0) {
		/* -EEXIST: a number that came before is an event all the same */
		if (loss_follow(&figures->loss, record->sequence, record->time) == -ENOMEM)
			return -ENOMEM;
		if (record->task != lane->last_task) {
			lane->last_task = record->task;
			lane->last_own = status_is_own(&lane->capture->status, record->task);
		}
		if (lane->last_own)
			figures->own++;
		if (record->id == KMT_NONE || record->id >= KMT_ID_END) {
			unknown++;
			continue;
		}
		make_event(lane, record, event++);
		if (record->time > latest)
			latest = record->time;
	}
	lane->cursor = cursor;
	lane->latest = latest;
	figures->recorded += (size_t)(event - events) + unknown;
	figures->unknown += unknown;
	if (got < 0) {
		figures->damaged_bytes += cursor.end - cursor.at;
		lane->cursor.at = cursor.end;
	}
	return (int)(event - events);
}

int lane_fill(struct lane *lane, struct event *events, size_t space)
{
	size_t count = 0;
	int got;

	while (count < space) {
		if (lane->cursor.at == lane->cursor.end) {
			/* what is wrong with the next packet is for the next call */
			if (count)
				break;
			got = next_packet(lane);
			if (got <= 0)
				return got ? got : end_stream(lane);
		}
		got = take_records(lane, events + count, space - count);
		if (got < 0)
			return got;
		count += (size_t)got;
	}
	return (int)count;
}
