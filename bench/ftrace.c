// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ftrace -o DIR [-m MIB] COMMAND [ARG...]: runs a command while ftrace records the slab events in
 * an instance with its own buffers. Writes the buffers to files as trace-cmd record does: spliced
 * page by page when a buffer is half full. Prints how many events were read and lost. It exists
 * since trace-cmd record writes to files that some machines protect.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "tracer/load/formats.h"

static const char *const events[] = { "kmalloc", "kfree", "kmem_cache_alloc", "kmem_cache_free" };

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	stop = number;
}

struct recording {
	int tracefs, instance; /* directories */
	char name[64];	       /* of the instance, below tracefs */
	const char *directory;
	long cpus, mib;
	pid_t *readers;
	struct error error;
};

static int fail_recording(struct recording *recording, const char *what)
{
	return error_set_at(&recording->error, errno ? -errno : -EIO, what);
}

static int set_trace_file(struct recording *recording, const char *file, const char *text)
{
	int fd = openat(recording->instance, file, O_WRONLY | O_CLOEXEC | O_TRUNC);
	ssize_t done = fd < 0 ? -1 : write(fd, text, strlen(text));
	int err = done < 0 ? fail_recording(recording, file) : 0;

	if (fd >= 0)
		close(fd);
	return err;
}

static int switch_events(struct recording *recording, const char *text)
{
	char file[80];
	int err = 0;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]) && !err; i++) {
		snprintf(file, sizeof(file), "events/kmem/%s/enable", events[i]);
		err = set_trace_file(recording, file, text);
	}
	return err;
}

/* Creates an instance, which does not affect other users of ftrace. */
static int instance_open(struct recording *recording)
{
	char size[32];
	int err;

	recording->tracefs = formats_open();
	if (recording->tracefs < 0) {
		errno = -recording->tracefs;
		return fail_recording(recording, "tracefs");
	}
	snprintf(recording->name, sizeof(recording->name), "instances/kmemtrace-bench-%d",
		 getpid());
	if (mkdirat(recording->tracefs, recording->name, 0700))
		return fail_recording(recording, recording->name);
	recording->instance = openat(recording->tracefs, recording->name, O_RDONLY | O_CLOEXEC);
	if (recording->instance < 0)
		return fail_recording(recording, recording->name);
	snprintf(size, sizeof(size), "%ld", recording->mib * 1024);
	err = set_trace_file(recording, "tracing_on", "0");
	err = err ? err : set_trace_file(recording, "buffer_size_kb", size);
	return err ? err : switch_events(recording, "1");
}

static void instance_close(struct recording *recording)
{
	if (recording->instance >= 0) {
		set_trace_file(recording, "tracing_on", "0");
		switch_events(recording, "0");
		close(recording->instance);
	}
	if (recording->tracefs >= 0) {
		unlinkat(recording->tracefs, recording->name, AT_REMOVEDIR);
		close(recording->tracefs);
	}
}

/* Reads the remaining pages after tracing is off: the last page is not full, and cannot be spliced.
 */
static int drain_pages(int from, int to)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	char *page = malloc(size);
	ssize_t got = -1;
	int err = 0;

	if (!page || fcntl(from, F_SETFL, O_NONBLOCK))
		err = -errno;
	while (!err) {
		got = read(from, page, size);
		if (!got || (got < 0 && errno == EAGAIN))
			break;
		if (got < 0)
			err = errno == EINTR ? 0 : -errno;
		else if (write(to, page, (size_t)got) != got)
			err = -errno;
	}
	free(page);
	return err;
}

/* Writes everything in the pipe to the file. 0 or -errno. */
static int pass_on(int pipe, int to, size_t bytes)
{
	while (bytes) {
		ssize_t passed = splice(pipe, NULL, to, NULL, bytes, SPLICE_F_MOVE);

		if (passed < 0 && errno != EINTR)
			return -errno;
		bytes -= passed > 0 ? (size_t)passed : 0;
	}
	return 0;
}

/* The process for a CPU, as in trace-cmd. It ends after a signal, when everything is read. */
static int read_cpu(const struct recording *recording, long cpu)
{
	char name[300];
	int from, to, ends[2], err = 0;
	ssize_t got;

	snprintf(name, sizeof(name), "per_cpu/cpu%ld/trace_pipe_raw", cpu);
	from = openat(recording->instance, name, O_RDONLY | O_CLOEXEC);
	snprintf(name, sizeof(name), "%s/cpu%ld", recording->directory, cpu);
	to = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (from < 0 || to < 0 || pipe(ends))
		return -errno;
	while (!stop && !err) {
		got = splice(from, NULL, ends[1], NULL, 1 << 16, SPLICE_F_MOVE);
		if (got > 0)
			err = pass_on(ends[0], to, (size_t)got);
		else if (got < 0 && errno != EINTR && errno != EAGAIN)
			err = -errno;
	}
	return err ? err : drain_pages(from, to);
}

static int run_reader(const struct recording *recording, long cpu)
{
	int err = read_cpu(recording, cpu);

	if (err)
		fprintf(stderr, "ftrace: the buffer of CPU %ld: %s\n", cpu, strerror(-err));
	return err ? 1 : 0;
}

static int readers_start(struct recording *recording)
{
	recording->readers = calloc(recording->cpus, sizeof(*recording->readers));
	if (!recording->readers)
		return fail_recording(recording, "readers");
	for (long cpu = 0; cpu < recording->cpus; cpu++) {
		recording->readers[cpu] = fork();
		if (recording->readers[cpu] < 0)
			return fail_recording(recording, "fork");
		if (!recording->readers[cpu])
			_exit(run_reader(recording, cpu));
	}
	return 0;
}

static int readers_stop(struct recording *recording)
{
	int status, err = 0;

	for (long cpu = 0; recording->readers && cpu < recording->cpus; cpu++) {
		if (recording->readers[cpu] <= 0)
			continue;
		/* repeatedly, since the first signal may arrive before the process sleeps */
		while (!kill(recording->readers[cpu], SIGINT) &&
		       !waitpid(recording->readers[cpu], &status, WNOHANG))
			usleep(10000);
		if (!WIFEXITED(status) || WEXITSTATUS(status)) {
			errno = WIFEXITED(status) ? EIO : EINTR;
			err = fail_recording(recording, "a reader of the buffers");
		}
	}
	free(recording->readers);
	return err;
}

static uint64_t counter_of(const char *text, const char *key)
{
	const char *place = strstr(text, key);

	return place ? strtoull(place + strlen(key), NULL, 10) : 0;
}

static int print_stats(struct recording *recording)
{
	uint64_t were_read = 0, lost = 0;
	char name[64], text[1024];
	ssize_t got;
	int fd;

	for (long cpu = 0; cpu < recording->cpus; cpu++) {
		snprintf(name, sizeof(name), "per_cpu/cpu%ld/stats", cpu);
		fd = openat(recording->instance, name, O_RDONLY | O_CLOEXEC);
		got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
		if (got < 0)
			return fail_recording(recording, name);
		close(fd);
		text[got] = '\0';
		were_read += counter_of(text, "read events: ");
		lost += counter_of(text, "\noverrun: ") + counter_of(text, "commit overrun: ") +
			counter_of(text, "dropped events: ");
	}
	printf("read %" PRIu64 "\nlost %" PRIu64 "\n", were_read, lost);
	return 0;
}

/* Returns its exit status, or 128 + the number of the signal, or -errno. */
static int run_command(struct recording *recording, char **command)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		return fail_recording(recording, "fork");
	if (!child) {
		execvp(command[0], command);
		fprintf(stderr, "ftrace: %s: %s\n", command[0], strerror(errno));
		_exit(127);
	}
	while (waitpid(child, &status, 0) < 0)
		if (stop)
			kill(child, SIGTERM);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int record_command(struct recording *recording, char **command)
{
	int err = instance_open(recording), status = 0, stop_err;

	if (!err)
		err = readers_start(recording);
	if (!err)
		err = set_trace_file(recording, "tracing_on", "1");
	if (!err)
		status = run_command(recording, command);
	if (status < 0)
		err = status;
	if (!err)
		err = set_trace_file(recording, "tracing_on", "0");
	stop_err = readers_stop(recording);
	err = err ? err : stop_err;
	return err ? err : status ? status : print_stats(recording);
}

int main(int argc, char **argv)
{
	struct recording recording = { .tracefs = -1, .instance = -1, .mib = 64 };
	/* without SA_RESTART, so that blocked calls return and check stop */
	const struct sigaction action = { .sa_handler = on_signal };
	int option, status;

	while ((option = getopt(argc, argv, "+o:m:")) != -1) {
		if (option == 'o')
			recording.directory = optarg;
		else if (option == 'm')
			recording.mib = atol(optarg);
		else
			return 2;
	}
	if (!recording.directory || recording.mib < 1 || optind == argc) {
		fprintf(stderr, "usage: ftrace -o DIR [-m MIB] COMMAND [ARG...]\n");
		return 2;
	}
	recording.cpus = sysconf(_SC_NPROCESSORS_CONF);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (mkdir(recording.directory, 0700) && errno != EEXIST)
		status = fail_recording(&recording, recording.directory);
	else
		status = record_command(&recording, argv + optind);
	instance_close(&recording);
	if (status < 0)
		fprintf(stderr, "ftrace: %s\n", recording.error.text);
	return status < 0 ? 2 : status;
}
