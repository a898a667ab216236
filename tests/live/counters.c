// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Perf counters of the tracepoints, with a file descriptor for each. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/live/counters.h"

const char *const counters_events[COUNTERS] = { "kmalloc", "kfree", "kmem_cache_alloc",
						"kmem_cache_free" };

void counters_die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(77);
}

static int open_counter(int tracefs, const char *event)
{
	struct perf_event_attr about = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(about) };
	char path[64], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "events/kmem/%s/id", event);
	fd = openat(tracefs, path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		counters_die(path);
	close(fd);
	about.config = strtoull(text, NULL, 10);
	fd = syscall(SYS_perf_event_open, &about, 0, -1, -1, 0);
	if (fd < 0)
		counters_die("perf_event_open");
	return fd;
}

void counters_open(struct counters *counters, int tracefs)
{
	for (int i = 0; i < COUNTERS; i++)
		counters->list[i] = open_counter(tracefs, counters_events[i]);
}

void counters_close(struct counters *counters)
{
	for (int i = 0; i < COUNTERS; i++)
		close(counters->list[i]);
}

static void read_counts(const struct counters *counters, uint64_t *counts)
{
	for (int i = 0; i < COUNTERS; i++)
		if (read(counters->list[i], &counts[i], sizeof(counts[i])) != sizeof(counts[i]))
			counters_die("perf counter");
}

/* Reads the counters again after the clock, until both readings are the same. */
void counters_read(const struct counters *counters, struct counters_reading *reading)
{
	uint64_t again[COUNTERS];
	struct timespec time;

	do {
		read_counts(counters, reading->counts);
		clock_gettime(CLOCK_MONOTONIC, &time);
		read_counts(counters, again);
	} while (memcmp(again, reading->counts, sizeof(again)));
	reading->time = time.tv_sec * 1000000000ULL + time.tv_nsec;
}

uint64_t counters_between(const struct counters_reading *from, const struct counters_reading *to)
{
	uint64_t events = 0;

	for (int i = 0; i < COUNTERS; i++)
		events += to->counts[i] - from->counts[i];
	return events;
}
