/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records to pack and unpack in tests: typical, random, extreme and long ones, and a check that
 * packing restores them. Any failure ends the test.
 */
#ifndef TESTS_UNIT_PACKING_H
#define TESTS_UNIT_PACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/packed.h"
#include "capture/packer.h"
#include "capture/unpacker.h"

#define PACKING_RECORDS PACKET_RECORDS_MAX
#define PACKING_HEADER sizeof(struct packet_header)

struct packing {
	struct packer *packer;
	struct unpacker *unpacker;
	struct kmt_record records[PACKING_RECORDS], swapped[PACKING_RECORDS],
		naive[PACKING_RECORDS]; /* fewer if some are long */
	size_t size;			/* bytes of all records */
	enum packet_codec codec;	/* of the bytes */
	unsigned char bytes[PACKING_HEADER + PACKING_RECORDS * sizeof(struct kmt_record)];
	unsigned char columns[PACKING_RECORDS *
			      (PACKED_RECORD_BYTES + KMT_RECORD_WORDS * PACKED_MORE_BYTES)];
	uint64_t state; /* of packing_random() */
};

/* For cmocka: *state is the struct packing. */
int packing_setup(void **state);
int packing_teardown(void **state);

/* Pseudo-random numbers, the same on every machine; below end. */
uint64_t packing_random(struct packing *packing);
uint64_t packing_random_below(struct packing *packing, uint64_t end);

/* These fill packing->records. Typical: few call sites, short lifetimes, increasing times. */
void packing_make_typical(struct packing *packing, size_t count);
void packing_make_random(struct packing *packing, size_t count);
/* Values at the limits of the packed format. */
void packing_make_extreme(struct packing *packing, size_t count);

/*
 * Makes each record longer whose index is a multiple of every, to 7 words or more, if there is
 * space. Some of these have a known id, others an unknown one. Most further words are close to
 * those of the previous record of the same kind; the others are random.
 */
void packing_make_long(struct packing *packing, size_t count, size_t every);

/* Unpacks the bytes, which have the codec packing->codec. */
int packing_unpack(struct packing *packing, const void *bytes, size_t size, size_t count, bool swap,
		   const struct kmt_record **back, size_t *back_size);

/*
 * Packs, unpacks and compares the records, in both byte orders and with the naive unpacker. Returns
 * the size of the packed bytes, which are in packing->bytes; 0: the records stay raw.
 */
size_t packing_check(struct packing *packing, size_t count);
size_t packing_check_long(struct packing *packing, size_t count, size_t records_size);

#endif
