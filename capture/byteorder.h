/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Swaps the bytes of packet headers and records from a machine of the other byte order. */
#ifndef CAPTURE_BYTEORDER_H
#define CAPTURE_BYTEORDER_H

#include <stddef.h>
#include <stdint.h>

#include "capture/format.h"

void packet_header_swap(struct packet_header *header);

/* Swaps the first 48 bytes. The payload, the last 8 of them, is one number or two, by the kind. */
void record_swap(struct kmt_record *record);

/* Copies the further words of a long record: each is one number. */
void record_swap_more(uint64_t *copy, const uint64_t *more, size_t count);

#endif
