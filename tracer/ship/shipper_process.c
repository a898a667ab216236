// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The process: starts kmemtrace-ship, again and again if need be, hands files to it, and reports to
 * kmemtraced. When kmemtraced ends, for whatever reason, kmemtrace-ship has a few seconds for what
 * is left.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fd_message.h"
#include "base/worker.h"
#include "cli/message.h"
#include "tracer/ship/shipper_work.h"
#include "tracer/system/confine.h"

#define MS 1000000ULL /* ns */
#define SECOND (1000 * MS)
#define POLL_MS 250
#define SCAN_EVERY SECOND
#define FIRST_WAIT SECOND
#define LONGEST_WAIT (300 * SECOND)
#define LONG_LIFE (60 * SECOND) /* after it, the next wait is the first again */
#define END_TIME (4 * SECOND)
#define KILL_TIME (2 * SECOND) /* libcurl looks for signals once a second */
#define STOP_SIGNAL SIGUSR1    /* kmemtrace-ship leaves the others to kmemtraced */
#define STATUS_MAX 65536       /* bytes */
#define STATUSES_MAX 64	       /* messages of kmemtrace-ship in one round */

struct process {
	struct shipper_work *work;
	struct shipper_report report;
	struct shipper_files files;
	pid_t ship;	/* 0: it does not run */
	int socket;	/* to it; -1: none */
	bool may_start; /* kmemtraced is ready */
	bool is_ending;
	/* ns, CLOCK_MONOTONIC */
	uint64_t started, next_start, wait, next_scan, deadline;
	uint64_t sent_before, dropped_before; /* by those that have ended */
	char status[STATUS_MAX];
	char reported[SHIPPER_TEXT]; /* why the last one ended */
};

static uint64_t now_of(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

static uint64_t now_ns(void)
{
	return now_of(CLOCK_MONOTONIC);
}

/* Never waits: the next report says the same and more. */
static void send_report(const struct process *process)
{
	send(process->work->requests, &process->report, sizeof(process->report),
	     MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void set_failure(struct process *process, const char *text)
{
	struct shipper_report *report = &process->report;

	if (!report->failing_since)
		report->failing_since = now_of(CLOCK_REALTIME);
	snprintf(report->failure, sizeof(report->failure), "%s", text);
	send_report(process);
}

/* Twice as long each time, up to five minutes, less a random part. */
static void set_next_start(struct process *process)
{
	uint64_t now = now_ns(), random = now;

	if (process->started && now - process->started > LONG_LIFE) {
		process->wait = 0;
		*process->reported = '\0';
	}
	process->wait = process->wait ? process->wait * 2 : FIRST_WAIT;
	if (process->wait > LONGEST_WAIT)
		process->wait = LONGEST_WAIT;
	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = now;
	process->next_start = now + process->wait / 2 + random % (process->wait / 2 + 1);
}

/* One line for each reason, not for each start. */
static void report_ship_failure(struct process *process, const char *text)
{
	if (strcmp(process->reported, text) != 0)
		error_msg("--ship-to: %s: kmemtraced goes on, and tries again", text);
	snprintf(process->reported, sizeof(process->reported), "%s", text);
	set_failure(process, text);
	set_next_start(process);
}

static int send_credentials(struct process *process, struct error *error)
{
	char text[SHIPPER_CREDENTIALS_MAX];
	int err = shipper_credentials(process->work->settings->options, text, sizeof(text), error);

	if (!err)
		err = fd_message_send(process->socket, text, strlen(text), -1);
	explicit_bzero(text, sizeof(text));
	return err;
}

static void close_socket(struct process *process)
{
	if (process->socket >= 0)
		close(process->socket);
	process->socket = -1;
	shipper_files_forget(&process->files);
}

static void start_ship(struct process *process)
{
	struct error error = { 0 };
	int sockets[2], err;

	process->started = now_ns();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets)) {
		report_ship_failure(process, strerror(errno));
		return;
	}
	process->socket = sockets[0];
	err = send_credentials(process, &error);
	if (!err)
		err = process->ship = shipper_execute(process->work, sockets[1]);
	close(sockets[1]);
	if (err >= 0) {
		process->next_scan = 0;
		return;
	}
	process->ship = 0;
	close_socket(process);
	error_set(&error, err, strerror(-err));
	report_ship_failure(process, error.text);
}

/* Takes a message of kmemtrace-ship about itself. */
static void take_status(struct process *process, const char *text)
{
	shipper_report_parse(&process->report, text);
	process->report.sent += process->sent_before;
	process->report.dropped += process->dropped_before;
	send_report(process);
}

static void take_statuses(struct process *process)
{
	char *text = process->status;
	ssize_t length = 1;
	int fd;

	/* others have their turn too, whatever it sends */
	for (int i = 0; i < STATUSES_MAX && process->socket >= 0 && length > 0; i++) {
		length = fd_message_receive(process->socket, text, sizeof(process->status), &fd);
		if (fd >= 0)
			close(fd);
		if (length > 0)
			take_status(process, text);
	}
}

static void describe_end(int status, char *text, size_t size)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;

	if (code == SHIPPER_NO_USER)
		snprintf(text, size, "kmemtrace-ship could not become the user of --ship-user");
	else if (code == SHIPPER_NO_PROGRAM)
		snprintf(text, size,
			 "kmemtrace-ship could not be executed by the user of --ship-user");
	else if (WIFSIGNALED(status))
		snprintf(text, size, "kmemtrace-ship was ended by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(text, size, "kmemtrace-ship has ended with exit status %d", code);
}

/* Has it ended? */
static void reap_ship(struct process *process)
{
	char text[SHIPPER_TEXT];
	int status;

	if (!process->ship || waitpid(process->ship, &status, WNOHANG) != process->ship)
		return;
	take_statuses(process);
	process->ship = 0;
	process->sent_before = process->report.sent;
	process->dropped_before = process->report.dropped;
	close_socket(process);
	if (process->is_ending)
		return;
	describe_end(status, text, sizeof(text));
	/* asked for by SIGHUP */
	if (!process->next_start)
		return;
	report_ship_failure(process, text);
}

static void begin_end(struct process *process)
{
	if (process->is_ending)
		return;
	process->is_ending = true;
	process->deadline = now_ns() + END_TIME;
	if (!process->ship)
		return;
	shipper_files_send(&process->files, process->work->directory, process->socket);
	shutdown(process->socket, SHUT_WR);
}

static void take_requests(struct process *process)
{
	char byte;
	ssize_t got;

	while ((got = read(process->work->requests, &byte, 1)) == 1) {
		if (byte == SHIPPER_GO)
			process->may_start = true;
		if (byte == SHIPPER_END)
			begin_end(process);
		if (byte != SHIPPER_RESTART || process->is_ending)
			continue;
		process->wait = process->next_start = 0;
		*process->reported = '\0';
		if (process->ship)
			kill(process->ship, STOP_SIGNAL);
	}
	if (!got || (got < 0 && errno != EAGAIN && errno != EINTR))
		begin_end(process);
}

static void step_ship(struct process *process)
{
	uint64_t now = now_ns();

	reap_ship(process);
	if (process->is_ending) {
		if (process->ship && now >= process->deadline)
			kill(process->ship,
			     now >= process->deadline + KILL_TIME ? SIGKILL : STOP_SIGNAL);
		return;
	}
	if (!process->ship && process->may_start && now >= process->next_start) {
		process->next_start = now;
		start_ship(process);
	}
	if (process->ship && now >= process->next_scan) {
		shipper_files_send(&process->files, process->work->directory, process->socket);
		process->next_scan = now + SCAN_EVERY;
	}
}

static void wait_for_something(const struct process *process)
{
	struct pollfd list[] = {
		{ .fd = process->is_ending ? -1 : process->work->requests, .events = POLLIN },
		{ .fd = process->socket, .events = POLLIN },
	};
	const struct timespec pause = { .tv_nsec = 10 * MS };

	poll(list, 2, POLL_MS);
	/* one that has ended is not reaped yet */
	if (list[1].revents & (POLLHUP | POLLERR))
		nanosleep(&pause, NULL);
}

/* The locks of captures, the pipes of other processes, and all else that is kmemtraced's. */
static void close_others(const struct shipper_work *work)
{
	int kept[] = { work->requests, work->directory, work->state, work->program };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0)
		dup2(null, STDIN_FILENO);
	/* a pipe at standard output ends only when each process has closed it */
	dup2(STDERR_FILENO, STDOUT_FILENO);
	worker_close_others(kept, sizeof(kept) / sizeof(*kept));
}

/* It keeps the privileges to become a user, and to end a process of that user. */
static void give_up_privileges(const struct shipper_work *work)
{
	static const struct confinement nothing = { .ruleset = -1 };
	uint64_t capabilities = 1ULL << CAP_SETUID | 1ULL << CAP_SETGID | 1ULL << CAP_KILL;

	if (confine_thread(&nothing, work->changes_user ? capabilities : 0))
		error_msg("--ship-to: privileges cannot be given up: %s", strerror(errno));
}

int shipper_work(struct shipper_work *work)
{
	struct process process = { .work = work, .socket = -1 };

	close_others(work);
	worker_ignore_signals();
	give_up_privileges(work);
	while (!process.is_ending || process.ship) {
		wait_for_something(&process);
		take_statuses(&process);
		if (!process.is_ending)
			take_requests(&process);
		step_ship(&process);
	}
	return 0;
}
