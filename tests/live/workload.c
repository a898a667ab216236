// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A workload that counts its own slab events with perf counters, which are independent of
 * kmemtrace, between two times of the capture's clock. Prints the times, its task and the counts.
 * Between the two times, the task is named "window". With "wait", it waits for a line of the
 * standard input before, as "ready", and after, as "done"; meanwhile it has no events but those of
 * interrupts: "around" is their number, and "around_NAME" counts them and those between the times.
 * Of kfree, it counts the calls with NULL too: their time is longer than that of kfree, and with
 * "around_" shorter. With "starve" it is the command of kmemtraced, and stops it for half of the
 * work: a ring without room for an eighth overflows for sure. So it does with the kmemtraced whose
 * process is a number in its first line.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "tests/live/counters.h"
#include "tracer/load/formats.h"

#define KFREE 1 /* of counters_events */

static void pin_to_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		counters_die("sched_setaffinity");
}

/* Opens and closes files and pipes: objects of many caches, all in one task. */
static void work_fs(const char *folder, long rounds)
{
	char name[300];
	int ends[2];

	snprintf(name, sizeof(name), "%s/file", folder);
	for (long i = 0; i < rounds; i++) {
		close(open(name, O_CREAT | O_RDWR, 0600));
		for (int k = 0; k < 2; k++) {
			if (pipe(ends))
				counters_die("pipe");
			close(ends[0]);
			close(ends[1]);
		}
	}
	unlink(name);
}

/* Makes and removes directories: inodes and dentries, which RCU frees. */
static void work_dir(const char *folder, long rounds)
{
	char name[300];

	snprintf(name, sizeof(name), "%s/dir", folder);
	for (long i = 0; i < rounds; i++) {
		if (mkdir(name, 0700))
			counters_die(name);
		rmdir(name);
	}
}

/* Large kmalloc() calls, one in each round, which take whole pages. */
static void work_large(const char *folder, long rounds)
{
	char list[20000];

	for (long i = 0; i < rounds; i++)
		if (listxattr(folder, list, sizeof(list)) < 0)
			counters_die(folder);
}

/* Sends messages to another process, which runs on another CPU where there is one. */
static int sockets[2];
static pid_t receiver;

static void start_receiver(void)
{
	char message[64];

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets))
		counters_die("socketpair");
	receiver = fork();
	if (receiver)
		return;
	close(sockets[0]);
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
		pin_to_cpu(1);
	while (recv(sockets[1], message, sizeof(message), 0) > 0)
		if (message[0] == 'q')
			break;
	_exit(0);
}

static void work_skb(long rounds)
{
	char message[64] = "m";

	for (long i = 0; i < rounds; i++)
		if (send(sockets[0], message, sizeof(message), 0) < 0)
			counters_die("send");
}

static void stop_receiver(void)
{
	if (send(sockets[0], "q", 1, 0) == 1)
		waitpid(receiver, NULL, 0);
}

/*
 * Gives kmemtraced the time to empty the ring of this CPU. Then some events follow: if they are
 * recorded, the losses before have an end in the capture that is before any later time.
 */
static void pause_for_drain(void)
{
	const struct timespec pause = { .tv_nsec = 200000000 };
	int ends[2];

	nanosleep(&pause, NULL);
	if (pipe(ends))
		counters_die("pipe");
	close(ends[0]);
	close(ends[1]);
}

static void work_rounds(const char *name, const char *folder, long rounds)
{
	if (!strcmp(name, "fs"))
		work_fs(folder, rounds);
	else if (!strcmp(name, "dir"))
		work_dir(folder, rounds);
	else if (!strcmp(name, "large"))
		work_large(folder, rounds);
	else
		work_skb(rounds);
}

static pid_t kmemtraced;

static void continue_kmemtraced(void)
{
	kill(kmemtraced, SIGCONT);
}

static void work_starving(const char *name, const char *folder, long rounds)
{
	/* an error must not leave it stopped */
	atexit(continue_kmemtraced);
	for (int i = 0; i < 4; i++) {
		if (kill(kmemtraced, SIGSTOP))
			counters_die("kill");
		work_rounds(name, folder, rounds / 8);
		continue_kmemtraced();
		work_rounds(name, folder, rounds / 8);
	}
}

/* The number in the line, or 0. */
static pid_t wait_for_line(void)
{
	char letter = 0;
	pid_t number = 0;

	while (read(STDIN_FILENO, &letter, 1) == 1 && letter != '\n')
		number = 10 * number + letter - '0';
	return number;
}

int main(int argc, char **argv)
{
	struct counters_reading before, begin, end, after, null[4];
	const char *name, *folder, *how = argc == 5 ? argv[4] : "";
	bool wait = !strcmp(how, "wait"), starve = !strcmp(how, "starve");
	struct counters counters, nulls;
	long rounds;
	int tracefs;

	if (argc != 4 && !wait && !starve) {
		fprintf(stderr, "usage: workload fs|dir|skb|large ROUNDS FOLDER [wait|starve]\n");
		return 2;
	}
	name = argv[1];
	rounds = atol(argv[2]);
	folder = argv[3];
	pin_to_cpu(0);
	tracefs = formats_open();
	if (tracefs < 0) {
		errno = -tracefs;
		counters_die("tracefs");
	}
	if (!strcmp(name, "skb"))
		start_receiver();
	counters_open(&counters, tracefs);
	counters_open(&nulls, tracefs);
	if (ioctl(nulls.list[KFREE], PERF_EVENT_IOC_SET_FILTER, "ptr == 0"))
		counters_die("PERF_EVENT_IOC_SET_FILTER");

	/* pauses, so that no loss crosses the borders of the measured time */
	pause_for_drain();
	/* neither prctl() nor a read of standard input allocates */
	counters_read(&counters, &before);
	counters_read(&nulls, &null[0]);
	prctl(PR_SET_NAME, "ready");
	if (wait)
		kmemtraced = wait_for_line();
	else if (starve)
		kmemtraced = getppid();
	prctl(PR_SET_NAME, "window");
	counters_read(&nulls, &null[1]);
	counters_read(&counters, &begin);
	if (kmemtraced)
		work_starving(name, folder, rounds);
	else
		work_rounds(name, folder, rounds);
	pause_for_drain();
	counters_read(&counters, &end);
	counters_read(&nulls, &null[2]);
	prctl(PR_SET_NAME, "done");
	if (wait)
		wait_for_line();
	counters_read(&nulls, &null[3]);
	counters_read(&counters, &after);
	if (receiver)
		stop_receiver();

	printf("task %d\nbegin %" PRIu64 "\nend %" PRIu64 "\n", (int)syscall(SYS_gettid),
	       begin.time, end.time);
	for (int i = 0; i < COUNTERS; i++)
		printf("%s %" PRIu64 "\naround_%s %" PRIu64 "\n", counters_events[i],
		       end.counts[i] - begin.counts[i], counters_events[i],
		       after.counts[i] - before.counts[i]);
	printf("kfree_null %" PRIu64 "\naround_kfree_null %" PRIu64 "\n",
	       null[2].counts[KFREE] - null[1].counts[KFREE],
	       null[3].counts[KFREE] - null[0].counts[KFREE]);
	printf("around %" PRIu64 "\n",
	       counters_between(&before, &begin) + counters_between(&end, &after));
	return 0;
}
