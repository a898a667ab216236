// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * perfdata FILE: prints the number of samples in a perf.data file, and the number of lost events
 * that perf recorded. perf report --stats prints the same, but takes a hundred times as long.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* the words of the header of perf.data with the offset and size of the records */
struct file_header {
	char magic[8];
	uint64_t size, attribute_size, attributes, attributes_size, data, data_size;
};

struct counts {
	uint64_t samples, lost;
};

#define RECORD_MAX 65536

/* 0 or -errno; the file position is then the first record. */
static int count_records(FILE *file, uint64_t bytes, struct counts *counts)
{
	static unsigned char body[RECORD_MAX];
	struct perf_event_header header;
	uint64_t lost;
	size_t rest;

	while (bytes >= sizeof(header)) {
		if (fread(&header, sizeof(header), 1, file) != 1)
			return -EBADMSG;
		if (header.size < sizeof(header) || header.size > bytes)
			return -EBADMSG;
		rest = header.size - sizeof(header);
		if (rest && fread(body, rest, 1, file) != 1)
			return -EBADMSG;
		bytes -= header.size;
		if (header.type == PERF_RECORD_SAMPLE) {
			counts->samples++;
		} else if (header.type == PERF_RECORD_LOST && rest >= 2 * sizeof(lost)) {
			/* the id of the event, then the number of lost events */
			memcpy(&lost, body + sizeof(lost), sizeof(lost));
			counts->lost += lost;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct file_header header;
	struct counts counts = { 0 };
	int err = 0;
	FILE *file;

	if (argc != 2) {
		fprintf(stderr, "usage: perfdata FILE\n");
		return 2;
	}
	file = fopen(argv[1], "r");
	if (!file || fread(&header, sizeof(header), 1, file) != 1 ||
	    memcmp(header.magic, "PERFILE2", sizeof(header.magic)) || !header.data_size)
		err = file ? -EBADMSG : -errno;
	if (!err && fseeko(file, (off_t)header.data, SEEK_SET))
		err = -errno;
	if (!err)
		err = count_records(file, header.data_size, &counts);
	if (file)
		fclose(file);
	if (err) {
		fprintf(stderr, "perfdata: %s: not a complete perf.data file: %s\n", argv[1],
			strerror(-err));
		return 2;
	}
	printf("samples %" PRIu64 "\nlost %" PRIu64 "\n", counts.samples, counts.lost);
	return 0;
}
