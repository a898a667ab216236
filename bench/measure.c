// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * measure [-s SECONDS] FILE COMMAND [ARG...]: runs a command and writes its elapsed time, its CPU
 * time including its children, and its peak memory to FILE. With -s it repeats the command for that
 * time: the times are the mean of all runs, the memory is the most of any. Exits with the status of
 * the last run; a status above 1 ends the repetition (1 may mean findings).
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECONDS_MAX 3600

static uint64_t wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t to_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000;
}

struct measurement {
	uint64_t wall, cpu, peak; /* ns, ns, bytes */
	int status;
};

/* 0 or -errno. */
static int measure_run(char **command, struct measurement *total)
{
	uint64_t begin = wall_ns(), peak;
	struct rusage usage;
	pid_t child;
	int err;

	/* not fork(): the memory of the copied process would count as that of the command */
	err = posix_spawnp(&child, *command, NULL, NULL, command, environ);
	if (err)
		return -err;
	while (wait4(child, &total->status, 0, &usage) < 0)
		if (errno != EINTR)
			return -errno;
	total->wall += wall_ns() - begin;
	total->cpu += to_ns(&usage.ru_utime) + to_ns(&usage.ru_stime);
	peak = (uint64_t)usage.ru_maxrss * 1024;
	if (peak > total->peak)
		total->peak = peak;
	return 0;
}

/* False: the text is not a number of seconds. */
static bool parse_seconds(const char *text, double *seconds)
{
	char *end;

	*seconds = strtod(text, &end);
	return end != text && !*end && *seconds >= 0 && *seconds <= SECONDS_MAX;
}

int main(int argc, char **argv)
{
	int first = argc > 2 && !strcmp(argv[1], "-s") ? 3 : 1, err;
	struct measurement total = { 0 };
	double seconds = 0;
	uint64_t runs = 0;
	FILE *out;

	if (argc < first + 2 || (first > 1 && !parse_seconds(argv[2], &seconds))) {
		fprintf(stderr, "usage: measure [-s SECONDS] FILE COMMAND [ARG...]\n");
		return 2;
	}
	do {
		err = measure_run(argv + first + 1, &total);
		runs++;
	} while (!err && WIFEXITED(total.status) && WEXITSTATUS(total.status) <= 1 &&
		 (double)total.wall < seconds * 1e9);
	if (err) {
		fprintf(stderr, "measure: %s: %s\n", argv[first + 1], strerror(-err));
		return 127;
	}
	out = fopen(argv[first], "w");
	if (!out) {
		fprintf(stderr, "measure: %s: %s\n", argv[first], strerror(errno));
		return 2;
	}
	fprintf(out, "wall_ns %" PRIu64 "\ncpu_ns %" PRIu64 "\npeak_bytes %" PRIu64 "\n",
		total.wall / runs, total.cpu / runs, total.peak);
	if (fclose(out))
		return 2;
	return WIFEXITED(total.status) ? WEXITSTATUS(total.status) : 128 + WTERMSIG(total.status);
}
