/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Small traces by chance, as full of accidents as a few addresses, call sites and CPUs can make
 * them. The same seed makes the same trace.
 */
#ifndef TESTS_UNIT_RANDOM_TRACE_H
#define TESTS_UNIT_RANDOM_TRACE_H

#include <stdint.h>

#include "tests/unit/naive.h"

/* Fills trace; the text, as fixture.h has it, is to be freed. */
char *random_trace(struct naive_trace *trace, uint64_t seed);

#endif
