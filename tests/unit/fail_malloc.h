/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes allocations fail, in programs that are linked with --wrap=malloc, calloc and realloc. It
 * does not affect calls within the C library.
 */
#ifndef TESTS_UNIT_FAIL_MALLOC_H
#define TESTS_UNIT_FAIL_MALLOC_H

#include <stdbool.h>
#include <stddef.h>

/* The next `calls` allocations succeed. All later ones fail, until fail_never(). */
void fail_after(size_t calls);

/* The next `calls` allocations succeed, the one after them fails, and all later ones succeed. */
void fail_once_after(size_t calls);

/* All calls succeed again. Returns the number of calls since, and whether one of them failed. */
size_t fail_never(bool *failed);

#endif
