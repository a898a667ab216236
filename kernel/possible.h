/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Values that no kernel reports of its slab allocator: such a record is damaged. */
#ifndef KERNEL_POSSIBLE_H
#define KERNEL_POSSIBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/record.h"

#define ERRNO_POINTERS 4095   /* the last addresses are errors in the kernel's pointers */
#define FIRST_PAGE_BYTES 4096 /* the kernel maps nothing at the first page */

/* Kernel addresses may be small on some machines (s390x), so a zero high half is legal. */
static inline bool address_is_possible(uint64_t address, unsigned int word_bits)
{
	uint64_t highest = word_bits == 32 ? UINT32_MAX : UINT64_MAX;

	return address >= FIRST_PAGE_BYTES && address <= highest - ERRNO_POINTERS;
}

/* The pointer of an event: 0 is a failed allocation. */
static inline bool pointer_is_possible(uint64_t pointer, unsigned int word_bits)
{
	return !pointer || pointer == KMT_ZERO_SIZE_PTR || address_is_possible(pointer, word_bits);
}

#endif
