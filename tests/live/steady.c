// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * steady RATE HELD: creates RATE eventfds a second, by the clock, each of which takes one object of
 * the caller eventfd's, and holds the last HELD of them. Prints "ready" when it holds that many,
 * and ends when its standard input does.
 */
#include "config.h"

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS 5
#define AT_ONCE 10000 /* then it looks at its standard input again */

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct rlimit limit;
	struct pollfd input = { .events = POLLIN };
	size_t rate = argc == 3 ? strtoul(argv[1], NULL, 10) : 0, at = 0, made = 0;
	size_t held = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	int *list = calloc(held + 1, sizeof(*list));
	bool behind = false;
	double begin;

	if (!rate || !held || !list)
		return 2;
	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	begin = now();
	while (poll(&input, 1, behind ? 0 : TICK_MS) == 0) {
		size_t due = (size_t)((now() - begin) * (double)rate);

		behind = due - made > AT_ONCE;
		if (behind)
			due = made + AT_ONCE;

		for (; made < due; made++, at = (at + 1) % held) {
			if (made >= held)
				close(list[at]);
			list[at] = eventfd(0, 0);
			if (list[at] < 0) {
				perror("steady: eventfd");
				return 1;
			}
			if (made + 1 == held) {
				puts("ready");
				fflush(stdout);
			}
		}
	}
	return 0;
}
