// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What must hold of one record: fields that a kernel can have meant, in their order. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "check/check.h"
#include "kernel/record_kinds.h"

#define ERRNO_POINTERS 4095 /* the last addresses are errors in the kernel's pointers */
#define PAGE_BYTES 4096	    /* no object lies in the first page */

#define find(stream, number, ...) \
	findings_add((stream)->findings, &stream_checks[number], record_offset(stream), __VA_ARGS__)

/* In the file, bytes. A packed record begins nowhere. */
static uint64_t record_offset(const struct check_stream *stream)
{
	const struct packet *packet = stream->packet;

	if (packet->header.codec != PACKET_RAW)
		return packet->offset;
	return packet->offset + sizeof(packet->header) + (stream->record - packet->records);
}

/* Did this very version write it? Nobody knows of a stream alone. */
static bool is_of_this_version(const struct check_stream *stream)
{
	return stream->capture &&
	       strcmp(stream->capture->metadata.tracer_version, PACKAGE_VERSION) == 0;
}

/* Another version may have more kinds, and longer records. */
static void check_kind(struct check_stream *stream, const struct kmt_record *record)
{
	bool is_known = record_kind_is_known(record->id), may_be_newer;

	if (is_known && record->words == record_kinds[record->id].words)
		return;
	may_be_newer = !is_of_this_version(stream);
	if (!is_known && may_be_newer && record->id)
		stream->unknown++;
	else if (!is_known)
		find(stream, CHECK_KIND, "a record of the unknown kind %u", record->id);
	else if (!may_be_newer)
		find(stream, CHECK_KIND, "a record of %u words, not %u", record->words,
		     record_kinds[record->id].words);
}

static void check_time(struct check_stream *stream, const struct kmt_record *record)
{
	const struct packet_header *header = &stream->packet->header;

	if (record->time < header->time_first || record->time > header->time_last)
		find(stream, CHECK_TIME,
		     "time %" PRIu64 " ns is not within its packet's, %" PRIu64 " to %" PRIu64,
		     record->time, header->time_first, header->time_last);
	if (record->time < stream->record_time)
		find(stream, CHECK_TIME, "time steps back from %" PRIu64 " ns to %" PRIu64,
		     stream->record_time, record->time);
}

static void check_sequence(struct check_stream *stream, const struct kmt_record *record,
			   uint64_t sequence)
{
	if (loss_record(&stream->loss, sequence, record->time) == -EEXIST)
		find(stream, CHECK_SEQUENCE, "event number %" PRIu64 " comes twice", sequence);
}

/* kfree(), but not kfree_bulk(), which may name a cache. */
#define KFREE (RECORD_KINDS_WITH(RECORD_KFREE) & ~RECORD_KINDS_WITH(RECORD_CACHE))

static bool is_one_of(const struct kmt_record *record, uint64_t kinds)
{
	return record_kind_is_one_of(record->id, kinds);
}

static void check_sizes(struct check_stream *stream, const struct kmt_record *record)
{
	if (is_one_of(record, RECORD_KINDS_WITH(RECORD_ALLOCATION | RECORD_SIZES)) &&
	    record->pointer && record->allocated < record->requested)
		find(stream, CHECK_SIZES, "%" PRIu32 " bytes allocated, %" PRIu32 " requested",
		     record->allocated, record->requested);
}

static void check_fields(struct check_stream *stream, const struct kmt_record *record)
{
	bool free = is_one_of(record, RECORD_KINDS_WITH(RECORD_FREE));

	if (!record_kind_is_known(record->id))
		return;
	if (free && record->gfp)
		find(stream, CHECK_FIELDS, "a free with GFP flags 0x%" PRIx32, record->gfp);
	if (free ? record->node != KMT_NODE_ANY : record->node < KMT_NODE_ANY)
		find(stream, CHECK_FIELDS, "%s with node %d", free ? "a free" : "an allocation",
		     record->node);
	if (is_one_of(record, KFREE) && record->cache)
		find(stream, CHECK_FIELDS, "a kfree whose last 8 bytes are not 0");
}

/* Small addresses are right on some machines (s390x), so there is no test for a high half. */
static bool address_is_absurd(const struct check_stream *stream, uint64_t address)
{
	unsigned int word_bits = stream->capture ? stream->capture->metadata.word_bits : 64;
	uint64_t highest = word_bits == 32 ? UINT32_MAX : UINT64_MAX;

	return address < PAGE_BYTES || address > highest - ERRNO_POINTERS;
}

static void check_addresses(struct check_stream *stream, const struct kmt_record *record)
{
	if (!record_kind_is_known(record->id))
		return;
	if (record->pointer && record->pointer != KMT_ZERO_SIZE_PTR &&
	    address_is_absurd(stream, record->pointer))
		find(stream, CHECK_ADDRESSES, "no object can lie at 0x%" PRIx64, record->pointer);
	if (address_is_absurd(stream, record->call_site))
		find(stream, CHECK_ADDRESSES, "no code can lie at 0x%" PRIx64, record->call_site);
}

/* Some kernels name no cache in a free, and some callers name none in a bulk free. */
static bool names_cache(const struct kmt_record *record)
{
	return is_one_of(record, RECORD_KINDS_WITH(RECORD_CACHE)) &&
	       (record->cache || !is_one_of(record, RECORD_KINDS_WITH(RECORD_CACHE_OPTIONAL)));
}

/* As many caches may lack a name as status says. */
static bool was_not_told(struct check_stream *stream, uint64_t cache)
{
	for (size_t i = 0; i < stream->untold_count; i++)
		if (stream->untold[i] == cache)
			return true;
	if (stream->untold_count >= stream->capture->status.names_lost ||
	    stream->untold_count >= CHECK_UNNAMED_MAX)
		return false;
	stream->untold[stream->untold_count++] = cache;
	return true;
}

/* Was it found before, and lies there all the time? */
static bool is_remembered(const struct check_stream *stream, uint64_t cache)
{
	return cache && stream->told[cache * 0x9e3779b97f4a7c15 >> (64 - CHECK_TOLD_BITS)] == cache;
}

static void check_caches(struct check_stream *stream, const struct kmt_record *record)
{
	const struct capture *capture = stream->capture;
	const struct cache *cache;

	if (!names_cache(record) || is_remembered(stream, record->cache))
		return;
	if (address_is_absurd(stream, record->cache)) {
		find(stream, CHECK_CACHES, "no slab cache can lie at 0x%" PRIx64, record->cache);
		return;
	}
	/* What a repaired capture lost of its names was said when it was repaired. */
	if (!capture || capture->status.complete == STATUS_REPAIRED)
		return;
	cache = caches_find(&capture->caches, record->cache, record->time);
	if (cache && caches_is_alone(&capture->caches, cache))
		stream->told[record->cache * 0x9e3779b97f4a7c15 >> (64 - CHECK_TOLD_BITS)] =
			record->cache;
	else if (!cache && !was_not_told(stream, record->cache))
		find(stream, CHECK_CACHES, "kernel/caches has no slab cache at 0x%" PRIx64,
		     record->cache);
}

static void count_own(struct check_stream *stream, const struct kmt_record *record)
{
	if (!stream->capture)
		return;
	if (!stream->records || record->task != stream->last_task) {
		stream->last_task = record->task;
		stream->last_own = status_is_own(&stream->capture->status, record->task);
	}
	stream->own += stream->last_own;
}

void check_records(struct check_stream *stream, const struct packet *packet)
{
	uint64_t lowest = UINT64_MAX, highest = 0, count = stream->records;
	const struct kmt_record *record;
	struct kmt_long_record turned;
	struct cursor cursor;
	int more;

	stream->packet = packet;
	loss_approach(&stream->loss, packet->header.sequence_first, packet->header.time_first);
	cursor_init(&cursor, packet);
	for (;;) {
		uint64_t sequence;

		stream->record = cursor.at;
		more = cursor_find(&cursor, &turned, &record);
		if (more <= 0)
			break;
		sequence = loss_widen(&stream->loss, record->sequence);
		lowest = sequence < lowest ? sequence : lowest;
		highest = sequence > highest ? sequence : highest;
		check_kind(stream, record);
		check_time(stream, record);
		check_sequence(stream, record, sequence);
		check_sizes(stream, record);
		check_fields(stream, record);
		check_addresses(stream, record);
		check_caches(stream, record);
		count_own(stream, record);
		stream->record_time = record->time;
		stream->records++;
	}
	stream->sequence_lowest = lowest;
	stream->sequence_highest = highest;
	stream->packet_records = stream->records - count;
	if (more < 0)
		find(stream, CHECK_PACKETS, "the rest of the packet is no records");
}
