// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Compares each packet header with the packet before, with its records and with the metadata. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "check/check_packet.h"

#define report_problem(stream, offset, ...) \
	problems_add((stream)->problems, &(stream)->check->info, offset, __VA_ARGS__)

static void check_identity(struct stream_state *stream, const struct packet *packet)
{
	const struct packet_header *header = &packet->header;
	const uint8_t *uuid = stream->capture ? stream->capture->metadata.uuid : stream->first.uuid;
	bool big_endian = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != packet->swap;

	if (memcmp(header->uuid, uuid, sizeof(header->uuid)) != 0)
		report_problem(stream, packet->offset,
			       "a packet of another capture: its uuid differs");
	if (header->cpu != stream->cpu)
		report_problem(stream, packet->offset,
			       "a packet of cpu%" PRIu32 " in the stream of cpu%u", header->cpu,
			       stream->cpu);
	if (header->stream_id)
		report_problem(stream, packet->offset,
			       "a packet of the unknown stream class %" PRIu32, header->stream_id);
	if (stream->capture && big_endian != stream->capture->metadata.big_endian)
		report_problem(stream, packet->offset, "a %s-endian packet, unlike the metadata",
			       big_endian ? "big" : "little");
}

static void check_first(struct stream_state *stream, const struct packet *packet)
{
	if (!stream->packets && (packet->header.records || packet->header.lost))
		report_problem(stream, packet->offset,
			       "the first packet holds %" PRIu32 " records and %" PRIu64
			       " lost events, not none",
			       packet->header.records, packet->header.lost);
}

static void check_packet_number(struct stream_state *stream, const struct packet *packet)
{
	uint64_t expected = stream->packets ? stream->last.number + 1 : 0;

	if (packet->header.number != expected)
		report_problem(stream, packet->offset,
			       "packet %" PRIu64 " where %" PRIu64 " is expected",
			       packet->header.number, expected);
}

static void check_counters(struct stream_state *stream, const struct packet *packet)
{
	const struct packet_header *header = &packet->header, *last = &stream->last;

	if (!stream->packets)
		return;
	if (header->lost < last->lost)
		report_problem(stream, packet->offset,
			       "lost events decrease from %" PRIu64 " to %" PRIu64, last->lost,
			       header->lost);
	if (header->skipped < last->skipped)
		report_problem(stream, packet->offset,
			       "skipped events decrease from %" PRIu64 " to %" PRIu64,
			       last->skipped, header->skipped);
	if (header->sequence_end < last->sequence_end)
		report_problem(stream, packet->offset,
			       "the end of the sequence numbers decreases from %" PRIu64
			       " to %" PRIu64,
			       last->sequence_end, header->sequence_end);
}

static void check_packet_time(struct stream_state *stream, const struct packet *packet)
{
	if (stream->packets && packet->header.time_first < stream->last.time_last)
		report_problem(stream, packet->offset,
			       "a packet from %" PRIu64
			       " ns on overlaps the one before, to %" PRIu64 " ns",
			       packet->header.time_first, stream->last.time_last);
}

static void check_header_end(struct stream_state *stream, const struct packet *packet)
{
	const struct packet_header *header = &packet->header;

	if (header->content_bits != header->packet_bits)
		report_problem(stream, packet->offset,
			       "a packet of %" PRIu64 " bits of which %" PRIu64 " are content",
			       header->packet_bits, header->content_bits);
	if (header->records != stream->packet_records)
		report_problem(stream, packet->offset,
			       "a packet of %" PRIu64 " records whose header says %" PRIu32,
			       stream->packet_records, header->records);
	if (!stream->packet_records) {
		if (header->sequence_first != header->sequence_end)
			report_problem(stream, packet->offset,
				       "a packet without records for the sequence numbers %" PRIu64
				       " to %" PRIu64,
				       header->sequence_first, header->sequence_end);
		return;
	}
	if (header->sequence_first != stream->sequence_lowest)
		report_problem(stream, packet->offset,
			       "the lowest sequence number is %" PRIu64
			       ", the header says %" PRIu64,
			       stream->sequence_lowest, header->sequence_first);
	if (header->sequence_end <= stream->sequence_highest)
		report_problem(stream, packet->offset,
			       "sequence number %" PRIu64 " is beyond the header's end, %" PRIu64,
			       stream->sequence_highest, header->sequence_end);
}

static void check_any_packet(struct stream_state *stream)
{
	if (!stream->packets)
		report_problem(stream, PROBLEM_NO_OFFSET, "holds no whole packet");
}

const struct stream_check packet_checks[] = {
	{ .info = { "packets", "every byte is part of a whole packet with a correct CRC-32",
		    .repairable = true },
	  .stream_end = check_any_packet },
	{ .info = { "identity", "packets belong to this capture, this CPU and this byte order",
		    .repairable = true },
	  .packet = check_identity },
	{ .info = { "first", "the first packet has no records and no lost events",
		    .repairable = true },
	  .packet = check_first },
	{ .info = { "numbers", "packets are numbered from 0 without a gap", .repairable = true },
	  .packet = check_packet_number },
	{ .info = { "counters", "the counts of lost and skipped events never decrease",
		    .repairable = true },
	  .packet = check_counters },
	{ .info = { "packet-time", "packets are in order of time and do not overlap",
		    .repairable = true },
	  .packet = check_packet_time },
	{ .info = { "header", "the header of a packet agrees with its records",
		    .repairable = true },
	  .packet_end = check_header_end },
};
const size_t packet_check_count = sizeof(packet_checks) / sizeof(*packet_checks);
