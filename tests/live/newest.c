// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Prints the time of a stream's last record (ns). */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "capture/reader.h"

int main(int argc, char **argv)
{
	struct stream stream;
	struct packet packet;
	uint64_t newest = 0;

	if (argc != 2 || stream_open(&stream, argv[1]))
		return 2;
	while (stream_next(&stream, &packet) == 1)
		if (packet.header.records)
			newest = packet.header.time_last;
	stream_close(&stream);
	printf("%" PRIu64 "\n", newest);
	return 0;
}
