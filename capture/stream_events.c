// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Converts the records of a stream to events, and counts the records and the losses. */
#include "config.h"

#include <sys/stat.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "capture/live_capture.h"
#include "capture/stream_events.h"

/* Opens the next of the files. 1; 0: there is none; or -errno. */
static int open_next_file(struct stream_events *stream_events)
{
	const struct capture_stream *source = stream_events->source;
	const struct capture_parts *parts = &stream_events->capture->parts;
	int err = -ENOENT;

	while (err == -ENOENT && stream_events->next < source->part_count) {
		__attribute__((cleanup(free_text))) char *path = NULL;

		stream_events->part = source->parts[stream_events->next++];
		path = capture_stream_path(&parts->list[stream_events->part], source->cpu);
		err = path ? stream_open(&stream_events->stream, path) : -ENOMEM;
	}
	if (err)
		return err == -ENOENT ? 0 : err;
	stream_events->in_checkpoint = parts->list[stream_events->part].is_checkpoint;
	stream_events->first_packet = true;
	return 1;
}

int stream_events_open(struct stream_events *stream_events, const struct capture *capture,
		       const struct capture_stream *source, uint64_t seed)
{
	int got;

	memset(stream_events, 0, sizeof(*stream_events));
	stream_events->capture = capture;
	stream_events->source = source;
	stream_events->counters.cpu = source->cpu;
	stream_events->seed = seed;
	stream_events->last_own = status_is_own(&capture->status, 0);
	stream_events->stream.fd = -1;
	stream_events->all = stream_files_bytes(source, &capture->parts);
	got = open_next_file(stream_events);
	return got > 0 ? 0 : got ? got : -ENOENT;
}

/* Goes on with the next file. 1; 0: there is none; or -errno. */
static int next_file(struct stream_events *stream_events)
{
	struct stream *stream = &stream_events->stream;

	if (stream_events->next == stream_events->source->part_count)
		return 0;
	stream_events->done += stream->size;
	stream_events->skipped_before = stream_events->counters.all_cpus_skipped;
	stream_close(stream);
	*stream = (struct stream){ .fd = -1 };
	memset(&stream_events->cursor, 0, sizeof(stream_events->cursor));
	return open_next_file(stream_events);
}

void stream_events_close(struct stream_events *stream_events)
{
	stream_close(&stream_events->stream);
	loss_deinit(&stream_events->counters.loss);
}

uint64_t stream_events_bytes(const struct stream_events *stream_events)
{
	/* a live capture grows */
	return stream_events->capture->parts.count > 1 ? stream_events->all
						       : stream_events->stream.size;
}

uint64_t stream_events_offset(const struct stream_events *stream_events)
{
	return stream_events->done + stream_events->stream.offset;
}

/* Does the stream of a piece go back behind the end of that of the piece before? */
static bool goes_back(const struct stream_events *stream_events, const struct packet_header *header)
{
	return stream_events->counters.packets && !header->number &&
	       (header->sequence_end < stream_events->sequence_end ||
		header->time_first < stream_events->counters.time_last);
}

/* The first packet of a file has no records, and the number of the stream's first event. */
static int begin_file(struct stream_events *stream_events, const struct packet_header *header)
{
	struct stream_counters *counters = &stream_events->counters;
	const struct capture *capture = stream_events->capture;
	bool goes_on = stream_events->part || capture->goes_on;
	uint64_t first = header->sequence_end;

	stream_events->first_packet = false;
	if (goes_back(stream_events, header))
		return -EILSEQ;
	if (!counters->packets)
		counters->time_first = header->time_first;
	if (!counters->loss.records && !counters->loss.next)
		loss_init(&counters->loss, header->time_first);
	if (!goes_on)
		return 0;
	/* the first packet is damaged: of a later part, all that is missing is lost */
	if (header->number &&
	    !checkpoint_state_find_number(&capture->checkpoint, counters->cpu, &first))
		first = header->sequence_first;
	return loss_begin_file(&counters->loss, first, header->time_first);
}

static int begin_packet(struct stream_events *stream_events)
{
	const struct packet_header *header = &stream_events->packet.header;
	struct stream_counters *counters = &stream_events->counters;
	int err = 0;

	cursor_init(&stream_events->cursor, &stream_events->packet);
	if (stream_events->in_checkpoint)
		return 0;
	if (stream_events->first_packet)
		err = begin_file(stream_events, header);
	counters->packets++;
	if (header->time_last > counters->time_last)
		counters->time_last = header->time_last;
	counters->all_cpus_skipped = stream_events->skipped_before + header->skipped;
	if (header->sequence_end > stream_events->sequence_end)
		stream_events->sequence_end = header->sequence_end;
	if (!err)
		err = loss_begin_packet(&counters->loss, header->sequence_first,
					header->time_first);
	return err == -ERANGE ? 0 : err;
}

/* Finds the next whole packet, past any damage, in this file or the next. 1, 0 at the end, or
 * -errno. */
static int next_packet(struct stream_events *stream_events)
{
	struct stream *stream = &stream_events->stream;
	uint64_t offset;
	int got, err;

	for (;;) {
		got = stream->fd < 0 ? 0 : stream_next(stream, &stream_events->packet);
		if (!got && !stream_events->grows) {
			got = next_file(stream_events);
			if (got > 0)
				continue;
		}
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

/* Counts a record of the stream's own file. 0; 1: it belongs to the next piece; or -ENOMEM. */
static int count_record(struct stream_events *stream_events, const struct kmt_record *record)
{
	struct stream_counters *counters = &stream_events->counters;
	uint64_t until = stream_events->capture->status.until;

	/* -EEXIST: the sequence number came twice; the record is an event nevertheless */
	if (loss_record_low(&counters->loss, record->sequence, record->time) == -ENOMEM)
		return -ENOMEM;
	if (!until || record->time < until)
		return 0;
	counters->left_to_next++;
	return 1;
}

/*
 * Converts records of the packet. A record of an unknown id becomes no event. Records of live
 * objects in a checkpoint are events, and count in no counter.
 */
static int take_records(struct stream_events *stream_events, struct event *events, size_t space)
{
	struct stream_counters *counters = &stream_events->counters;
	struct cursor cursor = stream_events->cursor; /* a copy, which can stay in registers */
	const struct kmt_record *record;
	struct kmt_long_record decoded;
	uint64_t latest = stream_events->latest, begin = stream_events->capture->checkpoint.begin;
	uint64_t until = stream_events->capture->status.until;
	struct event *event = events, *end = events + space;
	size_t unknown = 0, live = 0;
	int got = 0, count;

	while (event < end && (got = cursor_find(&cursor, &decoded, &record)) > 0) {
		if (!stream_events->in_checkpoint) {
			count = count_record(stream_events, record);
			if (count < 0)
				return count;
			if (count)
				continue;
		} else if (record->time < begin) {
			if (!record_kind_is_known(record->id))
				continue;
			live++;
			counters->initial += record_kind_is_one_of(
				record->id, RECORD_KINDS_WITH(RECORD_ALLOCATION));
			make_event(stream_events, record, event++);
			latest = record->time > latest ? record->time : latest;
			continue;
		} else if (until && record->time >= until) {
			continue; /* the next checkpoint has it, too */
		} else {
			counters->from_before++;
		}
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
	counters->recorded += (size_t)(event - events) - live + unknown;
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
