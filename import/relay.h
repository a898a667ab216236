/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One relay file of a kmemtrace kernel (ABI 1): a record after the other of
 *	u8 event, u8 type, u16 size, s32 sequence, u64 call site, u64 pointer
 * and of an allocation also
 *	u64 requested, u64 allocated, u32 gfp, s32 node
 * in the byte order of its machine. size is that of the whole record; what it has more than these
 * are features, {u16 size, u8 id, data}, which are passed over.
 */
#ifndef IMPORT_RELAY_H
#define IMPORT_RELAY_H

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
	bool astray;	  /* what came last was no record */
	uint64_t damaged; /* bytes that were passed over */
	uint64_t cut;	  /* bytes of half a record at the very end */
};

/*
 * Takes the next record off; passes over what is none. False: there is no whole one, and what is
 * left, from at on, needs more behind it, if it is not the last.
 */
bool relay_next(struct relay_bytes *bytes, struct relay_record *record);

/* How many records the bytes have when they are read in this byte order. */
size_t relay_count(const unsigned char *bytes, size_t size, bool big_endian);

struct relay_file {
	FILE *file;
	unsigned char *buffer;
	struct relay_bytes bytes;
	bool failed; /* in reading; errno tells why */
};

int relay_open(struct relay_file *relay, const char *path, bool big_endian); /* 0 or -errno */
void relay_close(struct relay_file *relay);
bool relay_read(struct relay_file *relay, struct relay_record *record);

#endif
