// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Written from the page: what it does not tell would be missing here. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <cmocka.h>

#include "tests/unit/naive_unpack.h"

struct text {
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

static uint64_t number(struct text *text)
{
	return naive_number(text->bytes, text->size, &text->at);
}

static uint64_t difference(uint64_t coded)
{
	return coded % 2 ? 0 - (coded / 2 + 1) : coded / 2;
}

static uint64_t turned(uint64_t pointer)
{
	return pointer / 8 + (pointer % 8 << 61);
}

static uint64_t unturned(uint64_t pointer)
{
	return (pointer << 3) + (pointer >> 61);
}

static uint64_t wide_address(struct text *wide)
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
};

enum {
	KINDS,
	NUMBERS,
	TASKS,
	OBJECTS,
	BACK,
	KIND,
	TIMES,
	WIDE,
	COLUMNS
};

static void read_entry(struct text *columns, struct entry *entries, size_t count)
{
	struct kmt_record *record = &entries[count].record;
	uint64_t coded, cache = 0;

	memset(record, 0, sizeof(*record));
	record->words = 6;
	assert_true(columns[KINDS].at < columns[KINDS].size);
	record->id = columns[KINDS].bytes[columns[KINDS].at++];
	coded = number(&columns[KINDS]);
	if (!coded)
		record->call_site = wide_address(&columns[WIDE]);
	else
		record->call_site =
			(count ? entries[count - 1].record.call_site : 0) + difference(coded - 1);
	record->gfp = (uint32_t)number(&columns[KINDS]);
	record->node = (int16_t)(uint16_t)(number(&columns[KINDS]) - 1);
	if (record->id == 1 || record->id == 7 || record->id == 10) {
		record->requested = (uint32_t)number(&columns[KINDS]);
		record->allocated = (uint32_t)number(&columns[KINDS]);
		return;
	}
	for (size_t i = count; i--;) {
		uint8_t id = entries[i].record.id;

		if (id != 1 && id != 7 && id != 10) {
			cache = entries[i].record.cache;
			break;
		}
	}
	record->cache = cache + difference(number(&columns[KINDS]));
}

static bool comes_now(struct text *column, size_t record, size_t *next, bool first)
{
	if (first && column->at < column->size)
		*next = number(column);
	return *next == record;
}

static void fill(struct text *columns, struct kmt_record *records, size_t count,
		 struct entry *entries)
{
	size_t known = 0, next_number = SIZE_MAX, next_task = SIZE_MAX;
	uint32_t sequence = 0, task = 0;
	uint64_t time = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t kind = number(&columns[KIND]), back = number(&columns[BACK]), coded;
		struct entry *entry;

		assert_true(kind <= known && back <= i);
		entry = &entries[kind ? kind - 1 : known];
		if (!kind) {
			read_entry(columns, entries, known++);
			entry->object = i ? records[i - 1].pointer : 0;
		}
		if (back) {
			entry->object = records[i - back].pointer;
		} else {
			coded = number(&columns[OBJECTS]);
			entry->object =
				coded ? unturned(turned(entry->object) + difference(coded - 1))
				      : wide_address(&columns[WIDE]);
		}
		time += number(&columns[TIMES]);
		if (comes_now(&columns[NUMBERS], i, &next_number, !i)) {
			sequence += (uint32_t)difference(number(&columns[NUMBERS]));
			next_number = SIZE_MAX;
			if (columns[NUMBERS].at < columns[NUMBERS].size)
				next_number = i + number(&columns[NUMBERS]);
		}
		if (comes_now(&columns[TASKS], i, &next_task, !i)) {
			task = (uint32_t)number(&columns[TASKS]);
			next_task = SIZE_MAX;
			if (columns[TASKS].at < columns[TASKS].size)
				next_task = i + number(&columns[TASKS]);
		}
		records[i] = entry->record;
		records[i].pointer = entry->object;
		records[i].time = time;
		records[i].sequence = sequence++;
		records[i].task = task;
	}
}

int naive_unpack(const unsigned char *bytes, size_t size, struct kmt_record *records, size_t count)
{
	unsigned char *inflated = malloc(count * 80);
	struct entry *entries = calloc(count, sizeof(*entries));
	struct text columns[COLUMNS] = { 0 };
	z_stream stream = { 0 };
	size_t at = 0, total = 0;
	bool all = true;

	assert_true(inflated && entries);
	for (int i = 0; i < COLUMNS; i++) {
		columns[i].size = naive_number(bytes, size, &at);
		columns[i].bytes = i == WIDE ? bytes + at : inflated + total;
		total += i == WIDE ? 0 : columns[i].size;
	}
	at += columns[WIDE].size;
	assert_true(total <= count * 80 && at <= size);
	assert_int_equal(inflateInit2(&stream, -15), Z_OK);
	stream.next_in = (unsigned char *)(uintptr_t)bytes + at;
	stream.avail_in = (uInt)(size - at);
	stream.next_out = inflated;
	stream.avail_out = (uInt)total;
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	assert_int_equal(stream.total_out, total);
	inflateEnd(&stream);
	fill(columns, records, count, entries);
	for (int i = 0; i < COLUMNS; i++)
		all &= columns[i].at == columns[i].size;
	free(inflated);
	free(entries);
	return all ? 0 : -1;
}
