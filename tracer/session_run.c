// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The time of the capture: attach, drain every few milliseconds, look around every second. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tracer/machine.h"
#include "tracer/session.h"
#include "tracer/session_parts.h"
#include "tracer/snapshot.h"

#define MILLISECOND 1000000ULL
#define PAUSE (5 * MILLISECOND)		/* between two rounds: more often disturbs the traced */
#define SHORT_PAUSE (1 * MILLISECOND)	/* when a ring was a quarter full */
#define FLUSH_EVERY (100 * MILLISECOND)	/* what a kill may cost */
#define LOOK_EVERY (1000 * MILLISECOND)

struct came_up {
	struct session *session;
	int err;
};

/* A CPU is online that may have no ring yet. */
static int add_cpu(unsigned int cpu, void *data)
{
	struct came_up *came_up = data;
	struct session *session = came_up->session;
	const struct topology_cpu *about = topology_find(&session->topology, cpu);
	struct rings *rings = &session->rings;
	int err;

	if (cpu >= rings->possible_cpus || rings->list[cpu].fd >= 0 || came_up->err)
		return 0;
	err = rings_add(rings, cpu, about ? about->node : -1);
	if (!err)
		err = session_open_stream(session, cpu);
	else
		session_fail(session, err, rings->why);
	if (!err) {
		err = rings_publish(rings, cpu, programs_rings_fd(&session->programs));
		if (err)
			session_fail(session, err, rings->why);
	}
	came_up->err = err;
	return 0;
}

static int look_for_cpus(struct session *session)
{
	struct came_up came_up = { .session = session };
	FILE *file = fopen("/sys/devices/system/cpu/online", "re");
	char text[4096];

	if (file && fgets(text, sizeof(text), file))
		topology_list(text, add_cpu, &came_up);
	if (file)
		fclose(file);
	return came_up.err;
}

/*
 * Symbols of modules that came: kallsyms takes long to read, so a child does it while the rings
 * are drained. What it allocates is kmemtraced's own.
 */
static void look_for_modules(struct session *session, uint64_t now)
{
	if (session->helper && waitpid(session->helper, NULL, WNOHANG) == session->helper)
		session->helper = 0;
	if (!session->names.modules_changed || session->helper)
		return;
	session->names.modules_changed = false;
	session->helper = fork();
	if (!session->helper)
		_exit(snapshot_symbols(&session->directory, now) ? 1 : 0);
	if (session->helper < 0)
		session->helper = 0;
	else
		status_add_own(&session->status, session->helper);
}

/* One round over all rings. Returns 1 if one was filling up, 0, or -errno. */
static int drain_all(struct session *session, uint64_t now)
{
	bool flush = now >= session->next_flush, filling = false;
	int err = 0;

	if (flush) {
		session->skipped = programs_skipped(&session->programs);
		session->next_flush = now + FLUSH_EVERY;
	}
	for (unsigned int i = 0; i < session->rings.possible_cpus && !err; i++) {
		struct drain *drain = &session->drains[i];
		long got;

		if (!session->draining[i])
			continue;
		got = drain_run(drain);
		if (got > session->rings.slots / 4)
			filling = true;
		err = got < 0 ? (int)got : 0;
		if (!err && flush)
			err = writer_flush(&drain->writer, 0, session->skipped, false);
		if (err)
			session_fail(session, err, drain->writer.why);
	}
	if (!err) {
		err = names_run(&session->names);
		if (err)
			session_fail(session, err, session->names.why);
	}
	return err ? err : filling;
}

static bool is_over(struct session *session, const volatile sig_atomic_t *stop, uint64_t now)
{
	struct status *status = &session->status;

	if (*stop)
		snprintf(status->stopped, sizeof(status->stopped), "SIG%s", sigabbrev_np(*stop));
	else if (session->options->command && command_poll(&session->command))
		snprintf(status->stopped, sizeof(status->stopped), "the command ended");
	else if (session->deadline && now >= session->deadline)
		snprintf(status->stopped, sizeof(status->stopped), "the duration was over");
	else
		return false;
	return true;
}

static void rest(const struct session *session, uint64_t now, bool filling)
{
	uint64_t pause = filling ? SHORT_PAUSE : PAUSE;
	struct timespec time = { 0 };

	if (session->deadline && session->deadline - now < pause)
		pause = session->deadline - now;
	time.tv_nsec = pause;
	nanosleep(&time, NULL);
}

static int loop(struct session *session, const volatile sig_atomic_t *stop)
{
	uint64_t now = machine_now();
	struct session_sums sums;
	int filling, err;

	while (!is_over(session, stop, now)) {
		filling = drain_all(session, now);
		if (filling < 0)
			return filling;
		if (now >= session->next_look) {
			session->next_look = now + LOOK_EVERY;
			err = look_for_cpus(session);
			if (err)
				return err;
		}
		look_for_modules(session, now);
		if (session->progress.shown) {
			session_sums(session, &sums);
			progress_update(&session->progress, now, sums.recorded, sums.lost);
		}
		now = machine_now();
		if (session->deadline && now >= session->deadline)
			continue;
		rest(session, now, filling);
		now = machine_now();
	}
	return 0;
}

int session_run(struct session *session, const volatile sig_atomic_t *stop)
{
	const struct options *options = session->options;
	struct rlimit files;
	int err;

	/* the command keeps the limits and the priority that it was started with */
	if (options->command) {
		err = command_start(&session->command, options->command);
		if (err)
			return session_fail(session, err, session->command.why);
	}
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	/* a consumer that waits for its turn loses: see bench/ */
	if (setpriority(PRIO_PROCESS, 0, -20) && options->verbose)
		fprintf(stderr, "kmemtraced: no high priority: %s\n", strerror(errno));

	err = programs_attach(&session->programs);
	if (err)
		return session_fail(session, err, session->programs.why);
	session->begin = session->status.begin = machine_now();
	progress_init(&session->progress, options->quiet, session->begin);
	if (options->duration)
		session->deadline = session->begin + (uint64_t)(options->duration * 1e9);
	err = names_add_tasks(&session->names);
	if (err)
		return session_fail(session, err, session->names.why);
	if (options->command) {
		err = command_go(&session->command);
		if (err)
			return session_fail(session, err, session->command.why);
	}
	return loop(session, stop);
}
