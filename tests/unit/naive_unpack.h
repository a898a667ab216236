/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Unpacks packed records as kmemtrace-capture(5) describes: slow, and shares no code. */
#ifndef TESTS_UNIT_NAIVE_UNPACK_H
#define TESTS_UNIT_NAIVE_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/record.h"

/* The number at bytes[*at], which goes on behind it; a number that is cut off or too long ends the
 * test. */
uint64_t naive_number(const unsigned char *bytes, size_t size, size_t *at);

/* Into records, which has room for all. 0, or -1: the bytes are not so many records. */
int naive_unpack(const unsigned char *bytes, size_t size, unsigned int codec, void *records,
		 size_t count);

#endif
