// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What must hold in one stream: whole packets in order, headers that fit their records, numbers
 * that are there or counted as lost, fields that a kernel can have meant.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"

#define ERRNO_POINTERS 4095 /* the last addresses are errors in the kernel's pointers */
#define PAGE_BYTES 4096	    /* no object lies in the first page */

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

static bool is_known(const struct kmt_record *record)
{
	return record->id > KMT_NONE && record->id < KMT_ID_END;
}

/* Did this very version write it? Nobody knows of a stream alone. */
static bool is_of_this_version(const struct check_stream *stream)
{
	return stream->capture &&
	       strcmp(stream->capture->metadata.tracer_version, PACKAGE_VERSION) == 0;
}

/* Another version may have more kinds, and longer records. */
static void check_kind(struct check_stream *stream, const struct packet *packet,
		       const struct kmt_record *record, uint64_t sequence)
{
	bool may_be_newer = !is_of_this_version(stream);

	(void)packet;
	(void)sequence;
	if (!is_known(record) && may_be_newer && record->id)
		stream->unknown++;
	else if (!is_known(record))
		find(stream, stream->record_offset, "a record of the unknown kind %u", record->id);
	else if (record->words != KMT_RECORD_WORDS && !may_be_newer)
		find(stream, stream->record_offset, "a record of %u words, not %u", record->words,
		     KMT_RECORD_WORDS);
}

static void check_time(struct check_stream *stream, const struct packet *packet,
		       const struct kmt_record *record, uint64_t sequence)
{
	(void)sequence;
	if (record->time < packet->header.time_first || record->time > packet->header.time_last)
		find(stream, stream->record_offset,
		     "time %" PRIu64 " ns is not within its packet's, %" PRIu64 " to %" PRIu64,
		     record->time, packet->header.time_first, packet->header.time_last);
	if (record->time < stream->record_time)
		find(stream, stream->record_offset,
		     "time steps back from %" PRIu64 " ns to %" PRIu64, stream->record_time,
		     record->time);
}

static void check_sequence(struct check_stream *stream, const struct packet *packet,
			   const struct kmt_record *record, uint64_t sequence)
{
	(void)packet;
	if (loss_record(&stream->loss, sequence, record->time) == -EEXIST)
		find(stream, stream->record_offset, "event number %" PRIu64 " comes twice",
		     sequence);
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

static void check_sizes(struct check_stream *stream, const struct packet *packet,
			const struct kmt_record *record, uint64_t sequence)
{
	(void)packet;
	(void)sequence;
	if ((record->id == KMT_KMALLOC || record->id == KMT_UNNAMED_ALLOC) && record->pointer &&
	    record->allocated < record->requested)
		find(stream, stream->record_offset,
		     "%" PRIu32 " bytes allocated, %" PRIu32 " requested", record->allocated,
		     record->requested);
}

static bool is_free(const struct kmt_record *record)
{
	return record->id == KMT_KFREE || record->id == KMT_CACHE_FREE ||
	       record->id == KMT_BULK_FREE || record->id == KMT_RESCUED_KFREE ||
	       record->id == KMT_RESCUED_CACHE_FREE;
}

static void check_fields(struct check_stream *stream, const struct packet *packet,
			 const struct kmt_record *record, uint64_t sequence)
{
	bool free = is_free(record);

	(void)packet;
	(void)sequence;
	if (!is_known(record))
		return;
	if (free && record->gfp)
		find(stream, stream->record_offset, "a free with GFP flags 0x%" PRIx32,
		     record->gfp);
	if (free ? record->node != KMT_NODE_ANY : record->node < KMT_NODE_ANY)
		find(stream, stream->record_offset, "%s with node %d",
		     free ? "a free" : "an allocation", record->node);
	if ((record->id == KMT_KFREE || record->id == KMT_RESCUED_KFREE) && record->cache)
		find(stream, stream->record_offset, "a kfree whose last 8 bytes are not 0");
}

/* Small addresses are right on some machines (s390x), so there is no test for a high half. */
static bool address_is_absurd(const struct check_stream *stream, uint64_t address)
{
	unsigned int word_bits = stream->capture ? stream->capture->metadata.word_bits : 64;
	uint64_t highest = word_bits == 32 ? UINT32_MAX : UINT64_MAX;

	return address < PAGE_BYTES || address > highest - ERRNO_POINTERS;
}

static void check_addresses(struct check_stream *stream, const struct packet *packet,
			    const struct kmt_record *record, uint64_t sequence)
{
	(void)packet;
	(void)sequence;
	if (!is_known(record))
		return;
	if (record->pointer && record->pointer != KMT_ZERO_SIZE_PTR &&
	    address_is_absurd(stream, record->pointer))
		find(stream, stream->record_offset, "no object can lie at 0x%" PRIx64,
		     record->pointer);
	if (address_is_absurd(stream, record->call_site))
		find(stream, stream->record_offset, "no code can lie at 0x%" PRIx64,
		     record->call_site);
}

/* A free names none where the kernel does not tell it, and in bulk where the caller does not. */
static bool names_cache(const struct kmt_record *record)
{
	return record->id == KMT_CACHE_ALLOC || record->id == KMT_BULK_ALLOC ||
	       ((record->id == KMT_CACHE_FREE || record->id == KMT_RESCUED_CACHE_FREE ||
		 record->id == KMT_BULK_FREE) &&
		record->cache);
}

/* As many caches may lack a name as status says. */
static bool was_not_told(struct check_stream *stream, uint64_t cache)
{
	for (size_t i = 0; i < stream->untold_count; i++)
		if (stream->untold[i] == cache)
			return true;
	if (stream->untold_count >= stream->capture->status.names_lost ||
	    stream->untold_count >= CHECK_UNTOLD)
		return false;
	stream->untold[stream->untold_count++] = cache;
	return true;
}

static void check_caches(struct check_stream *stream, const struct packet *packet,
			 const struct kmt_record *record, uint64_t sequence)
{
	const struct capture *capture = stream->capture;

	(void)packet;
	(void)sequence;
	if (!names_cache(record))
		return;
	if (address_is_absurd(stream, record->cache)) {
		find(stream, stream->record_offset, "no slab cache can lie at 0x%" PRIx64,
		     record->cache);
		return;
	}
	/* What a repaired capture lost of its names was said when it was repaired. */
	if (!capture || capture->status.complete == STATUS_REPAIRED)
		return;
	if (!caches_find(&capture->caches, record->cache, record->time) &&
	    !was_not_told(stream, record->cache))
		find(stream, stream->record_offset, "kernel/caches has no slab cache at 0x%" PRIx64,
		     record->cache);
}

const struct check stream_checks[] = {
	{ .name = "packets",
	  .mendable = true,
	  .sentence = "every byte is of a whole packet, with right lengths and CRC-32" },
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
	{ .name = "kind",
	  .sentence = "records are of known kinds and have their sizes",
	  .record = check_kind },
	{ .name = "time",
	  .mendable = true,
	  .sentence = "records are in order of time and within the times of their packet",
	  .record = check_time },
	{ .name = "sequence",
	  .mendable = true,
	  .sentence = "every event number is there once or counted as lost",
	  .record = check_sequence,
	  .stream_end = check_sequence_end },
	{ .name = "sizes",
	  .sentence = "an allocation gives at least the bytes that were requested",
	  .record = check_sizes },
	{ .name = "fields",
	  .sentence = "unused fields are 0, nodes are nodes",
	  .record = check_fields },
	{ .name = "addresses",
	  .sentence = "objects and code lie where they can",
	  .record = check_addresses },
	{ .name = "caches",
	  .sentence = "kernel/caches names every slab cache that an event has",
	  .record = check_caches },
};
const size_t stream_check_count = sizeof(stream_checks) / sizeof(stream_checks[0]);

static void check_packet_records(struct check_stream *stream, const struct packet *packet)
{
	uint64_t begin = packet->offset + sizeof(packet->header);
	struct kmt_record record;
	struct cursor cursor;
	int more;

	stream->packet_records = 0;
	loss_approach(&stream->loss, packet->header.sequence_first, packet->header.time_first);
	cursor_init(&cursor, packet);
	for (;;) {
		uint64_t sequence;

		stream->record_offset = begin + cursor_offset(&cursor, packet);
		more = cursor_next(&cursor, &record);
		if (more <= 0)
			break;
		sequence = loss_widen(&stream->loss, record.sequence);
		if (!stream->packet_records || sequence < stream->sequence_lowest)
			stream->sequence_lowest = sequence;
		if (!stream->packet_records || sequence > stream->sequence_highest)
			stream->sequence_highest = sequence;
		stream->packet_records++;
		for (size_t i = 0; i < stream_check_count; i++) {
			stream->check = &stream_checks[i];
			if (stream->check->record)
				stream->check->record(stream, packet, &record, sequence);
		}
		stream->record_time = record.time;
		if (stream->capture && status_is_own(&stream->capture->status, record.task))
			stream->own++;
	}
	stream->records += stream->packet_records;
	if (more < 0) {
		stream->check = &stream_checks[0];
		find(stream, stream->record_offset, "the rest of the packet is no records");
	}
}

static void check_packet(struct check_stream *stream, const struct packet *packet)
{
	if (!stream->packets) {
		stream->first = packet->header;
		loss_init(&stream->loss, packet->header.time_first);
		if (!stream->cpu_known)
			stream->cpu = packet->header.cpu;
	}
	for (size_t i = 0; i < stream_check_count; i++) {
		stream->check = &stream_checks[i];
		if (stream->check->packet)
			stream->check->packet(stream, packet);
	}
	check_packet_records(stream, packet);
	for (size_t i = 0; i < stream_check_count; i++) {
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
	char why[sizeof(file->why)];
	int more;

	memcpy(why, file->why, sizeof(why));
	more = stream_resync(file);
	stream->check = &stream_checks[0];
	find(stream, offset, "%s (%" PRIu64 " bytes are no packet)", why, file->offset - offset);
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
	for (size_t i = 0; i < stream_check_count; i++) {
		stream->check = &stream_checks[i];
		if (stream->check->stream_end)
			stream->check->stream_end(stream);
	}
	if (!stream->packets) {
		stream->check = &stream_checks[0];
		find(stream, FINDING_NO_OFFSET, "holds no whole packet");
	}
}

static void check_print_stream(const struct check_stream *stream, const char *path)
{
	bool events = stream->capture && stream->capture->metadata.clock == METADATA_CLOCK_EVENTS;

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
	findings_begin(stream->findings, path);
	do {
		more = stream_next(&file, &packet);
		if (more == 1)
			check_packet(stream, &packet);
		else if (more == -EBADMSG)
			more = check_damage(stream, &file);
	} while (more == 1);
	if (more == -EPROTONOSUPPORT)
		snprintf(stream->why, sizeof(stream->why), "%s: byte %" PRIu64 ": %s; %s", path,
			 file.offset, file.why,
			 metadata_newer_text(writer_of(stream), newer, sizeof(newer)));
	if (!more) {
		check_end(stream);
		findings_end(stream->findings);
		if (stream->findings->verbose)
			check_print_stream(stream, path);
	}
	stream_close(&file);
	return more;
}

void check_stream_deinit(struct check_stream *stream)
{
	loss_deinit(&stream->loss);
}

bool check_cpu_of_path(const char *path, unsigned int *cpu)
{
	const char *name = strrchr(path, '/');
	unsigned long number;
	char *end;

	name = name ? name + 1 : path;
	if (strncmp(name, "cpu", 3) != 0 || !isdigit((unsigned char)name[3]))
		return false;
	errno = 0;
	number = strtoul(name + 3, &end, 10);
	if (*end || errno || number > UINT16_MAX)
		return false;
	*cpu = number;
	return true;
}
