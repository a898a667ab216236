// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Written from kmemtrace-capture(5) only, so a gap in the page is a gap here. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tests/unit/unit.h"
#include "tests/unit/naive_unpack.h"

struct column {
	const unsigned char *bytes;
	size_t size, at;
};

uint64_t naive_number(const unsigned char *bytes, size_t size, size_t *at)
{
	uint64_t number = 0;
	int bits = 0;

	for (;;) {
		assert_true(*at < size && bits < 70);
		number += (uint64_t)(bytes[*at] & 127) << bits;
		bits += 7;
		if (bytes[(*at)++] < 128)
			return number;
	}
}

static uint64_t read_column_number(struct column *column)
{
	return naive_number(column->bytes, column->size, &column->at);
}

static uint64_t decode_difference(uint64_t coded)
{
	return coded % 2 ? 0 - (coded / 2 + 1) : coded / 2;
}

static uint64_t rotate_pointer(uint64_t pointer)
{
	return pointer / 8 + (pointer % 8 << 61);
}

static uint64_t unrotate_pointer(uint64_t pointer)
{
	return (pointer << 3) + (pointer >> 61);
}

static uint64_t wide_address(struct column *wide)
{
	uint64_t address = 0;

	assert_true(wide->at + 8 <= wide->size);
	for (int i = 7; i >= 0; i--)
		address = address * 256 + wide->bytes[wide->at + (size_t)i];
	wide->at += 8;
	return address;
}

struct entry {
	struct kmt_record record;
	uint64_t object;
	uint64_t more[KMT_WORDS_LIMIT]; /* words behind the first 6, of its last record */
};

enum {
	KINDS,
	NUMBERS,
	TASKS,
	OBJECTS,
	BACK,
	KIND,
	TIMES,
	MORE,
	WIDE,
	COLUMNS
};

static void read_entry(struct column *columns, struct entry *entries, size_t count, bool has_long)
{
	struct kmt_record *record = &entries[count].record;
	uint64_t coded, cache = 0;

	memset(record, 0, sizeof(*record));
	record->words = 6;
	assert_true(columns[KINDS].at < columns[KINDS].size);
	record->id = columns[KINDS].bytes[columns[KINDS].at++];
	coded = read_column_number(&columns[KINDS]);
	if (!coded)
		record->call_site = wide_address(&columns[WIDE]);
	else
		record->call_site = (count ? entries[count - 1].record.call_site : 0) +
				    decode_difference(coded - 1);
	record->gfp = (uint32_t)read_column_number(&columns[KINDS]);
	record->node = (int16_t)(uint16_t)(read_column_number(&columns[KINDS]) - 1);
	if (has_long)
		record->words += read_column_number(&columns[KINDS]);
	if (record->id == 1 || record->id == 7 || record->id == 10) {
		record->requested = (uint32_t)read_column_number(&columns[KINDS]);
		record->allocated = (uint32_t)read_column_number(&columns[KINDS]);
		return;
	}
	for (size_t i = count; i--;) {
		uint8_t id = entries[i].record.id;

		if (id != 1 && id != 7 && id != 10) {
			cache = entries[i].record.cache;
			break;
		}
	}
	record->cache = cache + decode_difference(read_column_number(&columns[KINDS]));
}

static bool comes_now(struct column *column, size_t record, size_t *next, bool first)
{
	if (first && column->at < column->size)
		*next = read_column_number(column);
	return *next == record;
}

static void read_more(struct column *columns, struct entry *entry)
{
	for (int i = 0; i < entry->record.words - 6; i++) {
		uint64_t coded = read_column_number(&columns[MORE]);

		entry->more[i] = coded ? entry->more[i] + decode_difference(coded - 1)
				       : wide_address(&columns[WIDE]);
	}
}

/* objects: space for one object per record. */
static void read_records(struct column *columns, unsigned char *records, size_t count,
			 bool has_long, struct entry *entries, uint64_t *objects)
{
	size_t known = 0, next_number = SIZE_MAX, next_task = SIZE_MAX;
	uint32_t sequence = 0, task = 0;
	uint64_t time = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t kind = read_column_number(&columns[KIND]),
			 back = read_column_number(&columns[BACK]), coded;
		struct entry *entry;

		assert_true(kind <= known && back <= i);
		entry = &entries[kind ? kind - 1 : known];
		if (!kind) {
			read_entry(columns, entries, known++, has_long);
			entry->object = i ? objects[i - 1] : 0;
		}
		if (back) {
			entry->object = objects[i - back];
		} else {
			coded = read_column_number(&columns[OBJECTS]);
			entry->object = coded ? unrotate_pointer(rotate_pointer(entry->object) +
								 decode_difference(coded - 1))
					      : wide_address(&columns[WIDE]);
		}
		time += read_column_number(&columns[TIMES]);
		if (comes_now(&columns[NUMBERS], i, &next_number, !i)) {
			sequence +=
				(uint32_t)decode_difference(read_column_number(&columns[NUMBERS]));
			next_number = SIZE_MAX;
			if (columns[NUMBERS].at < columns[NUMBERS].size)
				next_number = i + read_column_number(&columns[NUMBERS]);
		}
		if (comes_now(&columns[TASKS], i, &next_task, !i)) {
			task = (uint32_t)read_column_number(&columns[TASKS]);
			next_task = SIZE_MAX;
			if (columns[TASKS].at < columns[TASKS].size)
				next_task = i + read_column_number(&columns[TASKS]);
		}
		entry->record.pointer = objects[i] = entry->object;
		entry->record.time = time;
		entry->record.sequence = sequence++;
		entry->record.task = task;
		read_more(columns, entry);
		memcpy(records, &entry->record, 48);
		memcpy(records + 48, entry->more, entry->record.words * 8U - 48);
		records += entry->record.words * 8U;
	}
}

int naive_unpack(const unsigned char *bytes, size_t size, unsigned int codec, void *records,
		 size_t count)
{
	struct entry *entries = calloc(count, sizeof(*entries));
	uint64_t *objects = calloc(count, sizeof(*objects));
	struct column columns[COLUMNS] = { 0 };
	z_stream stream = { 0 };
	size_t at = 0, total = 0, most = count * 80;
	bool all = true, has_long = codec == 2;
	unsigned char *inflated;

	if (has_long)
		most += 8 * naive_number(bytes, size, &at);
	inflated = malloc(most);
	assert_true(inflated && entries && objects);
	for (int i = 0; i < COLUMNS; i++) {
		if (i == MORE && !has_long)
			continue;
		columns[i].size = naive_number(bytes, size, &at);
		columns[i].bytes = i == WIDE ? bytes + at : inflated + total;
		total += i == WIDE ? 0 : columns[i].size;
	}
	at += columns[WIDE].size;
	assert_true(total <= most && at <= size);
	assert_int_equal(inflateInit2(&stream, -15), Z_OK);
	stream.next_in = (unsigned char *)(uintptr_t)bytes + at;
	stream.avail_in = (uInt)(size - at);
	stream.next_out = inflated;
	stream.avail_out = (uInt)total;
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	assert_int_equal(stream.total_out, total);
	inflateEnd(&stream);
	read_records(columns, records, count, has_long, entries, objects);
	for (int i = 0; i < COLUMNS; i++)
		all &= columns[i].at == columns[i].size;
	free(inflated);
	free(entries);
	free(objects);
	return all ? 0 : -1;
}
