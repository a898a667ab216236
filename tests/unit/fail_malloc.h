/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory that runs out: for programs that are linked with --wrap=malloc, calloc and realloc. Calls
 * from within the C library are not seen.
 */
#ifndef TESTS_UNIT_FAIL_MALLOC_H
#define TESTS_UNIT_FAIL_MALLOC_H

#include <stdbool.h>
#include <stddef.h>

/* The next calls succeed, as many as that, and all behind them fail until fail_never(). */
void fail_after(size_t calls);

/* Only the call behind those fails. */
void fail_once_after(size_t calls);

/* All succeed again. How many calls there were since, and whether one of them failed. */
size_t fail_never(bool *failed);

#endif
