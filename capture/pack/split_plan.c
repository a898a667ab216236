// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A stream is split between two packets, where no number below those of the first packet comes
 * later: then each part has its own numbers, and those that it lacks are lost.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "capture/pack/split_plan.h"
#include "capture/reader.h"

#define PIECES_MAX 100000

/* A packet of any stream. */
struct packet_time {
	uint64_t time, bytes;
};

static int read_packets(struct split_plan *plan, struct split_stream *stream, const char *path)
{
	struct packet_header header, *packets;
	struct stream file;
	int err = stream_open(&file, path), got = 1;

	if (err)
		return error_set_at(plan->error, err, path);
	while (!err && (got = stream_peek(&file, &header)) == 1) {
		packets = array_grow(stream->packets, stream->count, sizeof(*packets));
		if (!packets) {
			err = error_set_at(plan->error, -ENOMEM, path);
			break;
		}
		stream->packets = packets;
		packets[stream->count++] = header;
		stream_skip(&file, &header);
	}
	if (!err && got == -EBADMSG)
		err = error_format(
			plan->error, got,
			"%s: is damaged: kmemtrace-check --repair makes a whole capture of it",
			path);
	else if (!err && got < 0)
		err = error_format(plan->error, got, "%s: %s", path,
				   *file.errmsg ? file.errmsg : strerror(-got));
	stream_close(&file);
	return err;
}

static int compare_packet_times(const void *a, const void *b)
{
	const struct packet_time *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* The packets with records, of all streams, by time, to be freed; or NULL. */
static struct packet_time *sort_packets(const struct split_plan *plan, size_t *count)
{
	struct packet_time *list;

	*count = 0;
	for (size_t i = 0; i < plan->stream_count; i++)
		*count += plan->streams[i].count;
	list = calloc(*count + 1, sizeof(*list));
	*count = 0;
	for (size_t i = 0; list && i < plan->stream_count; i++)
		for (size_t j = 0; j < plan->streams[i].count; j++) {
			const struct packet_header *header = &plan->streams[i].packets[j];

			if (header->records)
				list[(*count)++] = (struct packet_time){ header->time_first,
									 header->packet_bits / 8 };
		}
	if (list && *count)
		qsort(list, *count, sizeof(*list), compare_packet_times);
	return list;
}

static int add_piece(struct split_plan *plan, uint64_t begin)
{
	struct split_piece *pieces;

	if (plan->piece_count == PIECES_MAX)
		return error_format(plan->error, -E2BIG, "more than %d pieces: choose larger ones",
				    PIECES_MAX);
	pieces = array_grow(plan->pieces, plan->piece_count, sizeof(*pieces));
	if (!pieces)
		return error_set_at(plan->error, -ENOMEM, "the pieces");
	plan->pieces = pieces;
	pieces[plan->piece_count++] = (struct split_piece){ .begin = begin };
	return 0;
}

/*
 * The last piece begins before this time, ns: it has the end of the capture, and the last reading
 * of /proc/slabinfo. Some events come after the end, until the programs are detached.
 */
static uint64_t find_limit(const struct capture *capture)
{
	const struct slabinfo *slabinfo = &capture->slabinfo;
	const struct status *status = &capture->status;
	uint64_t last = slabinfo->count ? slabinfo->snapshots[slabinfo->count - 1].time : 0;

	if (status->complete != STATUS_COMPLETE)
		return UINT64_MAX;
	return last > status->begin && last < status->end ? last : status->end;
}

/* Chooses the times at which the pieces shall begin. */
static int choose_times(struct split_plan *plan, const struct split_settings *settings,
			uint64_t limit)
{
	uint64_t bytes = 0, begin;
	size_t count;
	struct packet_time *list = sort_packets(plan, &count);
	int err;

	if (!list)
		return error_set_at(plan->error, -ENOMEM, "the packets");
	begin = count ? list[0].time : 0;
	err = add_piece(plan, begin);
	for (size_t i = 0; i < count && !err; i++) {
		bool is_full = (settings->bytes && bytes >= settings->bytes) ||
			       (settings->ns && list[i].time - begin >= settings->ns);

		if (is_full && list[i].time > begin && list[i].time < limit) {
			begin = list[i].time;
			bytes = 0;
			err = add_piece(plan, begin);
		}
		bytes += list[i].bytes;
	}
	free(list);
	return err;
}

/* Do the packets before this one have all numbers below a number, and no other? */
static bool can_split(const struct split_stream *stream, size_t packet)
{
	return !packet || packet == stream->count ||
	       stream->packets[packet].sequence_first >= stream->packets[packet - 1].sequence_end;
}

/* Sets the parts of a stream in all pieces. */
static void split_stream(const struct split_plan *plan, struct split_stream *stream)
{
	const struct packet_header *packets = stream->packets;
	size_t at = 0;

	for (size_t piece = 0; piece < plan->piece_count; piece++) {
		struct split_part *part = &stream->parts[piece];
		uint64_t next = piece + 1 < plan->piece_count ? plan->pieces[piece + 1].begin
							      : UINT64_MAX;

		part->first = at;
		part->begin = piece ? part[-1].until : stream->count ? packets[0].time_first : 0;
		part->sequence_first = piece ? part[-1].sequence_end : 0;
		part->sequence_end = part->sequence_first;
		part->until = part->begin;
		while (at < stream->count &&
		       (packets[at].time_first < next || !can_split(stream, at))) {
			part->recorded += packets[at].records;
			part->sequence_end = packets[at].sequence_end;
			part->until = packets[at].time_last;
			at++;
		}
		part->end = at;
		/* between the last record of this piece and the first one of the next */
		if (next != UINT64_MAX && part->until < next)
			part->until = at < stream->count && packets[at].time_first < next
					      ? packets[at].time_first
					      : next;
	}
}

/* The times of the pieces, and the events that were skipped before them. */
static void complete_pieces(struct split_plan *plan)
{
	uint64_t skipped = 0;

	for (size_t piece = 0; piece < plan->piece_count; piece++) {
		struct split_piece *about = &plan->pieces[piece];

		about->begin = UINT64_MAX;
		about->skipped_before = skipped;
		for (size_t i = 0; i < plan->stream_count; i++) {
			const struct split_stream *stream = &plan->streams[i];
			const struct split_part *part = &stream->parts[piece];

			if (part->begin < about->begin)
				about->begin = part->begin;
			if (part->until > about->end)
				about->end = part->until;
			if (part->end && stream->packets[part->end - 1].skipped > skipped)
				skipped = stream->packets[part->end - 1].skipped;
		}
	}
}

int split_plan_make(struct split_plan *plan, const struct capture *capture,
		    const struct split_settings *settings, struct error *error)
{
	int err = 0;

	*plan = (struct split_plan){ .stream_count = capture->stream_count, .error = error };
	plan->streams = calloc(capture->stream_count, sizeof(*plan->streams));
	if (!plan->streams)
		return error_set_at(plan->error, -ENOMEM, capture->path);
	for (size_t i = 0; i < capture->stream_count && !err; i++) {
		plan->streams[i].cpu = capture->streams[i].cpu;
		err = read_packets(plan, &plan->streams[i], capture->streams[i].path);
	}
	if (!err)
		err = choose_times(plan, settings, find_limit(capture));
	for (size_t i = 0; i < plan->stream_count && !err; i++) {
		plan->streams[i].parts = calloc(plan->piece_count, sizeof(struct split_part));
		if (!plan->streams[i].parts)
			err = error_set_at(plan->error, -ENOMEM, capture->path);
		else
			split_stream(plan, &plan->streams[i]);
	}
	if (!err)
		complete_pieces(plan);
	return err;
}

void split_plan_deinit(struct split_plan *plan)
{
	for (size_t i = 0; plan->streams && i < plan->stream_count; i++) {
		free(plan->streams[i].packets);
		free(plan->streams[i].parts);
	}
	free(plan->streams);
	free(plan->pieces);
}
