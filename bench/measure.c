// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * measure FILE COMMAND [ARG…]: runs it, and writes into FILE how long it took, what CPU time, its
 * children's with it, and its most memory. Its exit status is the command's.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

int main(int argc, char **argv)
{
	struct rusage usage;
	uint64_t wall;
	int status, err;
	pid_t child;
	FILE *out;

	if (argc < 3) {
		fprintf(stderr, "usage: measure FILE COMMAND [ARG...]\n");
		return 2;
	}
	wall = wall_ns();
	/* no copy of this process is made: its memory would count as the command's */
	err = posix_spawnp(&child, argv[2], NULL, NULL, argv + 2, environ);
	if (err) {
		fprintf(stderr, "measure: %s: %s\n", argv[2], strerror(err));
		return 127;
	}
	while (wait4(child, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return 2;
	wall = wall_ns() - wall;
	out = fopen(argv[1], "w");
	if (!out) {
		fprintf(stderr, "measure: %s: %s\n", argv[1], strerror(errno));
		return 2;
	}
	fprintf(out, "wall_ns %" PRIu64 "\ncpu_ns %" PRIu64 "\npeak_bytes %" PRIu64 "\n", wall,
		to_ns(&usage.ru_utime) + to_ns(&usage.ru_stime), (uint64_t)usage.ru_maxrss * 1024);
	if (fclose(out))
		return 2;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
