// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Converts a finished stream to the other byte order, as another machine would write it. */
#include "config.h"

#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/files.h"
#include "tests/unit/byteswap.h"
#include "capture/reader.h"

static void swap_packet(unsigned char *bytes, const struct packet *packet)
{
	struct packet_header header = packet->header;
	size_t size = header.packet_bits / 8;

	for (size_t at = sizeof(header); header.codec == PACKET_RAW && at < size;) {
		struct kmt_record record;
		uint64_t word;

		memcpy(&record, bytes + at, sizeof(record));
		record.time = bswap_64(record.time);
		record.node = (int16_t)bswap_16((uint16_t)record.node);
		record.sequence = bswap_32(record.sequence);
		record.pointer = bswap_64(record.pointer);
		record.call_site = bswap_64(record.call_site);
		record.task = bswap_32(record.task);
		record.gfp = bswap_32(record.gfp);
		if (record.id == KMT_KMALLOC || record.id == KMT_REALLOC ||
		    record.id == KMT_ANONYMOUS_ALLOC) {
			record.requested = bswap_32(record.requested);
			record.allocated = bswap_32(record.allocated);
		} else {
			record.cache = bswap_64(record.cache);
		}
		memcpy(bytes + at, &record, sizeof(record));
		at += sizeof(record);
		for (int i = sizeof(record) / 8; i < record.words && at < size;
		     i++, at += sizeof(word)) {
			memcpy(&word, bytes + at, sizeof(word));
			word = bswap_64(word);
			memcpy(bytes + at, &word, sizeof(word));
		}
	}
	header.magic = bswap_32(header.magic);
	header.stream_id = bswap_32(header.stream_id);
	header.time_first = bswap_64(header.time_first);
	header.time_last = bswap_64(header.time_last);
	header.content_bits = bswap_64(header.content_bits);
	header.packet_bits = bswap_64(header.packet_bits);
	header.lost = bswap_64(header.lost);
	header.number = bswap_64(header.number);
	header.cpu = bswap_32(header.cpu);
	header.records = bswap_32(header.records);
	header.sequence_first = bswap_64(header.sequence_first);
	header.sequence_end = bswap_64(header.sequence_end);
	header.skipped = bswap_64(header.skipped);
	header.codec = bswap_16(header.codec);
	header.version = bswap_16(header.version);
	header.crc = 0;
	memcpy(bytes, &header, sizeof(header));
	header.crc = bswap_32((uint32_t)crc32(0, bytes, size));
	memcpy(bytes, &header, sizeof(header));
}

static int write_bytes(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return -errno;
	fwrite(bytes, 1, size, file);
	return fclose(file) ? -errno : 0;
}

int byteswap_stream(const char *path)
{
	char *bytes = NULL;
	struct stream stream;
	struct packet packet;
	size_t size = 0;
	int err;

	err = read_file(AT_FDCWD, path, (size_t)1 << 30, &bytes, &size);
	if (!err)
		err = stream_open(&stream, path);
	if (!err) {
		while (stream_next(&stream, &packet) > 0)
			swap_packet((unsigned char *)bytes + packet.offset, &packet);
		stream_close(&stream);
		err = write_bytes(path, bytes, size);
	}
	free(bytes);
	return err;
}
