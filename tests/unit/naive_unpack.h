/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A simple unpacker, written from kmemtrace-capture(5). It shares no code with capture/. */
#ifndef TESTS_UNIT_NAIVE_UNPACK_H
#define TESTS_UNIT_NAIVE_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/record.h"

/* The number at bytes[*at]; advances *at. A number that is cut off or too long fails the test. */
uint64_t naive_number(const unsigned char *bytes, size_t size, size_t *at);

/* records: space for all. Returns 0; -1: the bytes are not exactly this number of records. */
int naive_unpack(const unsigned char *bytes, size_t size, unsigned int codec, void *records,
		 size_t count);

#endif
