/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Small random traces with few addresses, call sites and CPUs, so that each trace has many
 * unusual cases. The same seed makes the same trace.
 */
#ifndef TESTS_UNIT_RANDOM_TRACE_H
#define TESTS_UNIT_RANDOM_TRACE_H

#include <stdint.h>

#include "tests/unit/naive.h"

/* Fills trace, and returns its text for fixture.h; the caller frees it. */
char *random_trace(struct naive_trace *trace, uint64_t seed);

#endif
