/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* GFP flags that a recording tells by name only: each name gets a bit, and the table says which. */
#ifndef IMPORT_FLAGS_H
#define IMPORT_FLAGS_H

#include <stdint.h>

#include "kernel/gfp.h"

struct flags {
	uint32_t used;	   /* bits given out */
	uint64_t left_out; /* flags for which no bit was left */
};

/*
 * The bits of "GFP_KERNEL|__GFP_ZERO", whose names are added to table; a number in hex stays what
 * it is if the recording tells numbers only. 0 or -ENOMEM.
 */
int flags_parse(struct flags *flags, struct gfp_table *table, const char *text, uint32_t *bits);

#endif
