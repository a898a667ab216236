/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* GFP flags of a recording that has only their names: each name gets a bit and a table entry. */
#ifndef CAPTURE_IMPORT_GFP_BITS_H
#define CAPTURE_IMPORT_GFP_BITS_H

#include <stdint.h>

#include "kernel/gfp.h"

struct gfp_bits {
	uint32_t used;	   /* bits that have a name */
	uint64_t left_out; /* flags without a bit, since all were used */
};

/*
 * Converts "GFP_KERNEL|__GFP_ZERO" to bits and adds new names to the table. If the recording has
 * only numbers, a hexadecimal number is returned unchanged. 0 or -ENOMEM.
 */
int gfp_bits_parse(struct gfp_bits *gfp, struct gfp_table *table, const char *text, uint32_t *bits);

#endif
