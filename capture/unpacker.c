// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Unpacks records from untrusted bytes: the number of records bounds the columns' sizes,
 * next_number() alone advances in a column, and a read past the end of a column marks it as
 * damaged.
 */
#include "config.h"

#include <endian.h>
#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "capture/byteorder.h"
#include "capture/packed.h"
#include "capture/unpacker.h"

struct unpacked_column {
	const unsigned char *at, *end;
	bool damaged; /* a read went past its end, or a number is too high */
};

struct unpacker {
	struct libdeflate_decompressor *inflate;
	unsigned char *bytes; /* of the columns */
	size_t bytes_space;
	struct kmt_record *records;
	size_t records_space;	      /* bytes */
	struct kmt_record *templates; /* the fields of the entry, and its last object */
	size_t templates_space;
	struct long_history *history; /* for packets with long records */
	size_t history_space;
	struct unpacked_column columns[PACKED_COLUMNS];
};

/* A packet as kmemtraced writes it needs less than this, in bytes, besides its records. */
#define SCRATCH_KEPT ((size_t)1 << 19)

#define TEMPLATE_BYTES_MIN 5 /* id, site, flags, node, and a payload or two sizes */

/* Tables for long records: they have different lengths, so records[] has no index. */
struct long_history {
	uint64_t pointer;     /* of the record with this index */
	const uint64_t *more; /* of the last record of the template with this index; NULL: none */
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
	free(unpacker->templates);
	free(unpacker->history);
	free(unpacker);
}

static uint64_t next_long(struct unpacked_column *column)
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
	column->damaged = true;
	return 0;
}

static inline uint64_t next_number(struct unpacked_column *column)
{
	if (column->at < column->end && *column->at < 0x80)
		return *column->at++;
	return next_long(column);
}

static unsigned int next_byte(struct unpacked_column *column)
{
	if (column->at < column->end)
		return *column->at++;
	column->damaged = true;
	return 0;
}

static uint64_t next_below(struct unpacked_column *column, uint64_t end)
{
	uint64_t number = next_number(column);

	if (number < end)
		return number;
	column->damaged = true;
	return 0;
}

/* The array, or a new one, with room for count items, but without its content; or NULL. */
static void *replace_array(void *array, size_t *space, size_t count, size_t size)
{
	if (count <= *space)
		return array;
	free(array);
	array = reallocarray(NULL, count, size);
	*space = array ? count : 0;
	return array;
}

/*
 * Finds the columns and inflates them. Behind them may be only zeros, up to a whole word.
 * more_count is set: the further words of all long records, if has_long.
 */
static int find_columns(struct unpacker *unpacker, const unsigned char *bytes, size_t size,
			size_t count, bool has_long, size_t *more_count)
{
	struct unpacked_column sizes = { .at = bytes, .end = bytes + size };
	size_t most, left, lengths[PACKED_DEFLATED] = { 0 }, wide, total, deflated;
	unsigned char *at;

	*more_count = has_long ? next_below(&sizes, PACKED_MORE_MAX + 1) : 0;
	left = most = count * PACKED_RECORD_BYTES + *more_count * PACKED_MORE_BYTES;
	for (size_t i = 0; i < PACKED_DEFLATED; i++) {
		if (i == PACKED_MORE && !has_long)
			continue;
		lengths[i] = next_below(&sizes, left + 1);
		left -= lengths[i];
	}
	total = most - left;
	wide = next_below(&sizes, size + 1);
	if (sizes.damaged || wide > (size_t)(sizes.end - sizes.at))
		return -EBADMSG;
	unpacker->columns[PACKED_WIDE] =
		(struct unpacked_column){ .at = sizes.at, .end = sizes.at + wide };
	unpacker->bytes = replace_array(unpacker->bytes, &unpacker->bytes_space, total + 1, 1);
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
		unpacker->columns[i] = (struct unpacked_column){ .at = at, .end = at + lengths[i] };
		at += lengths[i];
	}
	return 0;
}

/* 1: difference is set. 0: address is set, from the column wide. */
static int next_address(struct unpacked_column *column, struct unpacked_column *wide,
			uint64_t *difference, uint64_t *address)
{
	uint64_t number = next_number(column);

	*address = 0;
	if (number) {
		*difference = packed_unzigzag(number - 1);
		return 1;
	}
	if (column->damaged || wide->end - wide->at < (ptrdiff_t)sizeof(*address)) {
		column->damaged = true;
		return 0;
	}
	memcpy(address, wide->at, sizeof(*address));
	*address = le64toh(*address);
	wide->at += sizeof(*address);
	return 0;
}

struct unpacker_dictionary {
	struct unpacked_column *templates, *wide;
	size_t count;
	uint64_t site;	  /* of the last entry */
	uint64_t payload; /* of the last entry without sizes */
};

PACKED_INLINE void define_template(struct unpacker_dictionary *dictionary,
				   struct kmt_record *record, bool has_long)
{
	struct unpacked_column *column = dictionary->templates;
	uint64_t difference;

	*record = (struct kmt_record){ .words = KMT_RECORD_WORDS };
	record->id = (uint8_t)next_byte(column);
	if (next_address(column, dictionary->wide, &difference, &record->call_site))
		record->call_site = dictionary->site + difference;
	dictionary->site = record->call_site;
	record->gfp = (uint32_t)next_below(column, 1ULL << 32);
	record->node = (int16_t)(uint16_t)(next_below(column, 1 << 16) - 1);
	if (has_long)
		record->words += next_below(column, KMT_WORDS_LIMIT - KMT_RECORD_WORDS + 1);
	if (packed_has_sizes(record->id)) {
		record->requested = (uint32_t)next_below(column, 1ULL << 32);
		record->allocated = (uint32_t)next_below(column, 1ULL << 32);
	} else {
		dictionary->payload += packed_unzigzag(next_number(column));
		record->cache = dictionary->payload;
	}
	dictionary->count++;
}

/* A column of a field that changes only at some records: pairs of a distance and the change. */
struct changes {
	struct unpacked_column *column;
	size_t record; /* index, of the next change; SIZE_MAX: no more changes */
};

PACKED_INLINE void changes_find(struct changes *changes, size_t record)
{
	struct unpacked_column *column = changes->column;

	changes->record = SIZE_MAX;
	if (column->at < column->end)
		changes->record = record + next_below(column, PACKED_RECORDS_MAX);
}

PACKED_INLINE uint64_t changes_take(struct changes *changes)
{
	uint64_t change = next_below(changes->column, 1ULL << 32);

	changes_find(changes, changes->record);
	return change;
}

/* The further words of a long record, as differences from the last record of its template. */
static void fill_more(struct unpacker *unpacker, uint64_t *words, size_t count,
		      struct long_history *history)
{
	struct unpacked_column *more = &unpacker->columns[PACKED_MORE];
	struct unpacked_column *wide = &unpacker->columns[PACKED_WIDE];

	for (size_t i = 0; i < count; i++) {
		uint64_t difference;

		if (next_address(more, wide, &difference, &words[i]))
			words[i] = (history->more ? history->more[i] : 0) + difference;
	}
	history->more = words;
}

/* has_long: the records have so many words more than count times KMT_RECORD_WORDS. */
PACKED_INLINE int fill_records(struct unpacker *unpacker, size_t count, const bool has_long,
			       size_t more_count)
{
	/* local copies, to stay in registers */
	struct unpacked_column indices = unpacker->columns[PACKED_TEMPLATE_INDEX],
			       back = unpacker->columns[PACKED_BACK];
	struct unpacked_column times = unpacker->columns[PACKED_TIMES];
	struct unpacked_column *pointers = &unpacker->columns[PACKED_POINTERS];
	struct unpacker_dictionary dictionary = { .templates = &unpacker->columns[PACKED_TEMPLATES],
						  .wide = &unpacker->columns[PACKED_WIDE] };
	struct changes numbers = { .column = &unpacker->columns[PACKED_NUMBERS] };
	struct changes tasks = { .column = &unpacker->columns[PACKED_TASKS] };
	struct kmt_record *records = unpacker->records, *record = records;
	struct long_history *history = unpacker->history;
	uint32_t sequence = 0, task = 0;
	uint64_t time = 0;

	changes_find(&numbers, 0);
	changes_find(&tasks, 0);
	for (size_t i = 0; i < count; i++) {
		uint64_t index = next_number(&indices), distance = next_number(&back), pointer,
			 difference;
		struct kmt_record *common;
		size_t more;

		if (index > dictionary.count || distance > i)
			return -EBADMSG;
		index = index ? index - 1 : dictionary.count;
		common = &unpacker->templates[index];
		if (index == dictionary.count) {
			define_template(&dictionary, common, has_long);
			/* the templates have room for as many entries as their column can hold */
			if (dictionary.templates->damaged)
				return -EBADMSG;
			if (has_long)
				history[index].more = NULL;
			common->pointer = !i	     ? 0
					  : has_long ? history[i - 1].pointer
						     : records[i - 1].pointer;
		}
		if (distance)
			pointer = has_long ? history[i - distance].pointer
					   : records[i - distance].pointer;
		else if (next_address(pointers, dictionary.wide, &difference, &pointer))
			pointer = packed_unrotate_pointer(packed_rotate_pointer(common->pointer) +
							  difference);
		common->pointer = pointer;
		time += next_number(&times);
		if (i == numbers.record)
			sequence += (uint32_t)packed_unzigzag(changes_take(&numbers));
		if (i == tasks.record)
			task = (uint32_t)changes_take(&tasks);
		/* stop early; the other columns are checked at the end */
		if (indices.damaged || back.damaged || pointers->damaged)
			return -EBADMSG;
		if (!has_long)
			record = &records[i];
		*record = *common;
		record->time = time;
		record->sequence = sequence++;
		record->task = task;
		if (!has_long)
			continue;
		history[i].pointer = pointer;
		more = common->words - KMT_RECORD_WORDS;
		if (more > more_count)
			return -EBADMSG;
		more_count -= more;
		if (more)
			fill_more(unpacker, (uint64_t *)(record + 1), more, &history[index]);
		record = (void *)((uint64_t *)(record + 1) + more);
	}
	if (more_count)
		return -EBADMSG;
	/* a change is left, behind the last record */
	if (numbers.record != SIZE_MAX || tasks.record != SIZE_MAX)
		return -EBADMSG;
	unpacker->columns[PACKED_TEMPLATE_INDEX] = indices;
	unpacker->columns[PACKED_BACK] = back;
	unpacker->columns[PACKED_TIMES] = times;
	return 0;
}

/* Room for the records and the tables. 0 or -ENOMEM. */
static int reserve_records(struct unpacker *unpacker, size_t count, size_t size, bool has_long)
{
	const struct unpacked_column *entries = &unpacker->columns[PACKED_TEMPLATES];
	size_t entries_max = (size_t)(entries->end - entries->at) / TEMPLATE_BYTES_MIN + 1;

	unpacker->records = replace_array(unpacker->records, &unpacker->records_space, size, 1);
	unpacker->templates = replace_array(unpacker->templates, &unpacker->templates_space,
					    MIN(count, entries_max), sizeof(*unpacker->templates));
	if (has_long)
		unpacker->history = replace_array(unpacker->history, &unpacker->history_space,
						  count, sizeof(*unpacker->history));
	return unpacker->records && unpacker->templates && (!has_long || unpacker->history)
		       ? 0
		       : -ENOMEM;
}

static void swap_records(struct kmt_record *record, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t *more = (uint64_t *)(record + 1);
		size_t more_count = record->words - KMT_RECORD_WORDS;

		record_swap(record);
		if (more_count)
			record_swap_more(more, more, more_count);
		record = (void *)(more + more_count);
	}
}

/*
 * Frees what only unpacking needs. Every stream has an unpacker, and a few hundred bytes on disk
 * can unpack to megabytes.
 */
static void release_scratch(struct unpacker *unpacker)
{
	free(unpacker->bytes);
	free(unpacker->templates);
	free(unpacker->history);
	unpacker->bytes = NULL;
	unpacker->templates = NULL;
	unpacker->history = NULL;
	unpacker->bytes_space = unpacker->templates_space = unpacker->history_space = 0;
}

static size_t scratch_size(const struct unpacker *unpacker)
{
	return unpacker->bytes_space + unpacker->templates_space * sizeof(*unpacker->templates) +
	       unpacker->history_space * sizeof(*unpacker->history);
}

int unpacker_unpack(struct unpacker *unpacker, const struct packet_header *header, const void *body,
		    size_t body_size, bool swap, const struct kmt_record **records, size_t *size)
{
	size_t count = header->records, more_count = 0;
	bool has_long = header->codec == PACKET_PACKED_LONG;
	int err;

	if (!count || count > PACKED_RECORDS_MAX)
		return -EBADMSG;
	err = find_columns(unpacker, body, body_size, count, has_long, &more_count);
	*size = count * sizeof(struct kmt_record) + more_count * KMT_WORD;
	if (!err)
		err = reserve_records(unpacker, count, *size, has_long);
	if (err)
		return err;
	if (has_long)
		err = fill_records(unpacker, count, true, more_count);
	else
		err = fill_records(unpacker, count, false, 0);
	for (size_t i = 0; !err && i < PACKED_COLUMNS; i++) {
		const struct unpacked_column *column = &unpacker->columns[i];

		if (column->damaged || column->at != column->end)
			err = -EBADMSG;
	}
	if (!err && swap)
		swap_records(unpacker->records, count);
	if (scratch_size(unpacker) > SCRATCH_KEPT)
		release_scratch(unpacker);
	*records = unpacker->records;
	return err;
}
