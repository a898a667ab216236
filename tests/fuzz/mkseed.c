// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes seeds for the fuzz targets, on standard output:
 *	mkseed capture DIR	the archive of a capture, cut to few records and lines
 *	mkseed packed STREAM N	the columns of the N-th packed packet of a stream
 *	mkseed stats DIR FILE	what kmemtraced --publish would write of the capture, by way of FILE
 * The caller writes the bytes before that, which choose what the target does.
 */
#include "config.h"

#include <byteswap.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/files.h"
#include "capture/byteorder.h"
#include "capture/capture.h"
#include "capture/format.h"
#include "capture/packed.h"
#include "live/stats/stats_file.h"
#include "tests/fuzz/fuzz.h"

#define RECORDS_MAX 24 /* of one packet */
#define PACKETS_MAX 3  /* of one stream */
#define TEXT_MAX 1500  /* bytes of one table */
#define FILE_MAX (1 << 26)

static uint8_t *read_whole(const char *directory, const char *name, size_t *size)
{
	char path[4096], *bytes;

	snprintf(path, sizeof(path), "%s%s%s", directory, *directory ? "/" : "", name);
	return read_file(AT_FDCWD, path, FILE_MAX, &bytes, size) ? NULL : (uint8_t *)bytes;
}

/* The first records of a packet of raw records. Packed packets and empty ones are as they are. */
static void put_packet(const uint8_t *bytes, struct packet_header header, bool swap)
{
	size_t size = header.packet_bits / 8, at = sizeof(header), count = 0;
	uint32_t crc;
	uint8_t *copy;

	if (header.codec == PACKET_RAW) {
		while (at < size && count < RECORDS_MAX) {
			at += bytes[at + offsetof(struct kmt_record, words)] * (size_t)KMT_WORD;
			count++;
		}
		header.records = (uint32_t)count;
		header.content_bits = header.packet_bits = at * 8;
		size = at;
	}
	header.crc = 0;
	if (swap)
		packet_header_swap(&header);
	copy = malloc(size);
	if (!copy)
		exit(2);
	memcpy(copy, bytes, size);
	memcpy(copy, &header, sizeof(header));
	crc = libdeflate_crc32(0, copy, size);
	header.crc = swap ? bswap_32(crc) : crc;
	memcpy(copy, &header, sizeof(header));
	fwrite(copy, 1, size, stdout);
	free(copy);
}

static void put_stream(const uint8_t *bytes, size_t size)
{
	struct packet_header header;

	for (size_t at = 0, count = 0; size - at >= sizeof(header); count++) {
		bool swap;

		memcpy(&header, bytes + at, sizeof(header));
		swap = header.magic != PACKET_MAGIC;
		if (swap)
			packet_header_swap(&header);
		/* the last packet has the counters of the end */
		if (count < PACKETS_MAX || at + header.packet_bits / 8 >= size)
			put_packet(bytes + at, header, swap);
		at += header.packet_bits / 8;
	}
}

/* Whole lines. */
static void put_whole_lines(const uint8_t *bytes, size_t size, size_t max)
{
	if (size > max)
		size = max;
	while (size && bytes[size - 1] != '\n')
		size--;
	fwrite(bytes, 1, size, stdout);
}

static int put_capture(const char *directory)
{
	for (size_t i = 0; i < fuzz_name_count; i++) {
		size_t size;
		uint8_t *bytes = read_whole(directory, fuzz_names[i], &size);

		if (!bytes)
			continue;
		fwrite(FUZZ_MARK, 1, FUZZ_MARK_BYTES, stdout);
		putchar((int)i);
		if (!strncmp(fuzz_names[i], "cpu", 3))
			put_stream(bytes, size);
		else
			put_whole_lines(bytes, size, i == 0 ? FILE_MAX : TEXT_MAX);
		free(bytes);
	}
	return 0;
}

static size_t get_number(const uint8_t **at)
{
	size_t number = 0;
	unsigned int shift = 0;

	do
		number |= (size_t)(**at & 0x7f) << shift, shift += 7;
	while (*(*at)++ & 0x80);
	return number;
}

static void put_part(const uint8_t *bytes, size_t size)
{
	fwrite(bytes, 1, size, stdout);
	fwrite(FUZZ_MARK, 1, FUZZ_MARK_BYTES, stdout);
}

/* As the target packed reads them: how, the number of records, the columns. */
static void put_columns(const struct packet_header *header, const uint8_t *body, size_t size,
			bool swap)
{
	struct libdeflate_decompressor *inflate = libdeflate_alloc_decompressor();
	uint8_t *columns = malloc(FILE_MAX);
	bool has_long = header->codec == PACKET_PACKED_LONG;
	size_t sizes[PACKED_DEFLATED] = { 0 }, more = 0, wide, used, got;
	const uint8_t *begin = body, *at = body;

	if (has_long)
		more = get_number(&at);
	for (size_t i = 0; i < PACKED_DEFLATED; i++)
		if (i != PACKED_MORE || has_long)
			sizes[i] = get_number(&at);
	wide = get_number(&at);
	body = at;
	at += wide;
	size -= wide + (size_t)(body - begin);
	if (!inflate || !columns ||
	    libdeflate_deflate_decompress_ex(inflate, at, size, columns, FILE_MAX, &used, &got))
		exit(2);
	putchar(4 | (has_long ? 2 : 0) | swap);
	putchar((int)(header->records & 0xff));
	putchar((int)(header->records >> 8));
	if (has_long)
		putchar((int)more);
	got = 0;
	for (size_t i = 0; i < PACKED_DEFLATED; i++) {
		if (i != PACKED_MORE || has_long)
			put_part(columns + got, sizes[i]);
		got += sizes[i];
	}
	put_part(body, wide);
	libdeflate_free_decompressor(inflate);
	free(columns);
}

/* 1: the stream has no such packet. */
static int put_packed(const char *path, size_t number)
{
	struct packet_header header;
	size_t size;
	uint8_t *bytes = read_whole("", path, &size);

	if (!bytes)
		return 2;
	for (size_t at = 0; size - at >= sizeof(header); at += header.packet_bits / 8) {
		bool swap;

		memcpy(&header, bytes + at, sizeof(header));
		swap = header.magic != PACKET_MAGIC;
		if (swap)
			packet_header_swap(&header);
		if (header.codec == PACKET_RAW || number--)
			continue;
		put_columns(&header, bytes + at + sizeof(header),
			    header.content_bits / 8 - sizeof(header), swap);
		free(bytes);
		return 0;
	}
	free(bytes);
	return 1;
}

/* As the target stats_file reads it: runs of zeros are short. */
static int put_stats(const char *path)
{
	size_t size, at = 0;
	uint8_t *bytes = read_whole("", path, &size);

	if (!bytes)
		return 2;
	while (at < size) {
		size_t zeros = 0;

		while (at + zeros < size && !bytes[at + zeros] && zeros < 254 * 16)
			zeros++;
		if (!zeros) {
			putchar(bytes[at++]);
			continue;
		}
		putchar(0);
		if (zeros < 16)
			zeros = 1;
		putchar(zeros < 16 ? 0 : (int)(zeros / 16));
		at += zeros < 16 ? 1 : zeros / 16 * 16;
	}
	putchar(0);
	putchar(255);
	free(bytes);
	return 0;
}

/* For two CPUs and four types of each kind: see place_of() in fuzz_stats_file.c. */
static int publish_types(const struct type_stats *type_stats, const char *path)
{
	const struct stats_file_settings settings = {
		.path = path, .group = (gid_t)-1, .cpus = 2, .types_max = { 4, 4 }
	};
	struct stats_file *stats_file;
	struct error error = { 0 };
	int code;

	if (stats_file_create(&stats_file, &settings, &error)) {
		fprintf(stderr, "mkseed: %s\n", error.text);
		return 2;
	}
	for (uint64_t time = 1; time < 4; time++) {
		const struct stats_snapshot snapshot = { .time = time, .paths = "one,two" };

		stats_file_write(stats_file, type_stats, &snapshot);
	}
	code = put_stats(path);
	stats_file_remove(stats_file);
	return code;
}

static int make_stats(const char *directory, const char *path)
{
	struct type_stats type_stats;
	const struct analysis_settings settings = {
		.observers = { { type_stats_on_transition, &type_stats } },
		.observer_count = 1,
	};
	struct analysis analysis;
	struct capture capture;
	int code = 2;

	if (capture_open(&capture, directory))
		return 2;
	if (!type_stats_init(&type_stats, &capture, NULL) &&
	    !analysis_run(&analysis, &capture, &settings)) {
		code = publish_types(&type_stats, path);
		analysis_deinit(&analysis);
	}
	type_stats_deinit(&type_stats);
	capture_close(&capture);
	return code;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "capture"))
		return put_capture(argv[2]);
	if (argc == 4 && !strcmp(argv[1], "packed"))
		return put_packed(argv[2], strtoul(argv[3], NULL, 10));
	if (argc == 4 && !strcmp(argv[1], "stats"))
		return make_stats(argv[2], argv[3]);
	fprintf(stderr, "usage: mkseed capture DIR | packed STREAM N | stats DIR FILE\n");
	return 2;
}
