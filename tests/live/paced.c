// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * paced SECONDS ROUNDS MESSAGES HELD: ROUNDS times a second by the clock, or as often as it can if
 * ROUNDS is 0, opens a pipe; it holds the last HELD pipes. In 100 rounds it sends MESSAGES messages
 * to itself, each of which takes one object of load_msg() or a function that it calls. So two runs
 * differ only by chance, and one with more messages differs in the objects of messages alone.
 */
#include "config.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS 2
#define ROUNDS_AT_ONCE 100
#define MESSAGE_BYTES 500

struct message {
	long type;
	char text[MESSAGE_BYTES];
};

static volatile sig_atomic_t stopped;

/* The queue outlives the process: it must be removed. */
static void stop_pacing(int number)
{
	(void)number;
	stopped = 1;
}

static double read_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int send_message(int queue)
{
	struct message message = { .type = 1 };

	return msgsnd(queue, &message, sizeof(message.text), 0) ||
	       msgrcv(queue, &message, sizeof(message.text), 0, 0) < 0;
}

/* Replaces the oldest pipe. */
static int open_pipe(int (*held)[2], size_t count, size_t made)
{
	int *pipes = held[made % count];

	if (made >= count) {
		close(pipes[0]);
		close(pipes[1]);
	}
	return pipe(pipes);
}

/* Other tasks must not delay the rounds. Without the privilege they may. */
static void take_priority(void)
{
	const struct sched_param first = { .sched_priority = 1 };

	sched_setscheduler(0, SCHED_FIFO, &first);
}

int main(int argc, char **argv)
{
	double seconds = argc == 5 ? strtod(argv[1], NULL) : 0, begin;
	double rounds = argc == 5 ? strtod(argv[2], NULL) : 0;
	size_t messages = argc == 5 ? strtoul(argv[3], NULL, 10) : 0;
	size_t count = argc == 5 ? strtoul(argv[4], NULL, 10) : 0, opened = 0, sent = 0;
	int(*held)[2] = calloc(count + 1, sizeof(*held));
	int queue = msgget(IPC_PRIVATE, 0600), failed = 0;

	if (seconds <= 0 || !count || !held)
		return 2;
	if (queue < 0) {
		perror("paced: msgget");
		return 1;
	}
	if (rounds > 0)
		take_priority();
	signal(SIGTERM, stop_pacing);
	begin = read_seconds();
	for (double time = 0; time < seconds && !failed && !stopped;
	     time = read_seconds() - begin) {
		size_t due = rounds > 0 ? (size_t)(time * rounds) : opened + ROUNDS_AT_ONCE;

		while (!failed && !stopped && opened < due) {
			failed = open_pipe(held, count, opened++);
			for (; !failed && sent < opened * messages / 100; sent++)
				failed = send_message(queue);
		}
		if (rounds > 0)
			poll(NULL, 0, TICK_MS);
	}
	msgctl(queue, IPC_RMID, NULL);
	return failed;
}
