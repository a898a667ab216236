// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs a workload and prints its CPU time, including its children, and the total CPU time of this
 * process. With --count it also prints the number of slab events, in a separate run, since counting
 * takes time too. With --paced it runs the workload TIMES a second, evenly, for some seconds. With
 * --slices it runs the workload for each line of the standard input, and
 * prints the CPU time of each run.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bench/works.h"
#include "tracer/load/formats.h"

#define EVENTS 4
#define TICKS 100 /* in a second */
#define NSEC_PER_SEC 1000000000

static const char *const events[EVENTS] = { "kmem/kmalloc", "kmem/kfree", "kmem/kmem_cache_alloc",
					    "kmem/kmem_cache_free" };

static int fail_workload(const char *what, int err)
{
	fprintf(stderr, "workload: %s: %s\n", what, strerror(-err));
	return 2;
}

/* Opens counters of this task and of its later children. 0 or -errno. */
static int open_counters(int counters[EVENTS])
{
	struct perf_event_attr about = { .type = PERF_TYPE_TRACEPOINT,
					 .size = sizeof(about),
					 .inherit = 1 };
	int tracefs = formats_open();

	if (tracefs < 0)
		return tracefs;
	for (int i = 0; i < EVENTS; i++) {
		long id = formats_id(tracefs, events[i]);

		if (id < 0)
			return -ENOENT;
		about.config = (uint64_t)id;
		counters[i] = (int)syscall(SYS_perf_event_open, &about, 0, -1, -1, 0);
		if (counters[i] < 0)
			return -errno;
	}
	close(tracefs);
	return 0;
}

static uint64_t counted_events(const int counters[EVENTS])
{
	uint64_t sum = 0, count;

	for (int i = 0; i < EVENTS; i++)
		if (read(counters[i], &count, sizeof(count)) == sizeof(count))
			sum += count;
	return sum;
}

static uint64_t cpu_ns_of(int who)
{
	struct rusage usage;

	if (getrusage(who, &usage))
		return 0;
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

static uint64_t cpu_ns(void)
{
	return cpu_ns_of(RUSAGE_SELF) + cpu_ns_of(RUSAGE_CHILDREN);
}

static uint64_t wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int print_usage(void)
{
	fprintf(stderr,
		"usage: workload [--count|--slices|--paced SECONDS] NAME TIMES FOLDER [TREE]\n");
	for (size_t i = 0; i < work_count; i++)
		fprintf(stderr, "  %-6s %s\n", works[i].name, works[i].about);
	return 2;
}

static int run_warm(const struct work *work, const char *folder, const char *tree, long times)
{
	return work->run(folder, tree, work->warm < times ? work->warm : times);
}

/* 0 or -errno */
static int run_slices(const struct work *work, const char *folder, const char *tree, long times)
{
	char line[16];
	uint64_t cpu;
	int err = 0;

	while (!err && fgets(line, sizeof(line), stdin)) {
		err = run_warm(work, folder, tree, times);
		cpu = cpu_ns();
		err = err ? err : work->run(folder, tree, times);
		printf("cpu_ns %" PRIu64 "\n", cpu_ns() - cpu);
		fflush(stdout);
	}
	return err;
}

/* The times of a second, in ticks; a late tick does not make the next ones late. 0 or -errno. */
static int run_paced(const struct work *work, const char *folder, const char *tree, long times,
		     long seconds)
{
	uint64_t begin = wall_ns();
	int err = 0;

	for (long tick = 0; tick < seconds * TICKS && !err; tick++) {
		uint64_t due = begin + (uint64_t)tick * (NSEC_PER_SEC / TICKS);
		const struct timespec time = { (time_t)(due / NSEC_PER_SEC),
					       (long)(due % NSEC_PER_SEC) };

		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
			;
		err = work->run(folder, tree, times * (tick + 1) / TICKS - times * tick / TICKS);
	}
	return err;
}

int main(int argc, char **argv)
{
	/* warm up, until a starting tracer is idle */
	const struct timespec calm = { .tv_nsec = 200000000 };
	uint64_t cpu, wall, made = 0;
	int counters[EVENTS], err;
	const char *folder, *tree;
	const struct work *work;
	bool count = argc > 1 && !strcmp(argv[1], "--count");
	bool slices = argc > 1 && !strcmp(argv[1], "--slices");
	bool paced = argc > 2 && !strcmp(argv[1], "--paced");
	long times, seconds = paced ? atol(argv[2]) : 0;

	argv += paced;
	argc -= paced;
	argv += count || slices || paced;
	argc -= count || slices || paced;
	work = argc >= 4 ? work_find(argv[1]) : NULL;
	if (!work || argc > 5)
		return print_usage();
	times = atol(argv[2]);
	folder = argv[3];
	tree = argc == 5 ? argv[4] : ".";
	if (slices || paced) {
		err = slices ? run_slices(work, folder, tree, times)
			     : run_paced(work, folder, tree, times, seconds);
		return err ? fail_workload(work->name, err) : 0;
	}
	nanosleep(&calm, NULL);
	err = run_warm(work, folder, tree, times);
	if (err)
		return fail_workload(work->name, err);
	if (count) {
		err = open_counters(counters);
		if (err)
			return fail_workload("the counters of perf", err);
		made = counted_events(counters);
	}
	cpu = cpu_ns();
	wall = wall_ns();
	err = work->run(folder, tree, times);
	wall = wall_ns() - wall;
	cpu = cpu_ns() - cpu;
	if (err)
		return fail_workload(work->name, err);
	printf("cpu_ns %" PRIu64 "\nwall_ns %" PRIu64 "\ntotal_ns %" PRIu64 "\n", cpu, wall,
	       cpu_ns());
	if (count)
		printf("events %" PRIu64 "\n", counted_events(counters) - made);
	return 0;
}
