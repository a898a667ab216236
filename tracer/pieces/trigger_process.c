// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Two pipes: a request and an answer are small enough to be written as a whole or not at all. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/inside.h"
#include "base/worker.h"
#include "tracer/load/machine.h"
#include "tracer/pieces/trigger_process.h"

_Static_assert(sizeof(struct trigger_request) <= PIPE_BUF, "a request is written at once");
_Static_assert(sizeof(struct trigger_answer) <= PIPE_BUF, "and an answer too");

static void set_environment(const struct trigger_request *request, const char *path)
{
	char victim[24];

	setenv("KMEMTRACE_TRIGGER", request->trigger, 1);
	setenv("KMEMTRACE_MESSAGE", request->message, 1);
	unsetenv("KMEMTRACE_PATH");
	unsetenv("KMEMTRACE_VICTIM");
	unsetenv("KMEMTRACE_VICTIM_NAME");
	if (path)
		setenv("KMEMTRACE_PATH", path, 1);
	if (!request->victim)
		return;
	snprintf(victim, sizeof(victim), "%" PRIu32, request->victim);
	setenv("KMEMTRACE_VICTIM", victim, 1);
	setenv("KMEMTRACE_VICTIM_NAME", request->victim_name, 1);
}

/*
 * Other users see the arguments of a process, but not its variables. The programs that the command
 * runs do not get the variable.
 */
#define COMMAND "KMEMTRACE_COMMAND"
#define SCRIPT "eval \"unset " COMMAND "; $" COMMAND " \\\"\\$@\\\"\""

/* In the child: the shell appends the path to the command. */
__attribute__((noreturn)) static void
execute_command(const struct trigger_process_settings *settings,
		const struct trigger_request *request, const char *path)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null >= 0)
		dup2(null, STDIN_FILENO);
	set_environment(request, path);
	process_state_restore(settings->saved);
	worker_default_signals();
	if (!setenv(COMMAND, settings->command, 1))
		execl("/bin/sh", "sh", "-c", SCRIPT, "sh", path, NULL);
	_exit(127);
}

static void run_trigger_command(const struct trigger_process_settings *settings,
				const struct trigger_request *request, const char *path,
				struct trigger_answer *answer)
{
	pid_t child = fork();

	if (!child)
		execute_command(settings, request, path);
	if (child < 0)
		answer->err = -errno;
	else
		answer->status = worker_wait(child);
}

/* In the child: a new dump, or one that was left. */
static int write_dump(const struct trigger_process_settings *settings,
		      const struct trigger_request *request, struct set_dump_left *left,
		      struct set_dump_result *result)
{
	struct dump_request asked = { .last = request->last_piece };

	if (left)
		return set_dump_finish_left(left, result);
	memcpy(asked.trigger, request->trigger, sizeof(asked.trigger));
	return set_dump_make(&settings->dump, &asked, result);
}

/*
 * In a process of its own, so that the memory for checkpoints goes back. The answer is in memory
 * that both share.
 */
static void dump_in_child(const struct trigger_process_settings *settings,
			  const struct trigger_request *request, struct set_dump_left *left,
			  struct trigger_answer *answer)
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		struct set_dump_result result;

		answer->err = write_dump(settings, request, left, &result);
		memcpy(answer->path, result.path, sizeof(answer->path));
		answer->error = result.error;
		answer->pieces = result.pieces;
		answer->incomplete = result.incomplete;
		_exit(0);
	}
	if (child < 0)
		answer->err = -errno;
	else
		status = worker_wait(child);
	if (WIFSIGNALED(status)) {
		answer->err = -ECHILD;
		snprintf(answer->path, sizeof(answer->path), "%s.dump", settings->path);
		snprintf(
			answer->error.text, sizeof(answer->error.text),
			"the process that wrote it was ended by signal %d (%s): the next kmemtraced finishes it",
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	} else if (answer->err) {
		error_set_at(&answer->error, answer->err, "the process that writes it");
	}
}

/* The work for requests, one after the other. */
struct trigger_work {
	const struct trigger_process_settings *settings;
	int answers;
	unsigned int last_piece; /* of the last dump, whose path is in *dumped; 0: none */
	char dumped[DUMP_PATH];
	uint64_t full_end; /* ns, CLOCK_MONOTONIC: of the last full capture, whose path is in *full
			    */
	char full[DUMP_PATH];
	struct trigger_answer *answer; /* shared with children */
};

static void send_answer(const struct trigger_work *work)
{
	/* kmemtraced may have ended */
	while (write(work->answers, work->answer, sizeof(*work->answer)) < 0 && errno == EINTR)
		;
}

static void begin_answer(const struct trigger_work *work, const struct trigger_request *request)
{
	memset(work->answer, 0, sizeof(*work->answer));
	memcpy(work->answer->trigger, request->trigger, sizeof(work->answer->trigger));
}

/* Triggers that fire together have one dump. */
static void take_dump(struct trigger_work *work, const struct trigger_request *request)
{
	if (!request->last_piece || request->last_piece == work->last_piece)
		return;
	begin_answer(work, request);
	dump_in_child(work->settings, request, NULL, work->answer);
	work->last_piece = request->last_piece;
	*work->dumped = '\0';
	if (!work->answer->err)
		memcpy(work->dumped, work->answer->path, sizeof(work->dumped));
	send_answer(work);
}

/* A full capture begins when the trigger fires: it has the events after that. */
static void take_full(struct trigger_work *work, const struct trigger_request *request)
{
	const struct trigger_process_settings *settings = work->settings;
	struct trigger_answer *answer = work->answer;

	if (!settings->full || request->is_signal || request->time < work->full_end)
		return;
	begin_answer(work, request);
	answer->is_full = true;
	answer->err = trigger_record_full(settings->path, settings->full, settings->saved,
					  answer->path, sizeof(answer->path), &answer->status);
	work->full_end = machine_now();
	*work->full = '\0';
	if (!answer->err && !answer->status)
		memcpy(work->full, answer->path, sizeof(work->full));
	send_answer(work);
}

/* The path for the command: that of the recording for it, else of the capture. NULL: none. */
static const char *path_of(const struct trigger_work *work, const struct trigger_request *request)
{
	if (*work->full)
		return work->full;
	return request->last_piece && *work->dumped ? work->dumped : work->settings->path;
}

static void take_request(struct trigger_work *work, const struct trigger_request *request)
{
	const struct trigger_process_settings *settings = work->settings;

	take_dump(work, request);
	take_full(work, request);
	if (!settings->command || request->is_signal)
		return;
	begin_answer(work, request);
	run_trigger_command(settings, request, path_of(work, request), work->answer);
	send_answer(work);
}

/* Finishes the dumps that kmemtraced had begun when it was killed. */
static void finish_left(struct trigger_work *work)
{
	struct set_dump_left_list *left = work->settings->left;

	for (size_t i = 0; left && i < left->count; i++) {
		struct trigger_request request = { 0 };

		memcpy(request.trigger, left->list[i].request.trigger, sizeof(request.trigger));
		begin_answer(work, &request);
		work->answer->is_left = true;
		left->list[i].pieces.from = work->settings->dump.set;
		dump_in_child(work->settings, &request, &left->list[i], work->answer);
		send_answer(work);
	}
	if (left)
		set_dump_left_deinit(left);
}

/*
 * The set again, without its lock: after kmemtraced was killed, a dump or a command may go on, and
 * the next one must get the lock.
 */
static int open_unlocked(int set)
{
	int again = set < 0 ? -1 : inside_open_directory(set, ".");

	if (set >= 0)
		close(set);
	return again;
}

/* kmemtraced has fewer privileges than this process: a text may be without its end. */
static bool read_request(int requests, struct trigger_request *request)
{
	if (read(requests, request, sizeof(*request)) != sizeof(*request))
		return false;
	request->trigger[sizeof(request->trigger) - 1] = '\0';
	request->message[sizeof(request->message) - 1] = '\0';
	request->victim_name[sizeof(request->victim_name) - 1] = '\0';
	return !request->is_last;
}

static int run_trigger_process(void *data, int requests, int answers)
{
	struct trigger_process_settings *settings = data;
	struct trigger_work work = { .settings = settings, .answers = answers };
	struct trigger_request request;

	settings->dump.set = open_unlocked(settings->dump.set);
	work.answer = mmap(NULL, sizeof(*work.answer), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (work.answer == MAP_FAILED)
		return 1;
	for (unsigned int i = 0; i < 2; i++)
		if (settings->other_pipes[i] >= 0)
			close(settings->other_pipes[i]);
	/* a pipe at standard output ends only when each process has closed it */
	dup2(STDERR_FILENO, STDOUT_FILENO);
	worker_ignore_signals();
	finish_left(&work);
	while (read_request(requests, &request))
		take_request(&work, &request);
	return 0;
}

int trigger_process_start(struct worker *process, const struct trigger_process_settings *settings)
{
	struct trigger_process_settings copy = *settings;

	return worker_start(process, run_trigger_process, &copy);
}

bool trigger_process_request(struct worker *process, const struct trigger_request *request)
{
	return write(process->requests, request, sizeof(*request)) == sizeof(*request);
}

bool trigger_process_answer(struct worker *process, struct trigger_answer *answer)
{
	if (read(process->answers, answer, sizeof(*answer)) != sizeof(*answer))
		return false;
	answer->trigger[sizeof(answer->trigger) - 1] = '\0';
	answer->path[sizeof(answer->path) - 1] = '\0';
	answer->error.text[sizeof(answer->error.text) - 1] = '\0';
	return true;
}

bool trigger_process_ends(struct worker *process, int *status)
{
	static const struct trigger_request last = { .is_last = true };

	/* a process that was forked later may have the pipe, too, so its end does not come */
	if (process->requests >= 0 &&
	    (trigger_process_request(process, &last) || errno != EAGAIN)) {
		close(process->requests);
		process->requests = -1;
	}
	if (process->pid && waitpid(process->pid, status, WNOHANG))
		process->pid = 0;
	return !process->pid;
}
