// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Converts the records of a stream to events, and counts the records and the losses. */
#include "config.h"

#include <sys/stat.h>
#include <errno.h>
#include <string.h>

#include "capture/live_capture.h"
#include "capture/stream_events.h"

int stream_events_open(struct stream_events *stream_events, const struct capture *capture,
		       const struct capture_stream *source, uint64_t seed)
{
	memset(stream_events, 0, sizeof(*stream_events));
	stream_events->capture = capture;
	stream_events->counters.cpu = source->cpu;
	stream_events->seed = seed;
	stream_events->last_own = status_is_own(&capture->status, 0);
	return stream_open(&stream_events->stream, source->path);
}

void stream_events_close(struct stream_events *stream_events)
{
	stream_close(&stream_events->stream);
	loss_deinit(&stream_events->counters.loss);
}

static int begin_packet(struct stream_events *stream_events)
{
	const struct packet_header *header = &stream_events->packet.header;
	struct stream_counters *counters = &stream_events->counters;
	int err;

	if (!counters->packets++) {
		counters->time_first = header->time_first;
		loss_init(&counters->loss, header->time_first);
	}
	if (header->time_last > counters->time_last)
		counters->time_last = header->time_last;
	counters->all_cpus_skipped = header->skipped;
	if (header->sequence_end > stream_events->sequence_end)
		stream_events->sequence_end = header->sequence_end;
	err = loss_begin_packet(&counters->loss, header->sequence_first, header->time_first);
	cursor_init(&stream_events->cursor, &stream_events->packet);
	return err == -ERANGE ? 0 : err;
}

/* Finds the next whole packet, past any damage. 1, 0 at the end, or -errno. */
static int next_packet(struct stream_events *stream_events)
{
	struct stream *stream = &stream_events->stream;
	uint64_t offset;
	int got, err;

	for (;;) {
		got = stream_next(stream, &stream_events->packet);
		if (got > 0) {
			err = begin_packet(stream_events);
			return err ? err : 1;
		}
		if (got != -EBADMSG)
			return got;
		offset = stream->offset;
		got = stream_resync(stream);
		if (got < 0)
			return got;
		stream_events->counters.damaged_bytes += stream->offset - offset;
		if (!got)
			stream_events->counters.cut_bytes = stream->offset - offset;
	}
}

/* No more records can follow: all missing sequence numbers are lost. */
static int end_stream(struct stream_events *stream_events)
{
	struct loss *loss = &stream_events->counters.loss;
	uint64_t end = stream_events->sequence_end;

	if (end < loss->next || end > LOSS_SEQUENCE_MAX)
		end = loss->next;
	return loss_confirm(loss, end, stream_events->counters.time_last);
}

static const struct cache *find_cache(struct stream_events *stream_events, uint64_t address,
				      uint64_t time)
{
	const struct caches *caches = &stream_events->capture->caches;
	struct stream_events_memo *memo =
		&stream_events
			 ->memos[address * 0x9e3779b97f4a7c15 >> (64 - STREAM_EVENTS_MEMO_BITS)];
	const struct cache *cache;

	if (stream_events->capture->live)
		return live_capture_find_cache(stream_events->capture->live, address, time);
	if (memo->address == address && memo->cache)
		return memo->cache;
	cache = caches_find(caches, address, time);
	if (cache && caches_is_alone(caches, cache))
		*memo = (struct stream_events_memo){ address, cache };
	return cache;
}

static void make_event(struct stream_events *stream_events, const struct kmt_record *record,
		       struct event *event)
{
	struct stream_counters *counters = &stream_events->counters;

	if (record_kind_is_one_of(record->id, RECORD_KINDS_WITH(RECORD_ANONYMOUS)))
		counters->anonymous_allocations++;
	if (!event_init(event, record, counters->cpu, stream_events->seed))
		return;
	event_set_cache(event, find_cache(stream_events, event->cache_address, event->time));
	if (!event->has_cache)
		counters->caches_unknown++;
}

/* Converts records of the packet. A record of an unknown id becomes no event. */
static int take_records(struct stream_events *stream_events, struct event *events, size_t space)
{
	struct stream_counters *counters = &stream_events->counters;
	struct cursor cursor = stream_events->cursor; /* a copy, which can stay in registers */
	const struct kmt_record *record;
	struct kmt_long_record decoded;
	uint64_t latest = stream_events->latest;
	struct event *event = events, *end = events + space;
	size_t unknown = 0;
	int got = 0;

	while (event < end && (got = cursor_find(&cursor, &decoded, &record)) > 0) {
		/* -EEXIST: the sequence number came twice; the record is an event nevertheless */
		if (loss_record_low(&counters->loss, record->sequence, record->time) == -ENOMEM)
			return -ENOMEM;
		if (record->task != stream_events->last_task) {
			stream_events->last_task = record->task;
			stream_events->last_own =
				status_is_own(&stream_events->capture->status, record->task);
		}
		if (stream_events->last_own)
			counters->own++;
		if (!record_kind_is_known(record->id)) {
			unknown++;
			continue;
		}
		make_event(stream_events, record, event++);
		if (record->time > latest)
			latest = record->time;
	}
	stream_events->cursor = cursor;
	stream_events->latest = latest;
	counters->recorded += (size_t)(event - events) + unknown;
	counters->unknown += unknown;
	if (got < 0) {
		counters->damaged_bytes += cursor.end - cursor.at;
		stream_events->cursor.at = cursor.end;
	}
	return (int)(event - events);
}

int stream_events_refresh(struct stream_events *stream_events, bool grows)
{
	struct stat status;

	if (fstat(stream_events->stream.fd, &status))
		return -errno;
	stream_events->stream.size = (uint64_t)status.st_size;
	stream_events->grows = grows;
	return 0;
}

int stream_events_fill(struct stream_events *stream_events, struct event *events, size_t space)
{
	size_t count = 0;
	int got;

	while (count < space) {
		if (stream_events->cursor.at == stream_events->cursor.end) {
			/* the next call reports any error of the next packet */
			if (count)
				break;
			got = next_packet(stream_events);
			if (got < 0 || (!got && stream_events->grows))
				return got;
			if (!got)
				return end_stream(stream_events);
		}
		got = take_records(stream_events, events + count, space - count);
		if (got < 0)
			return got;
		count += (size_t)got;
	}
	return (int)count;
}
