/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packs the records of a packet. */
#ifndef CAPTURE_PACKER_H
#define CAPTURE_PACKER_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/format.h"

struct packer;

/* 0 or -ENOMEM. One serves any number of streams, one thread at a time. */
int packer_create(struct packer **packer);
void packer_destroy(struct packer *packer); /* takes NULL */

/*
 * Packs count records that lie one after another; swap: not in this machine's byte order. Returns
 * the packet: room for its header, which the caller fills in, and what is packed; size is that of
 * both, and the bytes last until the next call. NULL: the records stay raw, since packed they
 * would not be smaller, are more than PACKET_RECORDS_MAX, or one of them is longer than this
 * version's.
 */
unsigned char *packer_pack(struct packer *packer, const void *records, size_t count, bool swap,
			   size_t *size);

#endif
