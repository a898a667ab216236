/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What perf, which is not of our making, counts of a thread's slab events, between moments of the
 * capture's clock. What fails ends the program with a sentence and 77.
 */
#ifndef TESTS_LIVE_COUNTERS_H
#define TESTS_LIVE_COUNTERS_H

#include <stdint.h>

#define COUNTERS 4

extern const char *const counters_events[COUNTERS];

struct counters {
	int list[COUNTERS];
};

struct counters_moment {
	uint64_t time, counts[COUNTERS];
};

__attribute__((noreturn)) void counters_die(const char *what);

/* Of the calling thread; tracefs: as formats_open() gives it. */
void counters_open(struct counters *counters, int tracefs);
void counters_close(struct counters *counters);
void counters_read(const struct counters *counters, struct counters_moment *moment);

#endif
