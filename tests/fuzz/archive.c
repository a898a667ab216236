// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Makes a capture of one input, and gives its packets the checksums that a reader asks for. */
#include "config.h"

#include <byteswap.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/byteorder.h"
#include "capture/format.h"
#include "tests/fuzz/fuzz.h"

/* Append only: seeds in the tree have these numbers. */
const char *const fuzz_names[] = {
	"metadata",
	"kernel/status",
	"kernel/symbols",
	"kernel/caches",
	"kernel/tasks",
	"kernel/topology",
	"kernel/gfp",
	"kernel/slabinfo",
	"cpu0",
	"cpu1",
	"cpu2",
	"cpu17",
	"kernel/process_memory",
	"kernel/stacks",
	"kernel/user_symbols",
	"kernel/cgroups",
	"kernel/heap",
	"kernel/tracks",
	"kernel/allocinfo",
	"kernel/where",
};
const size_t fuzz_name_count = sizeof(fuzz_names) / sizeof(*fuzz_names);

/* The offset of the next packet's magic number, of either byte order, or size. */
static size_t find_packet(const uint8_t *bytes, size_t size, size_t start)
{
	for (size_t at = start; at + sizeof(struct packet_header) <= size; at++) {
		uint32_t magic;

		memcpy(&magic, bytes + at, sizeof(magic));
		if (magic == PACKET_MAGIC || magic == bswap_32(PACKET_MAGIC))
			return at;
	}
	return size;
}

void fuzz_repair_stream(uint8_t *bytes, size_t size, enum fuzz_repair what)
{
	size_t at = find_packet(bytes, size, 0);

	while (what && at < size) {
		struct packet_header header;
		size_t next = find_packet(bytes, size, at + sizeof(header));
		bool swap;

		memcpy(&header, bytes + at, sizeof(header));
		swap = header.magic != PACKET_MAGIC;
		if (swap)
			packet_header_swap(&header);
		if (what == FUZZ_REPAIR_ALL)
			header.content_bits = header.packet_bits = (next - at) / 8 * 64;
		if (header.packet_bits / 8 <= size - at && header.packet_bits / 8 > sizeof(header))
			next = at + header.packet_bits / 8;
		header.crc = 0;
		if (swap)
			packet_header_swap(&header);
		memcpy(bytes + at, &header, sizeof(header));
		header.crc = libdeflate_crc32(0, bytes + at, next - at);
		if (swap)
			header.crc = bswap_32(header.crc);
		memcpy(bytes + at, &header, sizeof(header));
		at = find_packet(bytes, size, next);
	}
}

/* The first mark from at on, or end. */
static const uint8_t *find_mark(const uint8_t *at, const uint8_t *end)
{
	const uint8_t *mark = at < end ? memmem(at, (size_t)(end - at), FUZZ_MARK, FUZZ_MARK_BYTES)
				       : NULL;

	return mark ? mark : end;
}

const uint8_t *fuzz_part(struct fuzz_input *input, size_t *size)
{
	const uint8_t *part = input->at, *mark = find_mark(part, part + input->left);

	*size = (size_t)(mark - part);
	input->left -= *size;
	input->at = mark;
	if (input->left) {
		input->at += FUZZ_MARK_BYTES;
		input->left -= FUZZ_MARK_BYTES;
	}
	return part;
}

static void write_member(const char *directory, unsigned int number, const uint8_t *bytes,
			 size_t size, enum fuzz_repair what)
{
	const char *name = fuzz_names[number % fuzz_name_count];
	uint8_t *copy = malloc(size + 1);
	char path[200];

	FUZZ_EXPECT(copy);
	memcpy(copy, bytes, size);
	if (!strncmp(name, "cpu", 3))
		fuzz_repair_stream(copy, size, what);
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fuzz_write(path, copy, size);
	free(copy);
}

void fuzz_unpack_archive(const struct fuzz_input *input, const char *directory)
{
	struct fuzz_input rest = *input;
	enum fuzz_repair what = fuzz_byte(&rest) % 3;
	char path[200];
	size_t size;

	fuzz_empty(directory);
	snprintf(path, sizeof(path), "%s/kernel", directory);
	fuzz_make(path);
	fuzz_part(&rest, &size);
	while (rest.left) {
		const uint8_t *part = fuzz_part(&rest, &size);

		if (size)
			write_member(directory, *part, part + 1, size - 1, what);
	}
}
