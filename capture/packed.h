/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The form of packed records, as kmemtrace-capture(5) tells it: columns of variable-length
 * numbers, one after another in one stream of DEFLATE without a frame: the packet has a CRC.
 * Shared by packer and unpacker.
 */
#ifndef CAPTURE_PACKED_H
#define CAPTURE_PACKED_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/format.h"
#include "kernel/record_kinds.h"

/* On disk, in this order; all but the last are deflated. */
enum packed_column {
	PACKED_KINDS,		       /* the dictionary: what many records have in common */
	PACKED_NUMBERS,		       /* where the event numbers do not go on by 1 */
	PACKED_TASKS,		       /* where the task changes */
	PACKED_POINTERS,	       /* objects that no record before names */
	PACKED_BACK,		       /* how many records back the object was named, or 0 */
	PACKED_KIND,		       /* place in the dictionary + 1, or 0: a new entry */
	PACKED_TIMES,		       /* since the record before */
	PACKED_MORE,		       /* further words of long records; not in PACKET_PACKED */
	PACKED_DEFLATED,	       /* so many columns */
	PACKED_WIDE = PACKED_DEFLATED, /* addresses far from others, 8 bytes each */
	PACKED_COLUMNS
};

/*
 * Packer and unpacker have two copies of their inner loops, one for packets without long records.
 * Both copies have the functions that they call inline.
 */
#define PACKED_INLINE static inline __attribute__((always_inline))

#define PACKED_RECORDS_MAX 65536 /* of one packet */
#define PACKED_RECORD_BYTES 80	 /* at most, for each record, in all deflated columns together */
#define PACKED_MORE_BYTES 8	 /* and for each further word of a long record */
#define PACKED_MORE_MAX (PACKET_BYTES_MAX / KMT_WORD) /* further words of one packet */
#define PACKED_NUMBER_BYTES 10			      /* the longest number */
#define PACKED_FAR                                                                  \
	(1ULL << 48) /* differences of addresses, made positive, from which on they \
			are wide: random bytes cost deflate much time for nothing */

/* Small numbers for small differences of either sign: 0, -1, 1, -2, ... are 0, 1, 2, 3, ... */
static inline uint64_t packed_zigzag(uint64_t difference)
{
	return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static inline uint64_t packed_unzigzag(uint64_t number)
{
	return number >> 1 ^ (number & 1 ? UINT64_MAX : 0);
}

/* Objects are aligned to 8 bytes: their differences lose three zero bits. */
static inline uint64_t packed_rotate_pointer(uint64_t pointer)
{
	return pointer >> 3 | pointer << 61;
}

static inline uint64_t packed_unrotate_pointer(uint64_t turned)
{
	return turned << 3 | turned >> 61;
}

/* Bytes 40 to 47 of a record: requested and allocated, or one number. */
static inline bool packed_has_sizes(uint8_t id)
{
	return record_kind_is_one_of(id, RECORD_KINDS_WITH(RECORD_SIZES));
}

/* Older readers take these bytes of every other id for one number. */
_Static_assert(RECORD_KINDS_WITH(RECORD_SIZES) ==
		       (1U << KMT_KMALLOC | 1U << KMT_REALLOC | 1U << KMT_ANONYMOUS_ALLOC),
	       "no later kind has RECORD_SIZES");

#endif
