/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packed records unpacked by the book, kmemtrace-capture(5): slow, and shares no code. */
#ifndef TESTS_UNIT_NAIVE_UNPACK_H
#define TESTS_UNIT_NAIVE_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/record.h"

/* The number at bytes[*at], which goes on behind it; whatever is wrong ends the test. */
uint64_t naive_number(const unsigned char *bytes, size_t size, size_t *at);

/* 0, or -1: they are not so many records. */
int naive_unpack(const unsigned char *bytes, size_t size, struct kmt_record *records, size_t count);

#endif
