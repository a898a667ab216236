/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Unpacks the records of a packed packet. Its bytes are untrusted. */
#ifndef CAPTURE_UNPACKER_H
#define CAPTURE_UNPACKER_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/format.h"

struct unpacker;

/* 0 or -ENOMEM. */
int unpacker_create(struct unpacker **unpacker);
void unpacker_destroy(struct unpacker *unpacker); /* takes NULL */

/*
 * Unpacks the body of a packet, body_size bytes behind its header; swap: makes records that are not
 * in this machine's byte order. Uses the header's codec and records. The records, size bytes one
 * after another, last until the next call. 0; -EBADMSG: the body is damaged, and size is how many
 * bytes it claims; or -ENOMEM. It allocates at most 192 bytes for each of PACKED_RECORDS_MAX
 * records, and 16 for each of PACKED_MORE_MAX further words of long records.
 */
int unpacker_unpack(struct unpacker *unpacker, const struct packet_header *header, const void *body,
		    size_t body_size, bool swap, const struct kmt_record **records, size_t *size);

#endif
