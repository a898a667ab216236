/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The format of packed records, described in kmemtrace-capture(5): columns of variable-length
 * numbers, one after another in one DEFLATE stream without a frame, since the packet has a CRC.
 */
#ifndef CAPTURE_PACKED_H
#define CAPTURE_PACKED_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/format.h"
#include "kernel/record_kinds.h"

/* On disk, in this order. All columns except the last are deflated. */
enum packed_column {
	PACKED_TEMPLATES,	       /* the dictionary: the fields that many records share */
	PACKED_NUMBERS,		       /* sequence numbers that are not the last + 1 */
	PACKED_TASKS,		       /* changes of the task */
	PACKED_POINTERS,	       /* objects that are new in the packet */
	PACKED_BACK,		       /* distance to the last record of the object; 0: new */
	PACKED_TEMPLATE_INDEX,	       /* of the dictionary, + 1; 0: a new entry */
	PACKED_TIMES,		       /* ns since the record before */
	PACKED_MORE,		       /* further words of long records; not in PACKET_PACKED */
	PACKED_DEFLATED,	       /* number of deflated columns */
	PACKED_WIDE = PACKED_DEFLATED, /* addresses far from all others, 8 bytes each */
	PACKED_COLUMNS
};

/*
 * Packer and unpacker have two copies of their inner loops, one for packets without long records.
 * Both copies have the functions that they call inline.
 */
#define PACKED_INLINE static inline __attribute__((always_inline))

#define PACKED_RECORDS_MAX 65536 /* of one packet */
#define PACKED_RECORD_BYTES 80	 /* limit for each record, in all deflated columns together */
#define PACKED_MORE_BYTES 8	 /* limit for each further word of a long record */
#define PACKED_MORE_MAX (PACKET_BYTES_MAX / KMT_WORD) /* further words of one packet */
#define PACKED_NUMBER_BYTES 10			      /* the longest number */

/*
 * An address goes to PACKED_WIDE if the absolute value of its difference is this or more: to
 * deflate random bytes takes long and saves nothing.
 */
#define PACKED_FAR (1ULL << 48)

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

static inline uint64_t packed_unrotate_pointer(uint64_t rotated)
{
	return rotated << 3 | rotated >> 61;
}

/* Is the payload, bytes 40 to 47 of a record, requested and allocated? Else it is one number. */
static inline bool packed_has_sizes(uint8_t id)
{
	return record_kind_is_one_of(id, RECORD_KINDS_WITH(RECORD_SIZES));
}

/* Older readers take the payload of every other id for one number. */
_Static_assert(RECORD_KINDS_WITH(RECORD_SIZES) ==
		       (1U << KMT_KMALLOC | 1U << KMT_REALLOC | 1U << KMT_ANONYMOUS_ALLOC),
	       "no later kind has RECORD_SIZES");

#endif
