// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Swaps the bytes of packet headers and records from a machine of the other byte order. */
#include "config.h"

#include <byteswap.h>

#include "capture/byteorder.h"
#include "capture/packed.h"

void packet_header_swap(struct packet_header *header)
{
	header->magic = bswap_32(header->magic);
	header->stream_id = bswap_32(header->stream_id);
	header->time_first = bswap_64(header->time_first);
	header->time_last = bswap_64(header->time_last);
	header->content_bits = bswap_64(header->content_bits);
	header->packet_bits = bswap_64(header->packet_bits);
	header->lost = bswap_64(header->lost);
	header->number = bswap_64(header->number);
	header->cpu = bswap_32(header->cpu);
	header->records = bswap_32(header->records);
	header->sequence_first = bswap_64(header->sequence_first);
	header->sequence_end = bswap_64(header->sequence_end);
	header->skipped = bswap_64(header->skipped);
	header->codec = bswap_16(header->codec);
	header->version = bswap_16(header->version);
	header->crc = bswap_32(header->crc);
}

void record_swap(struct kmt_record *record)
{
	record->time = bswap_64(record->time);
	record->node = (int16_t)bswap_16((uint16_t)record->node);
	record->sequence = bswap_32(record->sequence);
	record->pointer = bswap_64(record->pointer);
	record->call_site = bswap_64(record->call_site);
	record->task = bswap_32(record->task);
	record->gfp = bswap_32(record->gfp);
	if (packed_has_sizes(record->id)) {
		record->requested = bswap_32(record->requested);
		record->allocated = bswap_32(record->allocated);
	} else {
		record->cache = bswap_64(record->cache);
	}
}

void record_swap_more(uint64_t *copy, const uint64_t *more, size_t count)
{
	for (size_t i = 0; i < count; i++)
		copy[i] = bswap_64(more[i]);
}
