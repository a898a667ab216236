// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Packs records. The largest fields of a record repeat. So its template (id, site, flags, node and
 * payload) is an entry of a dictionary, and the pointer is the distance to the last record of its
 * object. The payload is bytes 40 to 47 of a record: requested and allocated, or cache.
 */
#include "config.h"

#include <byteswap.h>
#include <endian.h>
#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/deflate_setup.h"
#include "capture/byteorder.h"
#include "capture/packed.h"
#include "capture/packer.h"

#define TABLE_BITS 13 /* half full at most */
#define TABLE_SIZE (1 << TABLE_BITS)
#define LEVEL 1 /* level 2 takes two thirds more time and saves a twentieth of the bytes */

_Static_assert(TABLE_SIZE >= 2 * PACKET_RECORDS_MAX, "a free slot is always found");
_Static_assert(PACKET_RECORDS_MAX < UINT16_MAX, "the tables can hold every index + 1");

/*
 * Bytes that each column may take for one record. PACKET_RECORDS_BYTES_MAX bounds the words of
 * long records together, to KMT_RECORD_WORDS for each of PACKET_RECORDS_MAX records.
 */
#define ADDRESS_BYTES 7
#define MORE_WORDS KMT_RECORD_WORDS
static const unsigned char column_bytes[PACKED_COLUMNS] = {
	[PACKED_TEMPLATES] = 1 + ADDRESS_BYTES + 5 + 3 + PACKED_NUMBER_BYTES + 2,
	[PACKED_NUMBERS] = 2 + 5,
	[PACKED_TASKS] = 2 + 5,
	[PACKED_POINTERS] = ADDRESS_BYTES,
	[PACKED_BACK] = 2,
	[PACKED_TEMPLATE_INDEX] = 2,
	[PACKED_TIMES] = PACKED_NUMBER_BYTES,
	[PACKED_MORE] = MORE_WORDS * ADDRESS_BYTES,
	[PACKED_WIDE] = (2 + MORE_WORDS) * sizeof(uint64_t),
};
#define COLUMNS_BYTES 169 /* their sum */
#define DEFLATED_BYTES 63 /* their sum without MORE_WORDS and PACKED_WIDE */

_Static_assert(DEFLATED_BYTES <= PACKED_RECORD_BYTES, "the unpacker accepts it");
_Static_assert(ADDRESS_BYTES <= PACKED_MORE_BYTES, "the unpacker accepts it");
_Static_assert(PACKED_FAR < 1ULL << 7 * ADDRESS_BYTES, "as long as that");

struct packed_template {
	uint64_t site, payload, rest;
	uint64_t pointer; /* of its last record; at first, of the record before its first */
	uint16_t next;	  /* the template that followed it the last time: it often follows again */
};

struct packer {
	struct libdeflate_compressor *deflate;
	struct packed_template templates[PACKET_RECORDS_MAX];
	uint16_t template_table[TABLE_SIZE];   /* hash: index in templates + 1 */
	uint16_t objects[TABLE_SIZE];	       /* hash: index of the object's last record + 1 */
	uint64_t pointers[PACKET_RECORDS_MAX]; /* by index of the record */
	/* by index in templates: the further words of its last record, in the caller's bytes */
	const unsigned char *more_before[PACKET_RECORDS_MAX];
	unsigned char *begin[PACKED_COLUMNS], *end[PACKED_COLUMNS];
	unsigned char columns[COLUMNS_BYTES * PACKET_RECORDS_MAX];
	unsigned char packet[sizeof(struct packet_header) + PACKET_RECORDS_BYTES_MAX];
};

int packer_create(struct packer **result)
{
	struct packer *packer = calloc(1, sizeof(*packer));
	unsigned char *at;

	if (!packer)
		return -ENOMEM;
	deflate_setup();
	packer->deflate = libdeflate_alloc_compressor(LEVEL);
	if (!packer->deflate) {
		free(packer);
		return -ENOMEM;
	}
	at = packer->columns;
	for (size_t i = 0; i < PACKED_COLUMNS; i++) {
		packer->begin[i] = at;
		at += (size_t)column_bytes[i] * PACKET_RECORDS_MAX;
	}
	*result = packer;
	return 0;
}

void packer_destroy(struct packer *packer)
{
	if (!packer)
		return;
	libdeflate_free_compressor(packer->deflate);
	free(packer);
}

static unsigned char *put_varint(unsigned char *at, uint64_t number)
{
	while (number > 0x7f) {
		*at++ = (unsigned char)number | 0x80;
		number >>= 7;
	}
	*at++ = (unsigned char)number;
	return at;
}

static unsigned char *put_difference(unsigned char *at, uint64_t number, uint64_t before)
{
	return put_varint(at, packed_zigzag(number - before));
}

/*
 * An address as a difference from another. form and form_before are both addresses, or both rotated
 * for a smaller difference.
 */
static unsigned char *put_address(unsigned char *at, uint64_t address, uint64_t form,
				  uint64_t form_before, unsigned char **wide)
{
	uint64_t number = packed_zigzag(form - form_before);

	if (number < PACKED_FAR)
		return put_varint(at, number + 1);
	address = htole64(address);
	memcpy(*wide, &address, sizeof(address));
	*wide += sizeof(address);
	return put_varint(at, 0);
}

static size_t hash_key(uint64_t key)
{
	return key * 0x9e3779b97f4a7c15ULL >> (64 - TABLE_BITS);
}

static uint64_t payload_of(const struct kmt_record *record)
{
	if (packed_has_sizes(record->id))
		return (uint64_t)record->allocated << 32 | record->requested;
	return record->cache;
}

static bool template_is(const struct packed_template *entry, const struct packed_template *other)
{
	return entry->site == other->site && entry->payload == other->payload &&
	       entry->rest == other->rest;
}

struct packer_dictionary {
	size_t count;
	uint64_t site;	  /* of the last entry */
	uint64_t payload; /* of the last entry without sizes */
	unsigned char *end;
};

/* The index of the template; dictionary->count: the template is new, and was added. */
PACKED_INLINE size_t find_template(struct packer *packer, const struct packed_template *key,
				   struct packer_dictionary *dictionary)
{
	size_t at = hash_key(key->site ^ key->payload << 7 ^ key->rest << 17 ^ key->rest >> 20);

	for (; packer->template_table[at]; at = (at + 1) % TABLE_SIZE)
		if (template_is(&packer->templates[packer->template_table[at] - 1], key))
			return packer->template_table[at] - 1U;
	packer->template_table[at] = (uint16_t)(dictionary->count + 1);
	packer->templates[dictionary->count] = *key;
	return dictionary->count;
}

PACKED_INLINE void define_template(struct packer_dictionary *dictionary,
				   const struct kmt_record *record, unsigned char **wide,
				   bool has_long)
{
	unsigned char *at = dictionary->end;

	*at++ = record->id;
	at = put_address(at, record->call_site, record->call_site, dictionary->site, wide);
	dictionary->site = record->call_site;
	at = put_varint(at, record->gfp);
	at = put_varint(at, (uint16_t)(record->node + 1));
	if (has_long)
		at = put_varint(at, record->words - KMT_RECORD_WORDS);
	if (packed_has_sizes(record->id)) {
		at = put_varint(at, record->requested);
		at = put_varint(at, record->allocated);
	} else {
		at = put_difference(at, record->cache, dictionary->payload);
		dictionary->payload = record->cache;
	}
	dictionary->end = at;
	dictionary->count++;
}

/* The distance to the last record of the object, or 0: this is its first record. */
PACKED_INLINE size_t find_object(struct packer *packer, uint64_t pointer, size_t record)
{
	size_t at = hash_key(pointer), before;

	packer->pointers[record] = pointer;
	for (; packer->objects[at]; at = (at + 1) % TABLE_SIZE) {
		before = packer->objects[at] - 1U;
		if (packer->pointers[before] == pointer) {
			packer->objects[at] = (uint16_t)(record + 1);
			return record - before;
		}
	}
	packer->objects[at] = (uint16_t)(record + 1);
	return 0;
}

static uint64_t load_word(const unsigned char *bytes, bool swap)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return swap ? bswap_64(word) : word;
}

/* The further words of a long record, as differences from the last record of its template. */
static unsigned char *put_more(struct packer *packer, unsigned char *at, const unsigned char *more,
			       size_t count, size_t index, bool swap, unsigned char **wide)
{
	const unsigned char *before = packer->more_before[index];

	for (size_t i = 0; i < count; i++) {
		uint64_t word = load_word(more + i * KMT_WORD, swap);

		at = put_address(at, word, word,
				 before ? load_word(before + i * KMT_WORD, swap) : 0, wide);
	}
	packer->more_before[index] = more;
	return at;
}

/*
 * Writes the columns. has_long: some records are long, else each has KMT_RECORD_WORDS. 0; -EINVAL:
 * the records' words do not add up to size.
 */
PACKED_INLINE int fill_columns(struct packer *packer, const unsigned char *records, size_t size,
			       size_t count, bool swap, const bool has_long)
{
	const unsigned char *record_at = records, *records_end = records + size;
	unsigned char *more_at = packer->begin[PACKED_MORE];
	/* local, to stay in registers: a write through them could alias the packer's fields */
	unsigned char *number_at = packer->begin[PACKED_NUMBERS];
	unsigned char *task_at = packer->begin[PACKED_TASKS];
	unsigned char *pointer_at = packer->begin[PACKED_POINTERS];
	unsigned char *back_at = packer->begin[PACKED_BACK];
	unsigned char *index_at = packer->begin[PACKED_TEMPLATE_INDEX];
	unsigned char *time_at = packer->begin[PACKED_TIMES];
	unsigned char *wide = packer->begin[PACKED_WIDE];
	struct packer_dictionary dictionary = { .end = packer->begin[PACKED_TEMPLATES] };
	size_t number_record = 0, task_record = 0, index, back, guess = 0;
	uint32_t sequence = 0, task = 0;
	struct packed_template *entry, *last = NULL;
	struct kmt_record record;
	uint64_t time = 0, pointer = 0;

	for (size_t i = 0; i < count; i++) {
		struct packed_template key;

		size_t record_size;

		if (has_long && (size_t)(records_end - record_at) < sizeof(record))
			return -EINVAL;
		memcpy(&record, record_at, sizeof(record));
		record_size = has_long ? (size_t)record.words * KMT_WORD : sizeof(record);
		if (has_long ? record_size < sizeof(record) ||
				       record_size > (size_t)(records_end - record_at)
			     : record.words != KMT_RECORD_WORDS)
			return -EINVAL;
		if (swap)
			record_swap(&record);
		key = (struct packed_template){ .site = record.call_site,
						.payload = payload_of(&record),
						.pointer = pointer,
						.rest = (uint64_t)record.gfp << 32 |
							(uint32_t)(uint16_t)record.node << 8 |
							record.id };
		if (has_long)
			key.rest |= (uint32_t)(record.words - KMT_RECORD_WORDS) << 24;
		index = guess;
		if (index >= dictionary.count || !template_is(&packer->templates[index], &key))
			index = find_template(packer, &key, &dictionary);
		if (index == dictionary.count) {
			define_template(&dictionary, &record, &wide, has_long);
			if (has_long)
				packer->more_before[index] = NULL;
			index_at = put_varint(index_at, 0);
		} else {
			index_at = put_varint(index_at, index + 1);
		}
		if (last)
			last->next = (uint16_t)index;
		entry = &packer->templates[index];

		time_at = put_varint(time_at, record.time - time);
		time = record.time;
		back = find_object(packer, record.pointer, i);
		back_at = put_varint(back_at, back);
		if (!back)
			pointer_at = put_address(pointer_at, record.pointer,
						 packed_rotate_pointer(record.pointer),
						 packed_rotate_pointer(entry->pointer), &wide);
		entry->pointer = pointer = record.pointer;
		if (record.sequence != sequence) {
			number_at = put_varint(number_at, i - number_record);
			number_at = put_difference(
				number_at, (uint64_t)(int32_t)(record.sequence - sequence), 0);
			number_record = i;
		}
		sequence = record.sequence + 1;
		if (record.task != task) {
			task_at = put_varint(task_at, i - task_record);
			task_at = put_varint(task_at, record.task);
			task_record = i;
			task = record.task;
		}
		if (has_long && record_size > sizeof(record))
			more_at = put_more(packer, more_at, record_at + sizeof(record),
					   record.words - KMT_RECORD_WORDS, index, swap, &wide);
		record_at += record_size;
		last = entry;
		guess = entry->next;
	}
	if (record_at != records_end)
		return -EINVAL;
	packer->end[PACKED_TEMPLATES] = dictionary.end;
	packer->end[PACKED_NUMBERS] = number_at;
	packer->end[PACKED_TASKS] = task_at;
	packer->end[PACKED_POINTERS] = pointer_at;
	packer->end[PACKED_BACK] = back_at;
	packer->end[PACKED_TEMPLATE_INDEX] = index_at;
	packer->end[PACKED_TIMES] = time_at;
	packer->end[PACKED_MORE] = more_at;
	packer->end[PACKED_WIDE] = wide;
	return 0;
}

/* Moves the deflated columns together, behind the first. Returns their bytes. */
static size_t join_columns(struct packer *packer)
{
	unsigned char *at = packer->begin[0];

	for (size_t i = 0; i < PACKED_DEFLATED; i++) {
		size_t size = (size_t)(packer->end[i] - packer->begin[i]);

		memmove(at, packer->begin[i], size);
		at += size;
	}
	return (size_t)(at - packer->begin[0]);
}

/*
 * Returns the bytes behind the header; 0: not fewer than max. more_count: further words of all long
 * records; 0: no record is long.
 */
static size_t compress_columns(struct packer *packer, size_t max, size_t more_count)
{
	size_t wide = (size_t)(packer->end[PACKED_WIDE] - packer->begin[PACKED_WIDE]);
	size_t size, joined, deflated;
	unsigned char *begin = packer->packet + sizeof(struct packet_header), *at;
	unsigned char sizes[(1 + PACKED_COLUMNS) * PACKED_NUMBER_BYTES];

	at = sizes;
	if (more_count)
		at = put_varint(at, more_count);
	for (size_t i = 0; i < PACKED_COLUMNS; i++)
		if (i != PACKED_MORE || more_count)
			at = put_varint(at, (uint64_t)(packer->end[i] - packer->begin[i]));
	size = (size_t)(at - sizes);
	/*
	 * All this fits: the column wide has at most 16 of the 48 bytes of each record, and 8 of
	 * each further word; all sizes have 30.
	 */
	memcpy(begin, sizes, size);
	memcpy(begin + size, packer->begin[PACKED_WIDE], wide);
	size += wide;
	joined = join_columns(packer);
	/* libdeflate gets all the room: if it got max, it would fail some bytes too early */
	deflated = libdeflate_deflate_compress(
		packer->deflate, packer->begin[0], joined, begin + size,
		(size_t)(packer->packet + sizeof(packer->packet) - begin) - size);
	if (!deflated)
		return 0;
	size += deflated;
	while (size % KMT_WORD)
		begin[size++] = 0;
	return size < max ? size : 0;
}

bool packer_pack(struct packer *packer, const void *records, size_t size, size_t count, bool swap,
		 struct packed_packet *packed)
{
	const size_t least = count * sizeof(struct kmt_record);
	size_t more_count, body_size;
	int err;

	if (!count || count > PACKET_RECORDS_MAX || size < least ||
	    size > PACKET_RECORDS_BYTES_MAX || size % KMT_WORD)
		return false;
	more_count = (size - least) / KMT_WORD;
	memset(packer->template_table, 0, sizeof(packer->template_table));
	memset(packer->objects, 0, sizeof(packer->objects));
	if (more_count)
		err = fill_columns(packer, records, size, count, swap, true);
	else
		err = fill_columns(packer, records, size, count, swap, false);
	if (err)
		return false;
	body_size = compress_columns(packer, size, more_count);
	if (!body_size)
		return false;
	*packed = (struct packed_packet){
		.bytes = packer->packet,
		.size = sizeof(struct packet_header) + body_size,
		.codec = more_count ? PACKET_PACKED_LONG : PACKET_PACKED,
	};
	return true;
}
