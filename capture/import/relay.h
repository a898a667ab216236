/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One relay file of a kmemtrace kernel (ABI 1) is a sequence of records:
 *	u8 event, u8 type, u16 size, s32 sequence, u64 call site, u64 pointer
 * and in an allocation also
 *	u64 requested, u64 allocated, u32 gfp, s32 node
 * in the byte order of its machine. size is the size of the whole record. The bytes behind these
 * fields are features, {u16 size, u8 id, data}, which are ignored.
 */
#ifndef CAPTURE_IMPORT_RELAY_H
#define CAPTURE_IMPORT_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum relay_event_id {
	RELAY_ALLOC = 0,
	RELAY_FREE = 1,
};

enum relay_type {
	RELAY_KMALLOC = 0,
	RELAY_CACHE = 1,
	RELAY_PAGES = 2,
};

#define RELAY_CORE 24  /* bytes of a free */
#define RELAY_WHOLE 48 /* of an allocation */

struct relay_record {
	uint8_t event, type;
	uint16_t size;
	uint32_t sequence;
	uint64_t call_site, pointer, requested, allocated;
	uint32_t gfp;
	int32_t node;
};

/* Records in bytes, from at on. */
struct relay_bytes {
	const unsigned char *at, *end;
	bool big_endian;
	bool last;	  /* nothing follows end */
	bool out_of_sync; /* the bytes before at are not a record */
	uint64_t damaged; /* bytes that are not part of a record */
	uint64_t cut;	  /* bytes of an incomplete record at the end of the file */
};

/*
 * Reads the next record and ignores damaged bytes in front of it. False: no whole record is left;
 * unless last is set, more bytes must be added behind end.
 */
bool relay_next(struct relay_bytes *bytes, struct relay_record *record);

/* How many records the bytes have when they are read in this byte order. */
size_t relay_count(const unsigned char *bytes, size_t size, bool big_endian);

struct relay_file {
	FILE *file;
	unsigned char *buffer;
	struct relay_bytes bytes;
	bool failed; /* a read failed; errno has the error */
};

int relay_open(struct relay_file *relay, const char *path, bool big_endian); /* 0 or -errno */
void relay_close(struct relay_file *relay);
bool relay_read(struct relay_file *relay, struct relay_record *record);

#endif
