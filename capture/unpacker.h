/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Unpacks the records of a packed packet, whatever its bytes are. */
#ifndef CAPTURE_UNPACKER_H
#define CAPTURE_UNPACKER_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/record.h"

struct unpacker;

/* 0 or -ENOMEM. */
int unpacker_create(struct unpacker **unpacker);
void unpacker_destroy(struct unpacker *unpacker); /* takes NULL */

/*
 * Unpacks what lies behind a packet's header; swap: the records shall not be in this machine's
 * byte order. They last until the next call. 0; -EBADMSG: the bytes are not count records; or
 * -ENOMEM: it takes at most 176 bytes for each, and PACKED_RECORDS_MAX of them.
 */
int unpacker_unpack(struct unpacker *unpacker, const void *bytes, size_t size, size_t count,
		    bool swap, const struct kmt_record **records);

#endif
