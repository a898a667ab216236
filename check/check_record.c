// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Checks that each record has values that a kernel can have meant, and its order in the stream. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "check/check_packet.h"
#include "check/check_record.h"
#include "kernel/possible.h"
#include "kernel/record_kinds.h"

/*
 * ROW(name, summary, repairable, stream_end): check_NAME() is called directly for each record,
 * which makes kmemtrace-check twice as fast as calls through a pointer.
 */
#define RECORD_CHECKS(ROW)                                                                    \
	ROW(kind, "records are of known kinds and have their sizes", false, NULL)             \
	ROW(time, "records are in order of time, within the time span of their packet", true, \
	    NULL)                                                                             \
	ROW(sequence, "every sequence number is present once or counted as lost", true,       \
	    check_sequence_end)                                                               \
	ROW(sizes, "an allocation gets at least the bytes that were requested", false, NULL)  \
	ROW(fields, "unused fields are 0, and node numbers are valid", false, NULL)           \
	ROW(addresses, "objects and call sites have possible addresses", false, NULL)         \
	ROW(caches, "kernel/caches names the slab cache of every event", false, NULL)

#define INDEX(name, summary, repairable, end) CHECK_##name,
enum {
	RECORD_CHECKS(INDEX) RECORD_CHECK_COUNT
};

/* A problem that check_NAME() found. */
#define report_problem(stream, name, ...)                                                          \
	problems_add((stream)->problems, &record_checks[CHECK_##name].info, record_offset(stream), \
		     __VA_ARGS__)
#define report_stream_problem(stream, name, ...)                                               \
	problems_add((stream)->problems, &record_checks[CHECK_##name].info, PROBLEM_NO_OFFSET, \
		     __VA_ARGS__)

/* In the file, bytes: of the record, or of its packet if that is packed. */
static uint64_t record_offset(const struct stream_state *stream)
{
	const struct packet *packet = stream->packet;

	if (packet->header.codec != PACKET_RAW)
		return packet->offset;
	return packet->offset + sizeof(packet->header) + (stream->record - packet->records);
}

/* The kind of the record. kinds: a mask of RECORD_KINDS_WITH(). False for an unknown kind. */
static bool is_one_of(const struct stream_state *stream, uint64_t kinds)
{
	return stream->kind & kinds;
}

/* The version that wrote a stream that is checked alone is unknown. */
static bool is_of_this_version(const struct stream_state *stream)
{
	return stream->capture &&
	       strcmp(stream->capture->metadata.tracer_version, PACKAGE_VERSION) == 0;
}

/* A later version may have more kinds and longer records. */
static void check_kind(struct stream_state *stream, const struct kmt_record *record)
{
	bool is_known = is_one_of(stream, RECORD_KINDS_WITH(0)), may_be_newer;

	if (is_known && record->words == record_kinds[record->id].words)
		return;
	may_be_newer = !is_of_this_version(stream);
	if (!is_known && may_be_newer && record->id)
		stream->unknown++;
	else if (!is_known)
		report_problem(stream, kind, "a record of the unknown kind %u", record->id);
	else if (!may_be_newer)
		report_problem(stream, kind, "a record of %u words, not %u", record->words,
			       record_kinds[record->id].words);
}

static void check_time(struct stream_state *stream, const struct kmt_record *record)
{
	const struct packet_header *header = &stream->packet->header;

	if (record->time < header->time_first || record->time > header->time_last)
		report_problem(stream, time,
			       "time %" PRIu64 " ns is not within its packet's, %" PRIu64
			       " to %" PRIu64,
			       record->time, header->time_first, header->time_last);
	if (record->time < stream->record_time)
		report_problem(stream, time, "time steps back from %" PRIu64 " ns to %" PRIu64,
			       stream->record_time, record->time);
}

static void check_sequence(struct stream_state *stream, const struct kmt_record *record)
{
	if (loss_record(&stream->loss, stream->sequence, record->time) == -EEXIST)
		report_problem(stream, sequence, "sequence number %" PRIu64 " comes twice",
			       stream->sequence);
}

static void check_sequence_end(struct stream_state *stream)
{
	uint64_t missing;

	if (!stream->packets)
		return;
	if (loss_confirm(&stream->loss, stream->last.sequence_end, stream->last.time_last) ==
	    -ERANGE)
		report_stream_problem(stream, sequence,
				      "sequence numbers up to %" PRIu64 " are impossible",
				      stream->last.sequence_end);
	missing = loss_missing(&stream->loss);
	if (missing != stream->last.lost)
		report_stream_problem(stream, sequence,
				      "sequence numbers missing: %" PRIu64
				      ", stated as lost: %" PRIu64,
				      missing, stream->last.lost);
}

/* kfree(), but not kfree_bulk(), which may name a cache. */
#define KFREE (RECORD_KINDS_WITH(RECORD_KFREE) & ~RECORD_KINDS_WITH(RECORD_CACHE))

/* The kinds that are about slab objects. */
#define KINDS_OF_SLAB (RECORD_KINDS_WITH(0) & ~RECORD_KINDS_OTHER)

static void check_sizes(struct stream_state *stream, const struct kmt_record *record)
{
	if (is_one_of(stream, RECORD_KINDS_WITH(RECORD_ALLOCATION | RECORD_SIZES)) &&
	    record->pointer && record->allocated < record->requested)
		report_problem(stream, sizes, "%" PRIu32 " bytes allocated, %" PRIu32 " requested",
			       record->allocated, record->requested);
}

/* The highest values of the two halves of the payload, by kind; 0 of a payload that is a length. */
static const struct {
	uint32_t low, high;
} payload_limits[KMT_ID_END] = {
	[KMT_PAGE_FAULT] = { KMT_ACCESS_UNKNOWN, KMT_MODE_UNKNOWN },
	[KMT_PAGE_FAULT_RETURN] = { KMT_FAULT_MAJOR, KMT_MODE_UNKNOWN },
	[KMT_WRITE_SHARED_COPY] = { 1, 0 },
	[KMT_OOM_KILL] = { UINT32_MAX, 0 },
};

static void check_process_fields(struct stream_state *stream, const struct kmt_record *record)
{
	const char *name = record_kinds[record->id].name;
	bool is_length = record->id == KMT_MMAP || record->id == KMT_MUNMAP ||
			 record->id == KMT_BRK;

	if (record->gfp)
		report_problem(stream, fields, "%s with GFP flags 0x%" PRIx32, name, record->gfp);
	if (kmt_node(record->node) != KMT_NODE_ANY)
		report_problem(stream, fields, "%s with node %d", name, kmt_node(record->node));
	if (!is_length && ((uint32_t)record->payload > payload_limits[record->id].low ||
			   record->payload >> 32 > payload_limits[record->id].high))
		report_problem(stream, fields, "%s whose last 8 bytes are 0x%" PRIx64, name,
			       record->payload);
	if (record->id == KMT_OOM_KILL && record->pointer)
		report_problem(stream, fields, "%s with address 0x%" PRIx64, name, record->pointer);
}

/* Of kinds that this version knows: another one may use these bits for something else. */
static void check_context(struct stream_state *stream, const struct kmt_record *record)
{
	unsigned int context = kmt_context(record->node);

	if (!record_kind_is_known(record->id))
		return;
	if (context && stream->capture && !stream->capture->status.context)
		report_problem(stream, fields, "%s in context %u, but kernel/status has no context",
			       record_kinds[record->id].name, context);
	if (context >= KMT_CONTEXT_END)
		report_problem(stream, fields, "%s in context %u", record_kinds[record->id].name,
			       context);
}

static void check_fields(struct stream_state *stream, const struct kmt_record *record)
{
	bool free = is_one_of(stream, RECORD_KINDS_WITH(RECORD_FREE));
	int node = kmt_node(record->node);

	check_context(stream, record);
	if (is_one_of(stream, RECORD_KINDS_WITH(RECORD_PROCESS)))
		check_process_fields(stream, record);
	if (!is_one_of(stream, KINDS_OF_SLAB))
		return;
	if (free && record->gfp)
		report_problem(stream, fields, "a free with GFP flags 0x%" PRIx32, record->gfp);
	if (free ? node != KMT_NODE_ANY : node < KMT_NODE_ANY)
		report_problem(stream, fields, "%s with node %d", free ? "a free" : "an allocation",
			       node);
	if (is_one_of(stream, KFREE) && record->cache)
		report_problem(stream, fields, "a kfree whose last 8 bytes are not 0");
}

static unsigned int word_bits(const struct stream_state *stream)
{
	return stream->capture ? stream->capture->metadata.word_bits : 64;
}

static void check_addresses(struct stream_state *stream, const struct kmt_record *record)
{
	/* any address can be one of a process */
	if (is_one_of(stream, RECORD_KINDS_WITH(RECORD_PROCESS)) && word_bits(stream) == 32 &&
	    (record->pointer > UINT32_MAX || record->call_site > UINT32_MAX))
		report_problem(stream, addresses,
			       "%s at 0x%" PRIx64 ", called from 0x%" PRIx64
			       ", where addresses have 32 bits",
			       record_kinds[record->id].name, record->pointer, record->call_site);
	if (!is_one_of(stream, KINDS_OF_SLAB))
		return;
	if (!pointer_is_possible(record->pointer, word_bits(stream)))
		report_problem(stream, addresses, "an object at the impossible address 0x%" PRIx64,
			       record->pointer);
	if (!address_is_possible(record->call_site, word_bits(stream)))
		report_problem(stream, addresses,
			       "a call site at the impossible address 0x%" PRIx64,
			       record->call_site);
}

/* The record must name a cache. Some kernels name none in a free, some callers none in a bulk free.
 */
static bool names_cache(const struct stream_state *stream, const struct kmt_record *record)
{
	return is_one_of(stream, RECORD_KINDS_WITH(RECORD_CACHE)) &&
	       (record->cache || !is_one_of(stream, RECORD_KINDS_WITH(RECORD_CACHE_OPTIONAL)));
}

/* kernel/status counts the names that kmemtraced lost: so many caches may have none. */
static bool name_was_lost(struct stream_state *stream, uint64_t cache)
{
	for (size_t i = 0; i < stream->nameless_count; i++)
		if (stream->nameless[i] == cache)
			return true;
	if (stream->nameless_count >= stream->capture->status.names_lost ||
	    stream->nameless_count >= CHECK_NAMELESS_MAX)
		return false;
	stream->nameless[stream->nameless_count++] = cache;
	return true;
}

/* The entry for a cache that kernel/caches has, and that is the only one at its address. */
static uint64_t *recent_cache(struct stream_state *stream, uint64_t cache)
{
	return &stream->recent_caches[cache * 0x9e3779b97f4a7c15 >>
				      (64 - CHECK_RECENT_CACHES_BITS)];
}

static void check_caches(struct stream_state *stream, const struct kmt_record *record)
{
	const struct capture *capture = stream->capture;
	const struct cache *cache;

	if (!names_cache(stream, record) ||
	    (record->cache && *recent_cache(stream, record->cache) == record->cache))
		return;
	if (!address_is_possible(record->cache, word_bits(stream))) {
		report_problem(stream, caches, "a slab cache at the impossible address 0x%" PRIx64,
			       record->cache);
		return;
	}
	/* A repair reported the names that it lost. */
	if (!capture || capture->status.complete == STATUS_REPAIRED)
		return;
	cache = caches_find(&capture->caches, record->cache, record->time);
	if (cache && caches_is_alone(&capture->caches, cache))
		*recent_cache(stream, record->cache) = record->cache;
	else if (!cache && !name_was_lost(stream, record->cache))
		report_problem(stream, caches, "kernel/caches has no slab cache at 0x%" PRIx64,
			       record->cache);
}

#define CHECK(name, summary, repairable, end) { { #name, summary, repairable }, .stream_end = end },
const struct stream_check record_checks[] = { RECORD_CHECKS(CHECK) };
const size_t record_check_count = RECORD_CHECK_COUNT;

static void count_own(struct stream_state *stream, const struct kmt_record *record)
{
	if (!stream->capture)
		return;
	if (!stream->records || record->task != stream->last_task) {
		stream->last_task = record->task;
		stream->last_own = status_is_own(&stream->capture->status, record->task);
	}
	stream->own += stream->last_own;
}

static void check_record(struct stream_state *stream, const struct kmt_record *record)
{
	stream->sequence = loss_widen(&stream->loss, record->sequence);
	stream->kind = record_kind_is_known(record->id) ? 1ULL << record->id : 0;
#define RUN(name, summary, repairable, end) check_##name(stream, record);
	RECORD_CHECKS(RUN)
#undef RUN
	count_own(stream, record);
	stream->record_time = record->time;
	stream->records++;
}

void check_records(struct stream_state *stream, const struct packet *packet)
{
	uint64_t before = stream->records, lowest = UINT64_MAX, highest = 0;
	const struct kmt_record *record;
	struct kmt_long_record turned;
	struct cursor cursor;
	int more;

	stream->packet = packet;
	loss_begin_packet(&stream->loss, packet->header.sequence_first, packet->header.time_first);
	cursor_init(&cursor, packet);
	for (;;) {
		stream->record = cursor.at;
		more = cursor_find(&cursor, &turned, &record);
		if (more <= 0)
			break;
		check_record(stream, record);
		lowest = stream->sequence < lowest ? stream->sequence : lowest;
		highest = stream->sequence > highest ? stream->sequence : highest;
	}
	stream->sequence_lowest = lowest;
	stream->sequence_highest = highest;
	stream->packet_records = stream->records - before;
	if (more < 0)
		report_damage(stream, record_offset(stream),
			      "the bytes up to the end of the packet are not records");
}
