// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The body of a packed packet, and records to pack. What the unpacker takes is packed and unpacked
 * again: the records must be the same.
 */
#include "config.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "capture/packer.h"
#include "capture/unpacker.h"
#include "capture/packed.h"
#include "tests/fuzz/fuzz.h"

static struct packer *packer;
static struct unpacker *unpacker;
static struct libdeflate_compressor *compressor;

static void set_up_packing(void)
{
	if (packer)
		return;
	FUZZ_EXPECT(!packer_create(&packer) && !unpacker_create(&unpacker));
	compressor = libdeflate_alloc_compressor(1);
	FUZZ_EXPECT(compressor);
}

/* Packs the records and compares what the unpacker makes of that. */
static void round_trip(const void *records, size_t size, size_t count, bool swap)
{
	struct packet_header header = { .records = (uint32_t)count };
	const struct kmt_record *back;
	struct packed_packet packed;
	size_t back_size;
	uint8_t *body;

	if (!packer_pack(packer, records, size, count, swap, &packed))
		return;
	FUZZ_EXPECT(packed.size - sizeof(header) < size);
	header.codec = (uint16_t)packed.codec;
	body = malloc(packed.size - sizeof(header));
	FUZZ_EXPECT(body);
	memcpy(body, packed.bytes + sizeof(header), packed.size - sizeof(header));
	FUZZ_EXPECT(!unpacker_unpack(unpacker, &header, body, packed.size - sizeof(header), swap,
				     &back, &back_size));
	FUZZ_EXPECT(back_size == size && !memcmp(back, records, size));
	free(body);
}

static void put_number(uint8_t **at, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*(*at)++ = (uint8_t)(number | 0x80);
	*(*at)++ = (uint8_t)number;
}

/*
 * A body of columns, which are separated by FUZZ_MARK; the addresses of PACKED_WIDE are the last
 * ones. So a mutation changes the numbers of a column, and neither its size nor its DEFLATE code.
 */
static uint8_t *make_body(struct fuzz_input *input, bool has_long, size_t *size)
{
	unsigned int more = has_long ? fuzz_byte(input) : 0;
	size_t sizes[PACKED_DEFLATED] = { 0 }, used = 0, wide;
	uint8_t *columns = malloc(input->left + 1), *body, *at;
	size_t room = libdeflate_deflate_compress_bound(compressor, input->left) + input->left;
	const uint8_t *part;

	room += (PACKED_DEFLATED + 2) * (size_t)PACKED_NUMBER_BYTES;
	at = body = malloc(room);
	FUZZ_EXPECT(columns && body);
	for (size_t i = 0; i < PACKED_DEFLATED; i++) {
		if (i == PACKED_MORE && !has_long)
			continue;
		part = fuzz_part(input, &sizes[i]);
		memcpy(columns + used, part, sizes[i]);
		used += sizes[i];
	}
	part = fuzz_part(input, &wide);
	if (has_long)
		put_number(&at, more);
	for (size_t i = 0; i < PACKED_DEFLATED; i++)
		if (i != PACKED_MORE || has_long)
			put_number(&at, sizes[i]);
	put_number(&at, wide);
	memcpy(at, part, wide);
	at += wide;
	at += libdeflate_deflate_compress(compressor, columns, used, at,
					  room - (size_t)(at - body));
	*size = (size_t)(at - body);
	free(columns);
	return body;
}

static uint8_t *copy_of(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	FUZZ_EXPECT(copy);
	memcpy(copy, bytes, size);
	return copy;
}

static void unpack_input(struct fuzz_input *input, unsigned int how)
{
	struct packet_header header = { .codec = how & 2 ? PACKET_PACKED_LONG : PACKET_PACKED };
	const struct kmt_record *records;
	uint8_t *body, *made;
	size_t size, unpacked;
	int err;

	header.records = fuzz_byte(input);
	header.records |= (uint32_t)fuzz_byte(input) << 8;
	if (how & 4) {
		made = make_body(input, how & 2, &size);
		/* of exactly this size: the sanitizer sees a byte read behind it */
		body = copy_of(made, size);
		free(made);
	} else {
		size = input->left;
		body = copy_of(input->at, size);
	}
	err = unpacker_unpack(unpacker, &header, body, size, how & 1, &records, &unpacked);
	FUZZ_EXPECT(!err || err == -EBADMSG);
	free(body);
	if (err || !unpacked)
		return;
	body = copy_of((const uint8_t *)records, unpacked);
	round_trip(body, unpacked, header.records, how & 1);
	free(body);
}

/* Any records: their words must add up to size, or the packer refuses them. */
static void pack_input(struct fuzz_input *input, unsigned int how)
{
	size_t size = input->left / KMT_WORD * KMT_WORD, count = 0;
	uint8_t *records = malloc(size ? size : 1);

	FUZZ_EXPECT(records);
	memcpy(records, input->at, size);
	for (size_t at = 0; at + sizeof(struct kmt_record) <= size; count++) {
		uint8_t words = records[at + offsetof(struct kmt_record, words)];

		at += words < KMT_RECORD_WORDS ? sizeof(struct kmt_record)
					       : (size_t)words * KMT_WORD;
		if (at > size && how & 2)
			break;
	}
	round_trip(records, size, count, how & 1);
	free(records);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	unsigned int how = fuzz_byte(&input);

	set_up_packing();
	if (how & 8)
		pack_input(&input, how);
	else
		unpack_input(&input, how);
	return 0;
}
