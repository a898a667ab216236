/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Random numbers of the kernel, which cannot be predicted or computed again. */
#ifndef CAPTURE_PACK_RANDOM_NUMBERS_H
#define CAPTURE_PACK_RANDOM_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

#define RANDOM_NUMBERS_AT_ONCE 64

/* All zero is a valid start. */
struct random_numbers {
	uint64_t numbers[RANDOM_NUMBERS_AT_ONCE];
	size_t left; /* of numbers */
};

/* A number from 0 to limit - 1, each as likely as the others. 0 or -errno. */
int random_below(struct random_numbers *random, uint64_t limit, uint64_t *number);

#endif
