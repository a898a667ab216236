// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Creates threads that reuse the stacks of other processes' tasks: stacks ROUNDS. After a byte of
 * the standard input, in each round a child process makes slab events and ends; then a thread of
 * this process starts on the same CPU, and gets the stack of the child. Prints for each thread its
 * id, two times of the capture's clock and what perf counted between them.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/live/counters.h"
#include "tracer/load/formats.h"

#define PIPES 20

static void work_on_pipe(void)
{
	int ends[2];

	for (int i = 0; i < PIPES; i++) {
		if (pipe(ends))
			counters_die("pipe");
		close(ends[0]);
		close(ends[1]);
	}
}

static void *count_stacks(void *argument)
{
	struct counters_reading begin, end;
	struct counters counters;

	counters_open(&counters, *(int *)argument);
	counters_read(&counters, &begin);
	work_on_pipe();
	counters_read(&counters, &end);
	counters_close(&counters);
	printf("%d %" PRIu64 " %" PRIu64, (int)syscall(SYS_gettid), begin.time, end.time);
	for (int i = 0; i < COUNTERS; i++)
		printf(" %" PRIu64, end.counts[i] - begin.counts[i]);
	putchar('\n');
	return NULL;
}

static void run_round(int tracefs)
{
	pthread_t thread;
	pid_t child = fork();

	if (child < 0)
		counters_die("fork");
	if (!child) {
		work_on_pipe();
		_exit(0);
	}
	waitpid(child, NULL, 0);
	errno = pthread_create(&thread, NULL, count_stacks, &tracefs);
	if (errno)
		counters_die("pthread_create");
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	struct counters kept;
	cpu_set_t first;
	char byte;
	int tracefs;

	if (argc != 2) {
		fprintf(stderr, "usage: stacks ROUNDS\n");
		return 2;
	}
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first))
		counters_die("sched_setaffinity");
	tracefs = formats_open();
	if (tracefs < 0) {
		errno = -tracefs;
		counters_die("tracefs");
	}
	/* while one perf event of a tracepoint stays open, the kernel closes others without waiting
	 */
	counters_open(&kept, tracefs);
	if (read(STDIN_FILENO, &byte, 1) != 1)
		return 0; /* the test has failed */
	for (long i = atol(argv[1]); i > 0; i--)
		run_round(tracefs);
	counters_close(&kept);
	return 0;
}
