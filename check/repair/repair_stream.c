// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The records of kept packets are copied byte for byte, raw or packed: nothing is decoded and
 * encoded again. Only the number and the lost count in the headers change.
 */
#include "config.h"

#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "check/repair/repair_stream.h"
#include "kernel/record_kinds.h"

int repair_stream_id(const char *path, struct capture_id *id)
{
	struct packet packet;
	struct stream file;
	int more;

	more = stream_open(&file, path);
	if (more)
		return more;
	more = stream_next(&file, &packet);
	if (more == -EBADMSG) {
		more = stream_resync(&file);
		if (more == 1)
			more = stream_next(&file, &packet);
	}
	if (more == 1) {
		memcpy(id->uuid, packet.header.uuid, sizeof(id->uuid));
		id->swap = packet.swap;
	}
	stream_close(&file);
	return more == 1 ? 0 : more ? more : -ENODATA;
}

/* A whole packet can belong to another capture, or be a second copy. */
static bool packet_belongs(const struct repair_stream *stream, const struct capture_id *id,
			   const struct packet *packet)
{
	const struct packet_header *header = &packet->header, *last = &stream->last;

	if (packet->swap != id->swap || header->cpu != stream->cpu || header->stream_id ||
	    memcmp(header->uuid, id->uuid, sizeof(header->uuid)) != 0 ||
	    header->sequence_end > LOSS_SEQUENCE_MAX)
		return false;
	return !stream->count ||
	       (header->number > last->number && header->time_first >= last->time_last &&
		header->lost >= last->lost && header->skipped >= last->skipped &&
		header->sequence_end >= last->sequence_end);
}

static bool packet_is_consistent(const struct packet *packet)
{
	const struct packet_header *header = &packet->header;
	uint64_t lowest = header->sequence_end, highest = 0, time = header->time_first;
	struct loss from_first = { .next = header->sequence_first };
	uint32_t records = 0;
	struct kmt_record record;
	struct cursor cursor;
	int more;

	cursor_init(&cursor, packet);
	while ((more = cursor_next(&cursor, &record)) == 1) {
		uint64_t sequence = loss_widen(&from_first, record.sequence);

		if (record.time < time || record.time > header->time_last)
			return false;
		time = record.time;
		if (sequence < lowest)
			lowest = sequence;
		if (sequence > highest)
			highest = sequence;
		records++;
	}
	return !more && records == header->records && lowest == header->sequence_first &&
	       (!records || highest < header->sequence_end);
}

static int keep_packet(struct repair_stream *stream, const struct status *status,
		       const struct packet *packet, bool goes_on)
{
	struct kmt_record record;
	struct cursor cursor;
	int err = 0;

	if (stream->count == stream->space) {
		size_t space = stream->space ? stream->space * 2 : 64;
		struct kept_packet *packets =
			reallocarray(stream->packets, space, sizeof(*packets));

		if (!packets)
			return -ENOMEM;
		stream->packets = packets;
		stream->space = space;
	}
	if (!stream->count) {
		stream->time_first = packet->header.time_first;
		/* a final packet has no records either, but its sequence_end is not 0 */
		stream->empty_first =
			!packet->header.records &&
			(goes_on ? !packet->header.number : !packet->header.sequence_end);
		if (goes_on) {
			stream->first_sequence = stream->empty_first
							 ? packet->header.sequence_end
							 : packet->header.sequence_first;
			err = loss_begin_file(&stream->loss, stream->first_sequence,
					      packet->header.time_first);
			if (err)
				return err;
		}
	}
	stream->packets[stream->count++] = (struct kept_packet){
		.offset = packet->offset,
		.sequence_end = packet->header.sequence_end,
	};
	stream->last = packet->header;
	stream->tail_dropped = false;
	err = loss_begin_packet(&stream->loss, packet->header.sequence_first,
				packet->header.time_first);
	if (err)
		return err;
	cursor_init(&cursor, packet);
	while (cursor_next(&cursor, &record) == 1) {
		err = loss_record(&stream->loss, loss_widen(&stream->loss, record.sequence),
				  record.time);
		if (err && err != -EEXIST)
			return err;
		stream->records++;
		stream->own += status_is_own(status, record.task);
		stream->from_backup +=
			record_kind_is_one_of(record.id, RECORD_KINDS_WITH(RECORD_BACKUP));
	}
	return 0;
}

static void drop_bytes(struct repair_stream *stream, uint64_t bytes)
{
	stream->dropped_bytes += bytes;
	stream->dropped_ranges++;
	stream->tail_dropped = true;
}

int repair_stream_scan(struct repair_stream *stream, const struct capture_id *id,
		       const struct status *status)
{
	struct packet packet;
	struct stream file;
	int more;

	loss_init(&stream->loss, status->begin);
	more = stream_open(&file, stream->path);
	if (more)
		return more;
	for (;;) {
		uint64_t offset = file.offset;
		int err = 0;

		more = stream_next(&file, &packet);
		if (more == -EBADMSG) {
			more = stream_resync(&file);
			drop_bytes(stream, file.offset - offset);
			if (more == 1)
				continue;
		}
		if (more != 1)
			break;
		if (packet_belongs(stream, id, &packet) && packet_is_consistent(&packet))
			err = keep_packet(stream, status, &packet, id->goes_on);
		else
			drop_bytes(stream, file.offset - offset);
		if (err) {
			more = err;
			break;
		}
	}
	stream_close(&file);
	return more;
}

int repair_stream_close_loss(struct repair_stream *stream, const struct repair_end *end)
{
	return loss_confirm(&stream->loss, end->sequence_end, end->time);
}

struct repair_output {
	int fd;
	const struct capture_id *id;
	uint64_t number; /* of the next packet */
	unsigned char *bytes;
	size_t space;
};

/* The header is in this machine's byte order. Sets its other fields and writes the packet. */
static int output_packet(struct repair_output *output, struct packet_header header,
			 const unsigned char *body, size_t size)
{
	size_t total = sizeof(header) + size;
	struct packet_header disk;

	if (total > output->space) {
		unsigned char *bytes = realloc(output->bytes, total);

		if (!bytes)
			return -ENOMEM;
		output->bytes = bytes;
		output->space = total;
	}
	header.magic = PACKET_MAGIC;
	memcpy(header.uuid, output->id->uuid, sizeof(header.uuid));
	header.number = output->number++;
	header.content_bits = header.packet_bits = (uint64_t)total * 8;
	header.version = PACKET_VERSION;
	header.crc = 0;
	disk = header;
	if (output->id->swap)
		packet_header_swap(&disk);
	memcpy(output->bytes, &disk, sizeof(disk));
	if (size)
		memcpy(output->bytes + sizeof(disk), body, size);
	disk.crc = libdeflate_crc32(0, output->bytes, total);
	if (output->id->swap)
		disk.crc = bswap_32(disk.crc);
	memcpy(output->bytes, &disk, sizeof(disk));
	return write_all(output->fd, output->bytes, total);
}

/*
 * Counts lost events whose numbers are below an end that only grows. Neighbours of very many spans
 * are merged (see loss.h), so the sum of the spans may be too large; loss_missing() is exact.
 */
struct lost_below {
	const struct loss *loss;
	size_t span;
	uint64_t before; /* in the spans before it */
};

static uint64_t lost_below(struct lost_below *below, uint64_t sequence_end)
{
	const struct loss *loss = below->loss;
	uint64_t lost;

	while (below->span < loss->count && loss->spans[below->span].last < sequence_end) {
		const struct loss_span *span = &loss->spans[below->span++];

		below->before += span->last - span->first + 1;
	}
	lost = below->before;
	if (below->span < loss->count && loss->spans[below->span].first < sequence_end)
		lost += sequence_end - loss->spans[below->span].first;
	return lost < loss_missing(loss) ? lost : loss_missing(loss);
}

static int output_kept_packets(struct repair_output *output, const struct repair_stream *stream)
{
	struct lost_below below = { .loss = &stream->loss };
	struct packet packet;
	struct stream file;
	int err;

	err = stream_open(&file, stream->path);
	if (err)
		return err;
	for (size_t i = 0; !err && i < stream->count; i++) {
		file.offset = stream->packets[i].offset;
		err = stream_next(&file, &packet);
		if (err != 1) {
			err = err ? err : -EIO;
			break;
		}
		packet.header.lost = lost_below(&below, stream->packets[i].sequence_end);
		err = output_packet(output, packet.header, packet.body, packet.body_size);
	}
	stream_close(&file);
	return err;
}

int repair_stream_write(const struct repair_stream *stream, const struct capture_id *id,
			const struct repair_end *end, int fd)
{
	struct repair_output output = { .id = id, .fd = fd };
	struct packet_header empty = { .cpu = stream->cpu };
	int err = 0;

	empty.sequence_first = empty.sequence_end = stream->first_sequence;
	empty.time_first = empty.time_last = stream->count ? stream->time_first : end->begin;
	if (!stream->empty_first)
		err = output_packet(&output, empty, NULL, 0);
	if (!err && stream->count)
		err = output_kept_packets(&output, stream);
	if (!err && (end->sequence_end > stream->last.sequence_end ||
		     end->skipped > stream->last.skipped)) {
		if (stream->count)
			empty.time_first = stream->last.time_last;
		empty.time_last = end->time > empty.time_first ? end->time : empty.time_first;
		empty.sequence_first = empty.sequence_end = end->sequence_end;
		empty.skipped = end->skipped;
		empty.lost = loss_missing(&stream->loss);
		err = output_packet(&output, empty, NULL, 0);
	}
	if (!err && fsync(output.fd))
		err = -errno;
	if (close(output.fd) && !err)
		err = -errno;
	free(output.bytes);
	return err;
}

void repair_stream_deinit(struct repair_stream *stream)
{
	free(stream->path);
	free(stream->packets);
	loss_deinit(&stream->loss);
}
