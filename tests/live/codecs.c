// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Prints how many packets with records of a stream are raw, and how many are packed; and how many
 * records and bytes the packed ones have.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "capture/reader.h"

int main(int argc, char **argv)
{
	uint64_t raw = 0, packed = 0, records = 0, bytes = 0;
	struct stream stream;
	struct packet packet;
	int more;

	if (argc != 2 || stream_open(&stream, argv[1]))
		return 2;
	while ((more = stream_next(&stream, &packet)) == 1)
		if (packet.header.records && packet.header.codec == PACKET_RAW) {
			raw++;
		} else if (packet.header.records) {
			packed++;
			records += packet.header.records;
			bytes += packet.header.packet_bits / 8;
		}
	stream_close(&stream);
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", raw, packed, records, bytes);
	return more ? 1 : 0;
}
