/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packs the records of a packet. */
#ifndef CAPTURE_PACKER_H
#define CAPTURE_PACKER_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/format.h"

struct packer;

/* 0 or -ENOMEM. A packer can serve several streams, but one thread at a time. */
int packer_create(struct packer **packer);
void packer_destroy(struct packer *packer); /* takes NULL */

struct packed_packet {
	unsigned char *bytes; /* room for the header, which the caller fills in, then the body */
	size_t size;	      /* of both */
	enum packet_codec codec;
};

/*
 * Packs count records, size bytes one after another; swap: not in this machine's byte order. The
 * packed bytes last until the next call. False: the records stay raw, since packed they would
 * not be smaller, or they are more than PACKET_RECORDS_MAX or PACKET_RECORDS_BYTES_MAX, or their
 * words do not add up to size.
 */
bool packer_pack(struct packer *packer, const void *records, size_t size, size_t count, bool swap,
		 struct packed_packet *packed);

#endif
