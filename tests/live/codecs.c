// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Prints how many packets with records of a stream are raw, and how many are packed. */
#include "config.h"

#include <stdio.h>

#include "capture/reader.h"

int main(int argc, char **argv)
{
	unsigned int counts[PACKET_CODEC_END] = { 0 };
	struct stream stream;
	struct packet packet;
	int more;

	if (argc != 2 || stream_open(&stream, argv[1]))
		return 2;
	while ((more = stream_next(&stream, &packet)) == 1)
		if (packet.header.records)
			counts[packet.header.codec]++;
	stream_close(&stream);
	printf("%u %u\n", counts[PACKET_RAW], counts[PACKET_PACKED] + counts[PACKET_PACKED_LONG]);
	return more ? 1 : 0;
}
