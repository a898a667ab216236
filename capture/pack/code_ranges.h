/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Moves the kernel and each module as a whole to a random place of an area. Distances within the
 * kernel or within a module stay, so that call sites keep their symbols; distances between them do
 * not. The order stays, so that each symbol keeps the symbol that follows it.
 */
#ifndef CAPTURE_PACK_CODE_RANGES_H
#define CAPTURE_PACK_CODE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/pack/random_numbers.h"
#include "kernel/symbols.h"

struct code_range {
	uint64_t begin, end; /* end: the first address behind it; both are of whole pages */
	uint64_t moved;	     /* the new begin */
	bool of_kernel;	     /* not of a module */
};

struct code_ranges {
	struct code_range *list; /* by address; they do not overlap */
	size_t count;
};

/*
 * Finds the ranges of all symbols and modules, and draws their places in the area of size bytes at
 * base. 0; -ERANGE: they do not fit; -ENOMEM; or the -errno of random_below().
 */
int code_ranges_init(struct code_ranges *ranges, const struct symbols *symbols,
		     struct random_numbers *random, uint64_t base, uint64_t size);
void code_ranges_deinit(struct code_ranges *ranges);

/* The range that contains the address, or NULL. */
const struct code_range *code_ranges_find(const struct code_ranges *ranges, uint64_t address);

#endif
