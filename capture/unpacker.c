// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Unpacks records. Nothing is believed: the columns' sizes are bounded by the number of records,
 * one function advances in a column, and what it finds behind its end is remembered as damage.
 */
#include "config.h"

#include <endian.h>
#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "capture/packed.h"
#include "capture/reader.h"
#include "capture/unpacker.h"

struct column {
	const unsigned char *at, *end;
	bool bad; /* something was wanted that is not there */
};

struct unpacker {
	struct libdeflate_decompressor *inflate;
	unsigned char *bytes; /* of the columns */
	size_t bytes_space;
	struct kmt_record *records;
	size_t records_space;
	struct kmt_record *kinds; /* what their records have in common; and their last object */
	size_t kinds_space;
	struct column columns[PACKED_COLUMNS];
};

int unpacker_create(struct unpacker **result)
{
	struct unpacker *unpacker = calloc(1, sizeof(*unpacker));

	if (!unpacker)
		return -ENOMEM;
	unpacker->inflate = libdeflate_alloc_decompressor();
	if (!unpacker->inflate) {
		free(unpacker);
		return -ENOMEM;
	}
	*result = unpacker;
	return 0;
}

void unpacker_destroy(struct unpacker *unpacker)
{
	if (!unpacker)
		return;
	libdeflate_free_decompressor(unpacker->inflate);
	free(unpacker->bytes);
	free(unpacker->records);
	free(unpacker->kinds);
	free(unpacker);
}

static uint64_t next_long(struct column *column)
{
	uint64_t number = 0;

	for (unsigned int shift = 0; shift < 64 && column->at < column->end; shift += 7) {
		uint64_t byte = *column->at++;

		if (shift == 63 && byte > 1)
			break;
		number |= (byte & 0x7f) << shift;
		if (byte < 0x80)
			return number;
	}
	column->bad = true;
	return 0;
}

static inline uint64_t next(struct column *column)
{
	if (column->at < column->end && *column->at < 0x80)
		return *column->at++;
	return next_long(column);
}

static unsigned int next_byte(struct column *column)
{
	if (column->at < column->end)
		return *column->at++;
	column->bad = true;
	return 0;
}

static uint64_t next_below(struct column *column, uint64_t end)
{
	uint64_t number = next(column);

	if (number < end)
		return number;
	column->bad = true;
	return 0;
}

/* Room for count items, whose bytes may be lost: the array or a new one, or NULL. */
static void *reserve(void *array, size_t *space, size_t count, size_t size)
{
	if (count <= *space)
		return array;
	free(array);
	array = reallocarray(NULL, count, size);
	*space = array ? count : 0;
	return array;
}

/* Finds the columns, which end where the bytes do but for what fills a word. */
static int find_columns(struct unpacker *unpacker, const unsigned char *bytes, size_t size,
			size_t count)
{
	struct column sizes = { .at = bytes, .end = bytes + size };
	size_t left = count * PACKED_RECORD_BYTES, lengths[PACKED_DEFLATED], wide, total, deflated;
	unsigned char *at;

	for (size_t i = 0; i < PACKED_DEFLATED; i++) {
		lengths[i] = next_below(&sizes, left + 1);
		left -= lengths[i];
	}
	total = count * PACKED_RECORD_BYTES - left;
	wide = next_below(&sizes, size + 1);
	if (sizes.bad || wide > (size_t)(sizes.end - sizes.at))
		return -EBADMSG;
	unpacker->columns[PACKED_WIDE] = (struct column){ .at = sizes.at, .end = sizes.at + wide };
	unpacker->bytes = reserve(unpacker->bytes, &unpacker->bytes_space, total + 1, 1);
	if (!unpacker->bytes)
		return -ENOMEM;
	sizes.at += wide;
	if (libdeflate_deflate_decompress_ex(unpacker->inflate, sizes.at,
					     (size_t)(sizes.end - sizes.at), unpacker->bytes, total,
					     &deflated, NULL) != LIBDEFLATE_SUCCESS)
		return -EBADMSG;
	sizes.at += deflated;
	if (sizes.end - sizes.at >= KMT_WORD)
		return -EBADMSG;
	while (sizes.at < sizes.end)
		if (*sizes.at++)
			return -EBADMSG;
	at = unpacker->bytes;
	for (size_t i = 0; i < PACKED_DEFLATED; i++) {
		unpacker->columns[i] = (struct column){ .at = at, .end = at + lengths[i] };
		at += lengths[i];
	}
	return 0;
}

/* 1: the difference is set; 0: it is far, and address is set. */
static int next_address(struct column *column, struct column *wide, uint64_t *difference,
			uint64_t *address)
{
	uint64_t number = next(column);

	*address = 0;
	if (number) {
		*difference = packed_unzigzag(number - 1);
		return 1;
	}
	if (column->bad || wide->end - wide->at < (ptrdiff_t)sizeof(*address)) {
		column->bad = true;
		return 0;
	}
	memcpy(address, wide->at, sizeof(*address));
	*address = le64toh(*address);
	wide->at += sizeof(*address);
	return 0;
}

struct dictionary {
	struct column *kinds, *wide;
	size_t count;
	uint64_t site, tail; /* of the last entry, and of the last without sizes */
};

static void define_kind(struct dictionary *dictionary, struct kmt_record *record)
{
	struct column *column = dictionary->kinds;
	uint64_t difference;

	*record = (struct kmt_record){ .words = KMT_RECORD_WORDS };
	record->id = (uint8_t)next_byte(column);
	if (next_address(column, dictionary->wide, &difference, &record->call_site))
		record->call_site = dictionary->site + difference;
	dictionary->site = record->call_site;
	record->gfp = (uint32_t)next_below(column, 1ULL << 32);
	record->node = (int16_t)(uint16_t)(next_below(column, 1 << 16) - 1);
	if (packed_has_sizes(record->id)) {
		record->requested = (uint32_t)next_below(column, 1ULL << 32);
		record->allocated = (uint32_t)next_below(column, 1ULL << 32);
	} else {
		dictionary->tail += packed_unzigzag(next(column));
		record->cache = dictionary->tail;
	}
	dictionary->count++;
}

/* A column of what changes only at some records: how far it is to the next, and the change. */
struct changes {
	struct column *column;
	size_t record; /* of the next change; past all: there is none */
};

static void changes_find(struct changes *changes, size_t record)
{
	struct column *column = changes->column;

	changes->record = SIZE_MAX;
	if (column->at < column->end)
		changes->record = record + next_below(column, PACKED_RECORDS_MAX);
}

static uint64_t changes_take(struct changes *changes)
{
	uint64_t change = next_below(changes->column, 1ULL << 32);

	changes_find(changes, changes->record);
	return change;
}

static int fill_records(struct unpacker *unpacker, size_t count)
{
	/* copies, in registers */
	struct column kind = unpacker->columns[PACKED_KIND], back = unpacker->columns[PACKED_BACK];
	struct column times = unpacker->columns[PACKED_TIMES];
	struct column *pointers = &unpacker->columns[PACKED_POINTERS];
	struct dictionary dictionary = { .kinds = &unpacker->columns[PACKED_KINDS],
					 .wide = &unpacker->columns[PACKED_WIDE] };
	struct changes numbers = { .column = &unpacker->columns[PACKED_NUMBERS] };
	struct changes tasks = { .column = &unpacker->columns[PACKED_TASKS] };
	struct kmt_record *records = unpacker->records;
	uint32_t sequence = 0, task = 0;
	uint64_t time = 0;

	changes_find(&numbers, 0);
	changes_find(&tasks, 0);
	for (size_t i = 0; i < count; i++) {
		uint64_t place = next(&kind), distance = next(&back), pointer, difference;
		struct kmt_record *common;

		if (place > dictionary.count || distance > i)
			return -EBADMSG;
		common = &unpacker->kinds[place ? place - 1 : dictionary.count];
		if (!place) {
			define_kind(&dictionary, common);
			common->pointer = i ? records[i - 1].pointer : 0;
		}
		if (distance)
			pointer = records[i - distance].pointer;
		else if (next_address(pointers, dictionary.wide, &difference, &pointer))
			pointer = packed_unrotate_pointer(packed_rotate_pointer(common->pointer) +
							  difference);
		common->pointer = pointer;
		time += next(&times);
		if (i == numbers.record)
			sequence += (uint32_t)packed_unzigzag(changes_take(&numbers));
		if (i == tasks.record)
			task = (uint32_t)changes_take(&tasks);
		/* not to go on for nothing: the other columns are looked at in the end */
		if (kind.bad || back.bad || pointers->bad)
			return -EBADMSG;
		records[i] = *common;
		records[i].time = time;
		records[i].sequence = sequence++;
		records[i].task = task;
	}
	/* a change behind the last record */
	if (numbers.record != SIZE_MAX || tasks.record != SIZE_MAX)
		return -EBADMSG;
	unpacker->columns[PACKED_KIND] = kind;
	unpacker->columns[PACKED_BACK] = back;
	unpacker->columns[PACKED_TIMES] = times;
	return 0;
}

int unpacker_unpack(struct unpacker *unpacker, const void *bytes, size_t size, size_t count,
		    bool swap, const struct kmt_record **records)
{
	int err;

	if (!count || count > PACKED_RECORDS_MAX)
		return -EBADMSG;
	unpacker->records = reserve(unpacker->records, &unpacker->records_space, count,
				    sizeof(*unpacker->records));
	unpacker->kinds =
		reserve(unpacker->kinds, &unpacker->kinds_space, count, sizeof(*unpacker->kinds));
	if (!unpacker->records || !unpacker->kinds)
		return -ENOMEM;
	err = find_columns(unpacker, bytes, size, count);
	if (!err)
		err = fill_records(unpacker, count);
	for (size_t i = 0; !err && i < PACKED_COLUMNS; i++) {
		const struct column *column = &unpacker->columns[i];

		if (column->bad || column->at != column->end)
			err = -EBADMSG;
	}
	for (size_t i = 0; !err && swap && i < count; i++)
		record_swap(&unpacker->records[i]);
	*records = unpacker->records;
	return err;
}
