// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kmemtraced is beside this program, as in a build, or in ../sbin; or in $PATH. It ends with this
 * program, however that ends, and gets no signal from the terminal.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "cli/message.h"
#include "cli/stop.h"
#include "live/stats/details_file.h"
#include "live/top/child.h"

#define PROGRAM "kmemtraced"
#define PATH_BYTES 4096
#define END_MS 10000 /* to write its last figures */

/* "kmemtraced" if $PATH has to be searched. */
static void find_program(char path[PATH_BYTES])
{
	static const char *const beside[] = { "", "../sbin/" };
	char self[PATH_BYTES];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[length < 0 ? 0 : length] = '\0';
	for (size_t i = 0; i < 2 && length > 0; i++) {
		char copy[PATH_BYTES];

		strcpy(copy, self);
		snprintf(path, PATH_BYTES, "%s/%s" PROGRAM, dirname(copy), beside[i]);
		if (!access(path, X_OK))
			return;
	}
	strcpy(path, PROGRAM);
}

static int make_directory(struct child *child)
{
	const char *parent = getenv("TMPDIR");

	if (asprintf(&child->directory, "%s/kmemtrace-top.XXXXXX",
		     parent && *parent ? parent : "/tmp") < 0) {
		child->directory = NULL;
		return -ENOMEM;
	}
	if (!mkdtemp(child->directory)) {
		int err = -errno;

		error_msg("%s: %s: name another directory in TMPDIR", child->directory,
			  strerror(errno));
		free(child->directory);
		child->directory = NULL;
		return err;
	}
	child->path = join_path(child->directory, "memstat");
	return child->path ? 0 : -ENOMEM;
}

__attribute__((noreturn)) static void run_program(const struct child *child, const char *program,
						  const char *stacks, int log, pid_t parent,
						  const struct saved_signals *signals)
{
	char publish[PATH_BYTES];
	int null = open("/dev/null", O_RDWR);

	snprintf(publish, sizeof(publish), "--publish=%s", child->path);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_TROUBLE);
	stop_restore_signals(signals);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	execlp(program, PROGRAM, "-q", "--no-capture", publish, stacks, NULL);
	dprintf(STDERR_FILENO, "%s: %s: install kmemtraced, or start it elsewhere with --publish\n",
		program, strerror(errno));
	_exit(EXIT_TROUBLE);
}

int child_start(struct child *child, bool with_stacks, const struct saved_signals *signals)
{
	char program[PATH_BYTES];
	pid_t parent = getpid();
	int ends[2], err;

	memset(child, 0, sizeof(*child));
	child->log = -1;
	find_program(program);
	err = make_directory(child);
	if (err)
		return err;
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK)) {
		err = -errno;
		error_msg("pipe: %s", strerror(errno));
		return err;
	}
	child->log = ends[0];
	child->pid = fork();
	if (!child->pid)
		run_program(child, program, with_stacks ? "--stacks" : NULL, ends[1], parent,
			    signals);
	close(ends[1]);
	if (child->pid < 0) {
		child->pid = 0;
		err = -errno;
		error_msg("fork: %s", strerror(errno));
	}
	return err;
}

/* Keeps the last lines that it wrote. */
static void read_log(struct child *child)
{
	char more[sizeof(child->text) / 2];
	ssize_t got;

	while (child->log >= 0 && (got = read(child->log, more, sizeof(more) - 1)) > 0) {
		size_t length = strlen(child->text);

		more[got] = '\0';
		if (length + (size_t)got >= sizeof(child->text)) {
			memmove(child->text, child->text + length / 2, length - length / 2 + 1);
			length = strlen(child->text);
		}
		if (length + (size_t)got < sizeof(child->text))
			strcpy(child->text + length, more);
	}
}

bool child_is_alive(struct child *child)
{
	if (!child->pid)
		return true;
	read_log(child);
	if (!child->ended && waitpid(child->pid, &child->status, WNOHANG) == child->pid)
		child->ended = true;
	return !child->ended;
}

int child_exit_status(struct child *child)
{
	char how[60];

	if (child_is_alive(child))
		return EXIT_OK;
	read_log(child);
	child->text[strcspn(child->text, "\n")] = '\0';
	if (WIFSIGNALED(child->status))
		snprintf(how, sizeof(how), "was ended by signal %d", WTERMSIG(child->status));
	else
		snprintf(how, sizeof(how), "has ended with status %d", WEXITSTATUS(child->status));
	return error_msg("the kmemtraced that was started %s%s%s", how, *child->text ? ": " : "",
			 child->text);
}

static void wait_for_end(struct child *child)
{
	const struct timespec pause = { .tv_nsec = 10000000 };

	kill(child->pid, SIGTERM);
	for (int i = 0; i < END_MS / 10 && child_is_alive(child); i++)
		nanosleep(&pause, NULL);
	if (child_is_alive(child)) {
		kill(child->pid, SIGKILL);
		waitpid(child->pid, &child->status, 0);
	}
}

/* The files of a kmemtraced that was killed. */
static void remove_left(const struct child *child)
{
	char path[PATH_BYTES];

	if (!child->path)
		return;
	unlink(child->path);
	snprintf(path, sizeof(path), "%s" DETAILS_FILE_SUFFIX, child->path);
	unlink(path);
}

void child_end(struct child *child)
{
	if (child->pid && !child->ended)
		wait_for_end(child);
	if (child->pid && child->log >= 0)
		close(child->log);
	remove_left(child);
	if (child->directory)
		rmdir(child->directory);
	free(child->path);
	free(child->directory);
	memset(child, 0, sizeof(*child));
}
