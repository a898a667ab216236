/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts a thread's slab events with perf, which is independent of kmemtrace, and reads the clock
 * of captures with the counters. Any failure ends the program with a message and exit status 77.
 */
#ifndef TESTS_LIVE_COUNTERS_H
#define TESTS_LIVE_COUNTERS_H

#include <stdint.h>

#define COUNTERS 4

extern const char *const counters_events[COUNTERS];

struct counters {
	int list[COUNTERS];
};

struct counters_reading {
	uint64_t time, counts[COUNTERS];
};

__attribute__((noreturn)) void counters_die(const char *what);

/* Opens the counters of the calling thread. tracefs: from formats_open(). */
void counters_open(struct counters *counters, int tracefs);
void counters_close(struct counters *counters);
void counters_read(const struct counters *counters, struct counters_reading *reading);
/* The number of events of all counters between two readings. */
uint64_t counters_between(const struct counters_reading *from, const struct counters_reading *to);

#endif
