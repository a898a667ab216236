// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Prints the number of records in the whole packets of a stream, by kmemtrace-capture(5) alone:
 * this shares no code with the readers that it checks.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MAGIC 0xc1fc1fc1u
#define HEADER_BYTES 112
#define AT_PACKET_BITS 48
#define AT_RECORDS 76

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "re") : NULL;
	unsigned char header[HEADER_BYTES];
	uint64_t records = 0, bits, size, at = 0;
	uint32_t magic, count;

	if (!file || fseek(file, 0, SEEK_END))
		return 2;
	size = (uint64_t)ftell(file);
	while (at + HEADER_BYTES <= size) {
		if (fseek(file, (long)at, SEEK_SET) || fread(header, sizeof(header), 1, file) != 1)
			return 2;
		memcpy(&magic, header, sizeof(magic));
		memcpy(&bits, header + AT_PACKET_BITS, sizeof(bits));
		memcpy(&count, header + AT_RECORDS, sizeof(count));
		if (magic != MAGIC || bits / 8 < HEADER_BYTES || bits / 8 > size - at)
			break;
		records += count;
		at += bits / 8;
	}
	fclose(file);
	printf("%" PRIu64 "\n", records);
	return 0;
}
