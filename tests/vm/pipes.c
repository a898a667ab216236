// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * pipes THREADS PIPES [flip]: threads that open and close so many pipes together, for a guest's
 * test. Prints their ids, waits for a line on its input, runs them, prints "done", and ends with
 * its input. So all events of the threads are between the two lines. flip: a real-time thread moves
 * the threads from CPU to CPU, and so preempts them.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MOST 256

static pid_t ids[THREADS_MOST];
static int threads;
static atomic_int left; /* pipes */
static atomic_bool stop;
static sem_t begun, go, done, never;

static void *open_pipes(void *id)
{
	int ends[2];

	*(pid_t *)id = (pid_t)syscall(SYS_gettid);
	sem_post(&begun);
	sem_wait(&go);
	while (atomic_fetch_sub(&left, 1) > 0)
		if (!pipe(ends)) {
			close(ends[0]);
			close(ends[1]);
		}
	sem_post(&done);
	sem_wait(&never);
	return NULL;
}

static void *flip_priority(void *unused)
{
	const struct sched_param highest = { .sched_priority = 50 };
	const struct timespec pause = { .tv_nsec = 300000 };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (sched_setscheduler(0, SCHED_FIFO, &highest))
		exit(3);
	for (int turn = 0; !stop; turn++) {
		for (int i = 0; i < threads; i++) {
			cpu_set_t set;

			CPU_ZERO(&set);
			CPU_SET((turn + i) % cpus, &set);
			sched_setaffinity(ids[i], sizeof(set), &set);
		}
		nanosleep(&pause, NULL);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	char line[8];

	threads = argc > 2 ? atoi(argv[1]) : 0;
	if (threads < 1 || threads > THREADS_MOST)
		return 2;
	left = atoi(argv[2]);
	sem_init(&begun, 0, 0);
	sem_init(&go, 0, 0);
	sem_init(&done, 0, 0);
	sem_init(&never, 0, 0);
	for (int i = 0; i < threads; i++)
		if (pthread_create(&thread, NULL, open_pipes, &ids[i]))
			return 3;
	for (int i = 0; i < threads; i++)
		sem_wait(&begun);
	for (int i = 0; i < threads; i++)
		printf("%d\n", ids[i]);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 4;
	for (int i = 0; i < threads; i++)
		sem_post(&go);
	if (argc > 3 && pthread_create(&thread, NULL, flip_priority, NULL))
		return 3;
	for (int i = 0; i < threads; i++)
		sem_wait(&done);
	stop = true;
	fputs("done\n", stderr);
	/* the caller ends it, after it has read the counts */
	return fgets(line, sizeof(line), stdin) ? 4 : 0;
}
