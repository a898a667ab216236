// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Checks that the stream of one CPU goes on from piece to piece: pieces CPU PIECE... Each sequence
 * number is there once, or counts as lost. By kmemtrace-capture(5) alone: this shares no code with
 * the readers that it checks. Prints the numbers of records and of lost events.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC 0xc1fc1fc1u

struct header {
	uint32_t magic, stream;
	uint8_t uuid[16];
	uint64_t time_first, time_last, content_bits, packet_bits, lost, number;
	uint32_t cpu, records;
	uint64_t sequence_first, sequence_end, skipped;
	uint16_t codec, version;
	uint32_t crc;
};

struct record {
	uint64_t time;
	uint8_t id, words;
	uint16_t node;
	uint32_t sequence;
};

static uint8_t *seen; /* a bit for each number */
static uint64_t seen_bytes;
static uint64_t next, time_last; /* of the piece before */
static uint64_t records, lost;
static bool has_begun;

static int complain_of(const char *path, const char *what, uint64_t number)
{
	printf("%s: %s: %" PRIu64 "\n", path, what, number);
	exit(1);
}

static void see_number(const char *path, uint64_t number)
{
	if (number / 8 >= seen_bytes) {
		uint64_t grown = number / 8 * 2 + 4096;

		seen = realloc(seen, grown);
		if (!seen)
			exit(2);
		memset(seen + seen_bytes, 0, grown - seen_bytes);
		seen_bytes = grown;
	}
	if (seen[number / 8] & 1 << number % 8)
		complain_of(path, "a number twice", number);
	seen[number / 8] |= (uint8_t)(1 << number % 8);
}

static void check_records(const char *path, const struct header *header, const uint8_t *at,
			  uint64_t first)
{
	struct record record;

	for (uint32_t i = 0; i < header->records; i++, at += record.words * 8) {
		uint64_t number;

		memcpy(&record, at, sizeof(record));
		number = header->sequence_first +
			 (uint32_t)(record.sequence - (uint32_t)header->sequence_first);
		if (number < first || number >= header->sequence_end)
			complain_of(path, "a number of another piece or packet", number);
		if (record.time < time_last)
			complain_of(path, "a step back in time", record.time);
		time_last = record.time;
		see_number(path, number);
	}
}

static void check_piece(const char *path, const uint8_t *at, uint64_t size)
{
	uint64_t first = 0, count = 0, packets = 0;
	struct header header = { 0 };

	for (const uint8_t *end = at + size; at < end; at += header.packet_bits / 8, packets++) {
		if ((uint64_t)(end - at) < sizeof(header))
			complain_of(path, "bytes at the end", (uint64_t)(end - at));
		memcpy(&header, at, sizeof(header));
		if (header.magic != MAGIC || header.codec ||
		    header.packet_bits / 8 > (uint64_t)(end - at))
			complain_of(path, "no packet", packets);
		if (!packets) {
			first = header.sequence_first;
			if (header.records || header.lost || header.sequence_end != first)
				complain_of(path, "a first packet with events", header.records);
			if (has_begun && first != next)
				complain_of(path, "begins with another number", first);
			if (has_begun && header.time_first != time_last)
				complain_of(path, "begins at another time", header.time_first);
		}
		if (header.time_first < time_last)
			complain_of(path, "a packet steps back in time", header.time_first);
		check_records(path, &header, at + sizeof(header), first);
		count += header.records;
		if (header.time_last < time_last)
			complain_of(path, "a packet ends before its records", header.time_last);
		time_last = header.time_last;
	}
	if (!packets)
		complain_of(path, "no packets", 0);
	if (count + header.lost != header.sequence_end - first)
		complain_of(path, "records and lost events are not all numbers", count);
	next = header.sequence_end;
	records += count;
	lost += header.lost;
	has_begun = true;
}

int main(int argc, char **argv)
{
	for (int i = 2; i < argc; i++) {
		char path[4096];
		uint8_t *bytes;
		FILE *file;
		long size;

		snprintf(path, sizeof(path), "%s/cpu%s", argv[i], argv[1]);
		file = fopen(path, "re");
		if (!file || fseek(file, 0, SEEK_END))
			complain_of(path, "cannot be read", 0);
		size = ftell(file);
		rewind(file);
		bytes = malloc((size_t)size + 1);
		if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size)
			complain_of(path, "cannot be read", (uint64_t)size);
		fclose(file);
		check_piece(path, bytes, (uint64_t)size);
		free(bytes);
	}
	printf("records %" PRIu64 "\nlost %" PRIu64 "\n", records, lost);
	return 0;
}
