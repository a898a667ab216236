// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What must hold in one stream: whole packets in order, headers that fit their records, numbers
 * that are there or counted as lost.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "check/check.h"
#include "cli/progress.h"

#define find(stream, offset, ...) \
	findings_add((stream)->findings, (stream)->check, offset, __VA_ARGS__)

static void check_identity(struct check_stream *stream, const struct packet *packet)
{
	const struct packet_header *header = &packet->header;
	const uint8_t *uuid = stream->capture ? stream->capture->metadata.uuid : stream->first.uuid;
	bool big_endian = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != packet->swap;

	if (memcmp(header->uuid, uuid, sizeof(header->uuid)) != 0)
		find(stream, packet->offset, "a packet of another capture: its uuid differs");
	if (header->cpu != stream->cpu)
		find(stream, packet->offset, "a packet of cpu%" PRIu32 " in the stream of cpu%u",
		     header->cpu, stream->cpu);
	if (header->stream_id)
		find(stream, packet->offset, "a packet of stream class %" PRIu32,
		     header->stream_id);
	if (stream->capture && big_endian != stream->capture->metadata.big_endian)
		find(stream, packet->offset, "a %s-endian packet, metadata says otherwise",
		     big_endian ? "big" : "little");
}

static void check_first(struct check_stream *stream, const struct packet *packet)
{
	if (!stream->packets && (packet->header.records || packet->header.lost))
		find(stream, packet->offset,
		     "the first packet holds %" PRIu32 " records and %" PRIu64
		     " lost events, not none",
		     packet->header.records, packet->header.lost);
}

static void check_numbers(struct check_stream *stream, const struct packet *packet)
{
	uint64_t expected = stream->packets ? stream->last.number + 1 : 0;

	if (packet->header.number != expected)
		find(stream, packet->offset, "packet %" PRIu64 " where %" PRIu64 " is expected",
		     packet->header.number, expected);
}

static void check_counters(struct check_stream *stream, const struct packet *packet)
{
	const struct packet_header *header = &packet->header, *last = &stream->last;

	if (!stream->packets)
		return;
	if (header->lost < last->lost)
		find(stream, packet->offset, "lost events decrease from %" PRIu64 " to %" PRIu64,
		     last->lost, header->lost);
	if (header->skipped < last->skipped)
		find(stream, packet->offset, "skipped events decrease from %" PRIu64 " to %" PRIu64,
		     last->skipped, header->skipped);
	if (header->sequence_end < last->sequence_end)
		find(stream, packet->offset,
		     "the end of the event numbers decreases from %" PRIu64 " to %" PRIu64,
		     last->sequence_end, header->sequence_end);
}

static void check_packet_time(struct check_stream *stream, const struct packet *packet)
{
	if (stream->packets && packet->header.time_first < stream->last.time_last)
		find(stream, packet->offset,
		     "a packet from %" PRIu64 " ns on overlaps the one before, to %" PRIu64 " ns",
		     packet->header.time_first, stream->last.time_last);
}

static void check_header_end(struct check_stream *stream, const struct packet *packet)
{
	const struct packet_header *header = &packet->header;

	if (header->content_bits != header->packet_bits)
		find(stream, packet->offset,
		     "a packet of %" PRIu64 " bits of which %" PRIu64 " are content",
		     header->packet_bits, header->content_bits);
	if (header->records != stream->packet_records)
		find(stream, packet->offset,
		     "a packet of %" PRIu64 " records whose header says %" PRIu32,
		     stream->packet_records, header->records);
	if (!stream->packet_records) {
		if (header->sequence_first != header->sequence_end)
			find(stream, packet->offset,
			     "a packet without records for the event numbers %" PRIu64
			     " to %" PRIu64,
			     header->sequence_first, header->sequence_end);
		return;
	}
	if (header->sequence_first != stream->sequence_lowest)
		find(stream, packet->offset,
		     "the lowest event number is %" PRIu64 ", the header says %" PRIu64,
		     stream->sequence_lowest, header->sequence_first);
	if (header->sequence_end <= stream->sequence_highest)
		find(stream, packet->offset,
		     "event number %" PRIu64 " is beyond the header's end, %" PRIu64,
		     stream->sequence_highest, header->sequence_end);
}

static void check_sequence_end(struct check_stream *stream)
{
	uint64_t missing;

	if (!stream->packets)
		return;
	if (loss_settle(&stream->loss, stream->last.sequence_end, stream->last.time_last) ==
	    -ERANGE)
		find(stream, FINDING_NO_OFFSET, "event numbers up to %" PRIu64 " cannot be",
		     stream->last.sequence_end);
	missing = loss_missing(&stream->loss);
	if (missing != stream->last.lost)
		find(stream, FINDING_NO_OFFSET,
		     "event numbers missing: %" PRIu64 ", stated as lost: %" PRIu64, missing,
		     stream->last.lost);
}

const struct check stream_checks[STREAM_CHECKS] = {
	{ .name = "packets",
	  .mendable = true,
	  .sentence = "every byte is of a whole packet, with right lengths and "
		      "CRC-32" },
	{ .name = "identity",
	  .mendable = true,
	  .sentence = "packets are of this capture, this CPU and this byte order",
	  .packet = check_identity },
	{ .name = "first",
	  .mendable = true,
	  .sentence = "the first packet is empty and has lost nothing",
	  .packet = check_first },
	{ .name = "numbers",
	  .mendable = true,
	  .sentence = "packets are numbered from 0 without a gap",
	  .packet = check_numbers },
	{ .name = "counters",
	  .mendable = true,
	  .sentence = "the counts of lost and skipped events never decrease",
	  .packet = check_counters },
	{ .name = "packet-time",
	  .mendable = true,
	  .sentence = "packets follow each other in time and do not overlap",
	  .packet = check_packet_time },
	{ .name = "header",
	  .mendable = true,
	  .sentence = "a packet's header fits its records",
	  .packet_end = check_header_end },
	{ .name = "kind", .sentence = "records are of known kinds and have their sizes" },
	{ .name = "time",
	  .mendable = true,
	  .sentence = "records are in order of time and within the times of their "
		      "packet" },
	{ .name = "sequence",
	  .mendable = true,
	  .sentence = "every event number is there once or counted as lost",
	  .stream_end = check_sequence_end },
	{ .name = "sizes",
	  .sentence = "an allocation gives at least the bytes that were requested" },
	{ .name = "fields", .sentence = "unused fields are 0, nodes are nodes" },
	{ .name = "addresses", .sentence = "objects and code lie where they can" },
	{ .name = "caches", .sentence = "kernel/caches names every slab cache that an event has" },
};

static void check_packet(struct check_stream *stream, const struct packet *packet)
{
	if (!stream->packets) {
		stream->first = packet->header;
		loss_init(&stream->loss, packet->header.time_first);
		if (!stream->cpu_known)
			stream->cpu = packet->header.cpu;
	}
	for (size_t i = 0; i < STREAM_CHECKS; i++) {
		stream->check = &stream_checks[i];
		if (stream->check->packet)
			stream->check->packet(stream, packet);
	}
	check_records(stream, packet);
	for (size_t i = 0; i < STREAM_CHECKS; i++) {
		stream->check = &stream_checks[i];
		if (stream->check->packet_end)
			stream->check->packet_end(stream, packet);
	}
	stream->last = packet->header;
	stream->packets++;
}

/* Bytes that are no packet: finds the next, and says so. 1, 0 at the end, or -errno. */
static int check_damage(struct check_stream *stream, struct stream *file)
{
	uint64_t offset = file->offset;
	char errmsg[sizeof(file->errmsg)];
	int more;

	memcpy(errmsg, file->errmsg, sizeof(errmsg));
	more = stream_resync(file);
	stream->check = &stream_checks[CHECK_PACKETS];
	find(stream, offset, "%s (%" PRIu64 " bytes are no packet)", errmsg, file->offset - offset);
	return more;
}

/* Any file may be named: one without a single packet is no stream. 0 or -errno. */
static int check_is_stream(const char *path)
{
	struct packet packet;
	struct stream file;
	int more;

	more = stream_open(&file, path);
	if (more)
		return more;
	more = stream_next(&file, &packet);
	if (more == -EBADMSG)
		more = stream_resync(&file);
	stream_close(&file);
	return more == 1 || more == -EPROTONOSUPPORT ? 0 : more ? more : -EINVAL;
}

static void check_end(struct check_stream *stream)
{
	for (size_t i = 0; i < STREAM_CHECKS; i++) {
		stream->check = &stream_checks[i];
		if (stream->check->stream_end)
			stream->check->stream_end(stream);
	}
	if (!stream->packets) {
		stream->check = &stream_checks[CHECK_PACKETS];
		find(stream, FINDING_NO_OFFSET, "holds no whole packet");
	}
}

static void check_print_stream(const struct check_stream *stream, const char *path)
{
	bool events = stream->capture && stream->capture->metadata.clock == METADATA_CLOCK_EVENTS;

	progress_line_clear();
	printf("%s: %" PRIu64 " packets, %" PRIu64 " records, lost %" PRIu64 ", %s%" PRIu64
	       " to %" PRIu64 "%s\n",
	       path, stream->packets, stream->records, loss_missing(&stream->loss),
	       events ? "events " : "", stream->first.time_first, stream->last.time_last,
	       events ? "" : " ns");
}

static const char *writer_of(const struct check_stream *stream)
{
	return stream->capture ? stream->capture->metadata.tracer_version : "";
}

int check_stream_run(struct check_stream *stream, const char *path)
{
	struct check_findings *findings = stream->findings;
	char newer[METADATA_TEXT];
	struct packet packet;
	struct stream file;
	int more;

	loss_init(&stream->loss, 0);
	more = stream->capture ? 0 : check_is_stream(path);
	if (!more)
		more = stream_open(&file, path);
	if (more)
		return more;
	findings_begin(findings, path);
	do {
		progress_line_bytes(findings->line, findings->bytes_done + file.offset,
				    findings->bytes ? findings->bytes : file.size);
		more = stream_next(&file, &packet);
		if (more == 1)
			check_packet(stream, &packet);
		else if (more == -EBADMSG)
			more = check_damage(stream, &file);
	} while (more == 1);
	if (more == -EPROTONOSUPPORT)
		snprintf(stream->errmsg, sizeof(stream->errmsg), "%s: byte %" PRIu64 ": %s; %s",
			 path, file.offset, file.errmsg,
			 metadata_newer_text(writer_of(stream), newer, sizeof(newer)));
	if (!more) {
		check_end(stream);
		findings_end(findings);
		if (findings->verbose)
			check_print_stream(stream, path);
	}
	findings->bytes_done += file.size;
	stream_close(&file);
	return more;
}

void check_stream_deinit(struct check_stream *stream)
{
	loss_deinit(&stream->loss);
}

bool check_cpu_of_path(const char *path, unsigned int *cpu)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	unsigned int number;

	if (!cpu_name_parse(&name, UINT16_MAX, &number) || *name)
		return false;
	*cpu = number;
	return true;
}
