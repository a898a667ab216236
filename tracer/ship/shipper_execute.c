// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Runs kmemtrace-ship, with nothing of kmemtraced's but a socket and the directory of its state. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/worker.h"
#include "tracer/ship/shipper_work.h"

#define MEMORY "256M" /* of kmemtrace-ship at most */
#define TIMEOUT "30s" /* of a request */
#define ARGUMENTS_MAX 10

static int become_user(const struct shipper_work *work)
{
	if (!work->changes_user)
		return 0;
	return setgroups(0, NULL) || setresgid(work->group, work->group, work->group) ||
			       setresuid(work->user, work->user, work->user)
		       ? -errno
		       : 0;
}

/* It may not run before others, and is killed before others for lack of memory. */
static void lower_priority(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		if (write(fd, "500", 3) != 3)
			errno = 0;
		close(fd);
	}
	setpriority(PRIO_PROCESS, 0, 5);
}

struct shipper_arguments {
	char *list[ARGUMENTS_MAX + 1];
	size_t count;
	char texts[PATH_MAX * 3];
	size_t used;
};

/* An argument that does not fit is missing, and kmemtrace-ship says so. */
__attribute__((format(printf, 2, 3))) static void add_argument(struct shipper_arguments *arguments,
							       const char *format, ...)
{
	size_t room = sizeof(arguments->texts) - arguments->used;
	char *text = arguments->texts + arguments->used;
	va_list values;
	int length;

	va_start(values, format);
	length = vsnprintf(text, room, format, values);
	va_end(values);
	if (length < 0 || (size_t)length >= room || arguments->count == ARGUMENTS_MAX)
		return;
	arguments->list[arguments->count++] = text;
	arguments->used += (size_t)length + 1;
}

static void set_arguments(const struct shipper_work *work, struct shipper_arguments *arguments)
{
	const struct ship_options *options = work->settings->options;

	add_argument(arguments, "kmemtrace-ship");
	add_argument(arguments, "--descriptors");
	add_argument(arguments, "--to=%s", options->url);
	/* each server has its own state */
	add_argument(arguments, "--state=%016" PRIx64 ".state", hash_text(0, options->url));
	add_argument(arguments, "--max-memory=" MEMORY);
	add_argument(arguments, "--timeout=" TIMEOUT);
	if (options->max_wait)
		add_argument(arguments, "--max-wait=%s", options->max_wait);
	if (work->ca)
		add_argument(arguments, "--ca=%s", work->ca);
	if (work->settings->quiet)
		add_argument(arguments, "--quiet");
}

__attribute__((noreturn)) static void execute_ship(const struct shipper_work *work, int socket)
{
	struct shipper_arguments arguments = { 0 };

	set_arguments(work, &arguments);
	/* a signal of the terminal is for kmemtraced only */
	setpgid(0, 0);
	process_state_restore(work->settings->saved);
	worker_default_signals();
	lower_priority();
	/* it gets them over the socket */
	unsetenv("KMEMTRACE_CLICKHOUSE_USER");
	unsetenv("KMEMTRACE_CLICKHOUSE_PASSWORD");
	/* only the user may go to this directory: the process has no CAP_DAC_OVERRIDE */
	if (dup2(socket, STDIN_FILENO) < 0 || become_user(work) || fchdir(work->state))
		_exit(SHIPPER_NO_USER);
	execv(work->path, arguments.list);
	/* the user may not go through the directories on the way to it */
	fexecve(work->program, arguments.list, environ);
	_exit(SHIPPER_NO_PROGRAM);
}

pid_t shipper_execute(const struct shipper_work *work, int socket)
{
	pid_t pid = fork();

	if (!pid)
		execute_ship(work, socket);
	return pid < 0 ? -errno : pid;
}
