/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packs or unpacks one stream into a new file. */
#ifndef CAPTURE_PACK_CONVERT_H
#define CAPTURE_PACK_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct anonymized_records;
struct packer;
struct progress_line;
struct unpacker;

struct convert {
	bool unpack;
	struct packer *packer;
	struct unpacker *unpacker;		     /* to verify each packed packet */
	struct anonymized_records *anonymized;	     /* NULL: nothing is replaced */
	struct progress_line *line;		     /* or NULL */
	uint64_t bytes;				     /* of all streams */
	uint64_t records, bytes_before, bytes_after; /* of all streams so far */
	uint64_t changed;			     /* packets */
	uint64_t damaged_bytes; /* that are not packets: copied, unless addresses are replaced */
	struct error error;	/* after a failure */
};

/* 0 or -errno with error set. */
int convert_init(struct convert *convert, bool unpack);
void convert_deinit(struct convert *convert);

/*
 * Writes the stream, packed or unpacked, to the empty file fd, and waits until it is on disk. in:
 * the stream, open for reading, which is closed. path, name: of both files, for messages. Bytes
 * that are not packets, and packets that would not get smaller, are copied; with anonymized, bytes
 * that are not packets are left out. 0 or -errno with error set; -EINTR: a signal asked to stop.
 */
int convert_stream(struct convert *convert, int in, const char *path, int fd, const char *name);

#endif
