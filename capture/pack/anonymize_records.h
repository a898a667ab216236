/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Replaces the addresses in the records of a packet. */
#ifndef CAPTURE_PACK_ANONYMIZE_RECORDS_H
#define CAPTURE_PACK_ANONYMIZE_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/pack/substitutes.h"
#include "capture/reader.h"

struct anonymized_records {
	struct substitutes *substitutes;
	unsigned char *bytes; /* of one packet */
	size_t space;
	uint64_t unknown; /* records of an unknown kind: their own fields are 0 */
	uint64_t cut;	  /* long records that lost the words that this version does not know */
};

/*
 * Makes an anonymized copy of a packet. It is raw, in the byte order of the original, and valid
 * until the next call. 0; -EBADMSG: a record has an impossible size; -ENOMEM; or the error of the
 * substitutes.
 */
int anonymize_packet(struct anonymized_records *records, const struct packet *packet,
		     struct packet *copy);

/* The reason of an -errno of the substitutes. */
const char *anonymize_error_text(int err);

#endif
