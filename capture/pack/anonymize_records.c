// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Builds each record from the fields that this version knows, so that no other field is copied. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/pack/anonymize_records.h"
#include "kernel/record_kinds.h"

static void anonymize_stack(struct substitutes *substitutes, struct kmt_long_record *record,
			    const struct kmt_record *original)
{
	record->head.words = KMT_RECORD_WORDS + 1;
	record->head.payload = substitute_stack(substitutes, original->payload);
	record->more[0] =
		substitute_stack(substitutes, ((const struct kmt_long_record *)original)->more[0]);
}

static void anonymize_record(struct anonymized_records *records, const struct kmt_record *original,
			     struct kmt_long_record *copy)
{
	struct substitutes *substitutes = records->substitutes;
	struct kmt_record record = {
		.time = original->time,
		.id = original->id,
		.words = KMT_RECORD_WORDS,
		.node = original->node,
		.sequence = original->sequence,
		.pointer = substitute_object(substitutes, original->pointer),
		.call_site = substitute_code(substitutes, original->call_site),
		.task = original->task,
		.gfp = original->gfp,
	};

	if (record_kind_is_one_of(record.id, RECORD_KINDS_WITH(RECORD_SIZES))) {
		record.requested = original->requested;
		record.allocated = original->allocated;
	} else if (record_kind_is_one_of(record.id, RECORD_KINDS_WITH(RECORD_CACHE))) {
		record.cache = substitute_object(substitutes, original->cache);
	} else if (record_kind_is_one_of(record.id, RECORD_KINDS_WITH(RECORD_PROCESS))) {
		record.payload = original->payload; /* never an address */
	}
	copy->head = record;
	if (record.id == KMT_STACK && original->words > KMT_RECORD_WORDS)
		anonymize_stack(substitutes, copy, original);
	records->unknown += !record_kind_is_known(record.id);
	records->cut += original->words > copy->head.words;
}

static int reserve_bytes(struct anonymized_records *records, size_t size)
{
	unsigned char *bytes;

	if (size <= records->space)
		return 0;
	bytes = realloc(records->bytes, size);
	if (!bytes)
		return -ENOMEM;
	records->bytes = bytes;
	records->space = size;
	return 0;
}

/* A header with another uuid or stream class stays one, but does not show which. */
static void anonymize_header(const struct substitutes *substitutes, struct packet *copy)
{
	struct packet_header *header = &copy->header;

	if (memcmp(header->uuid, substitutes->old_uuid, sizeof(header->uuid)) != 0)
		memset(header->uuid, 0, sizeof(header->uuid));
	else
		memcpy(header->uuid, substitutes->uuid, sizeof(header->uuid));
	header->stream_id = header->stream_id != 0;
	header->codec = PACKET_RAW;
	header->content_bits = header->packet_bits = (sizeof(*header) + copy->size) * 8;
}

int anonymize_packet(struct anonymized_records *records, const struct packet *packet,
		     struct packet *copy)
{
	const struct kmt_record *original;
	struct kmt_long_record space;
	struct cursor cursor;
	size_t size = 0;
	int got, err = reserve_bytes(records, packet->size + 1);

	if (err)
		return err;
	cursor_init(&cursor, packet);
	while ((got = cursor_find(&cursor, &space, &original)) > 0) {
		struct kmt_long_record record;
		size_t record_size;

		anonymize_record(records, original, &record);
		record_size = record.head.words * KMT_WORD;
		if (packet->swap) {
			record_swap_more(record.more, record.more,
					 record.head.words - KMT_RECORD_WORDS);
			record_swap(&record.head);
		}
		memcpy(records->bytes + size, &record, record_size);
		size += record_size;
	}
	if (got < 0)
		return got;
	*copy = *packet;
	copy->records = records->bytes;
	copy->size = size;
	anonymize_header(records->substitutes, copy);
	return records->substitutes->error;
}

const char *anonymize_error_text(int err)
{
	return err == -ERANGE ? "its addresses lie further apart than those of any kernel"
			      : strerror(-err);
}
