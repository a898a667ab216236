// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Forks the command of a capture, lets it run, and waits for it. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/system/command.h"

static int fail_command(struct command *command, int err, const char *name, const char *advice)
{
	snprintf(command->errmsg, sizeof(command->errmsg), "%s: cannot be run: %s%s", name,
		 strerror(err), advice);
	return -err;
}

static int is_program(const char *path)
{
	struct stat about;

	if (stat(path, &about))
		return -errno;
	if (!S_ISREG(about.st_mode))
		return -EACCES;
	return access(path, X_OK) ? -errno : 0;
}

int command_probe(struct command *command, char *const *arguments)
{
	const char *name = arguments[0], *path = getenv("PATH");
	char *directories, *directory, *program, *rest = NULL;
	int err = -ENOENT;

	memset(command, 0, sizeof(*command));
	if (strchr(name, '/')) {
		err = is_program(name);
		return err ? fail_command(command, -err, name, "") : 0;
	}
	directories = strdup(path ? path : "/bin:/usr/bin");
	if (!directories)
		return fail_command(command, ENOMEM, name, "");
	for (directory = strtok_r(directories, ":", &rest); directory && err;
	     directory = strtok_r(NULL, ":", &rest)) {
		if (asprintf(&program, "%s/%s", directory, name) < 0)
			continue;
		err = is_program(program);
		free(program);
	}
	free(directories);
	return err ? fail_command(command, ENOENT, name, ": it is in no directory of PATH") : 0;
}

static void run_command_child(int go, int failure, char *const *arguments,
			      const struct saved_process_state *saved)
{
	char byte;
	int err;

	/* end of file: kmemtraced ended before command_go() */
	if (read(go, &byte, 1) != 1)
		_exit(2);
	if (saved->output_to_stderr)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	process_state_restore(saved);
	execvp(arguments[0], arguments);
	err = errno;
	if (write(failure, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

int command_start(struct command *command, char *const *arguments,
		  const struct saved_process_state *saved)
{
	int go[2], failure[2];

	memset(command, 0, sizeof(*command));
	if (pipe2(go, O_CLOEXEC))
		return fail_command(command, errno, arguments[0], "");
	if (pipe2(failure, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return fail_command(command, errno, arguments[0], "");
	}
	command->pid = fork();
	if (!command->pid) {
		close(go[1]);
		close(failure[0]);
		run_command_child(go[0], failure[1], arguments, saved);
	}
	close(go[0]);
	close(failure[1]);
	command->go = go[1];
	command->failure = failure[0];
	if (command->pid < 0) {
		command->pid = 0;
		close(command->go);
		close(command->failure);
		return fail_command(command, errno, arguments[0], "");
	}
	return 0;
}

int command_go(struct command *command)
{
	int err = 0;

	if (write(command->go, "", 1) != 1)
		err = errno;
	close(command->go);
	command->go = -1;
	/* if exec succeeds, the pipe is closed and nothing was written */
	if (!err && read(command->failure, &err, sizeof(err)) != sizeof(err))
		err = 0;
	close(command->failure);
	return err ? fail_command(command, err, "the command", "") : 0;
}

bool command_poll(struct command *command)
{
	if (command->pid && !command->ended &&
	    waitpid(command->pid, &command->status, WNOHANG) == command->pid)
		command->ended = true;
	return command->ended;
}

void command_wait(struct command *command, int signal_number)
{
	if (!command->pid || command->ended)
		return;
	/* a child that still waits reads the end of the pipe, and exits */
	if (command->go >= 0)
		close(command->go);
	command->go = -1;
	if (signal_number)
		kill(command->pid, signal_number);
	while (waitpid(command->pid, &command->status, 0) < 0 && errno == EINTR)
		if (stop_signal())
			kill(command->pid, SIGTERM);
	command->ended = true;
}

int command_exit(const struct command *command)
{
	if (WIFSIGNALED(command->status))
		return 128 + WTERMSIG(command->status);
	return WEXITSTATUS(command->status);
}
