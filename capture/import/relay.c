// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses relay files. Every field is checked: a file may be damaged. */
#include "config.h"

#include <byteswap.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/import/relay.h"

#define HOST_IS_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define FEATURE_HEAD 3		       /* bytes */
#define BUFFER_BYTES ((size_t)1 << 18) /* more than two of the largest records */

static uint16_t get_u16(const struct relay_bytes *bytes, size_t offset)
{
	uint16_t value;

	memcpy(&value, bytes->at + offset, sizeof(value));
	return bytes->big_endian == HOST_IS_BIG ? value : bswap_16(value);
}

static uint32_t get_u32(const struct relay_bytes *bytes, size_t offset)
{
	uint32_t value;

	memcpy(&value, bytes->at + offset, sizeof(value));
	return bytes->big_endian == HOST_IS_BIG ? value : bswap_32(value);
}

static uint64_t get_u64(const struct relay_bytes *bytes, size_t offset)
{
	uint64_t value;

	memcpy(&value, bytes->at + offset, sizeof(value));
	return bytes->big_endian == HOST_IS_BIG ? value : bswap_64(value);
}

/* The size of the record that begins at the cursor, or 0: its first four bytes are invalid. */
static size_t record_size(const struct relay_bytes *bytes)
{
	size_t size = get_u16(bytes, 2);

	if (bytes->at[0] > RELAY_FREE || bytes->at[1] > RELAY_PAGES)
		return 0;
	return size >= (bytes->at[0] == RELAY_ALLOC ? RELAY_WHOLE : RELAY_CORE) ? size : 0;
}

/* The record has features behind its fields. They must fill it; each size includes the head. */
static bool has_features(const struct relay_bytes *bytes, size_t size)
{
	struct relay_bytes feature = *bytes;
	size_t left = size - (bytes->at[0] == RELAY_ALLOC ? RELAY_WHOLE : RELAY_CORE);

	feature.at += size - left;
	while (left >= FEATURE_HEAD) {
		size_t length = get_u16(&feature, 0);

		if (length < FEATURE_HEAD || length > left)
			return false;
		feature.at += length;
		left -= length;
	}
	return !left;
}

/*
 * A record has no magic number. Behind damage it counts as a record only if its features are valid
 * and another record or the end of the file follows. 1 yes, 0 no, -1: more bytes are needed.
 */
static int is_confirmed(const struct relay_bytes *bytes, size_t size)
{
	struct relay_bytes next = *bytes;
	size_t left = (size_t)(bytes->end - bytes->at);

	if (size > left)
		return bytes->last ? 0 : -1;
	if (!has_features(bytes, size))
		return 0;
	next.at += size;
	if (left - size < 4)
		return bytes->last ? left == size : -1;
	return record_size(&next) != 0;
}

static void parse_record(const struct relay_bytes *bytes, struct relay_record *record)
{
	*record = (struct relay_record){
		.event = bytes->at[0],
		.type = bytes->at[1],
		.size = get_u16(bytes, 2),
		.sequence = get_u32(bytes, 4),
		.call_site = get_u64(bytes, 8),
		.pointer = get_u64(bytes, 16),
		.node = -1,
	};
	if (record->event != RELAY_ALLOC)
		return;
	record->requested = get_u64(bytes, 24);
	record->allocated = get_u64(bytes, 32);
	record->gfp = get_u32(bytes, 40);
	record->node = (int32_t)get_u32(bytes, 44);
}

bool relay_next(struct relay_bytes *bytes, struct relay_record *record)
{
	while (bytes->end - bytes->at >= 4) {
		size_t left = (size_t)(bytes->end - bytes->at), size = record_size(bytes);
		int confirmed = size && bytes->out_of_sync ? is_confirmed(bytes, size) : size != 0;

		if (confirmed < 0)
			return false;
		bytes->out_of_sync = !confirmed;
		if (!confirmed) {
			bytes->at++;
			bytes->damaged++;
			continue;
		}
		if (size > left)
			break;
		parse_record(bytes, record);
		bytes->at += size;
		return true;
	}
	if (bytes->last) {
		*(bytes->out_of_sync ? &bytes->damaged : &bytes->cut) +=
			(uint64_t)(bytes->end - bytes->at);
		bytes->at = bytes->end;
	}
	return false;
}

size_t relay_count(const unsigned char *bytes, size_t size, bool big_endian)
{
	struct relay_bytes all = { .at = bytes, .end = bytes + size, .big_endian = big_endian };
	struct relay_record record;
	size_t count = 0;

	while (relay_next(&all, &record))
		count++;
	return count;
}

int relay_open(struct relay_file *relay, const char *path, bool big_endian)
{
	memset(relay, 0, sizeof(*relay));
	relay->bytes.big_endian = big_endian;
	relay->buffer = malloc(BUFFER_BYTES);
	if (!relay->buffer)
		return -ENOMEM;
	relay->bytes.at = relay->bytes.end = relay->buffer;
	relay->file = fopen(path, "rbe");
	return relay->file ? 0 : -errno;
}

void relay_close(struct relay_file *relay)
{
	if (relay->file)
		fclose(relay->file);
	free(relay->buffer);
	memset(relay, 0, sizeof(*relay));
}

bool relay_read(struct relay_file *relay, struct relay_record *record)
{
	struct relay_bytes *bytes = &relay->bytes;
	size_t left, got;

	for (;;) {
		if (relay_next(bytes, record))
			return true;
		if (bytes->last)
			return false;
		left = (size_t)(bytes->end - bytes->at);
		memmove(relay->buffer, bytes->at, left);
		got = fread(relay->buffer + left, 1, BUFFER_BYTES - left, relay->file);
		relay->failed = ferror(relay->file);
		bytes->last = got < BUFFER_BYTES - left;
		bytes->at = relay->buffer;
		bytes->end = relay->buffer + left + got;
	}
}
