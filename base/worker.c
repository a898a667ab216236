// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/worker.h"

static void close_pipe(int pipe[2])
{
	for (int i = 0; i < 2; i++)
		if (pipe[i] >= 0)
			close(pipe[i]);
}

int worker_start(struct worker *worker, int (*work)(void *data, int requests, int answers),
		 void *data)
{
	int requests[2] = { -1, -1 }, answers[2] = { -1, -1 }, err;

	*worker = (struct worker){ .requests = -1, .answers = -1 };
	if (pipe2(requests, O_CLOEXEC) || pipe2(answers, O_CLOEXEC) ||
	    fcntl(requests[1], F_SETFL, O_NONBLOCK) || fcntl(answers[0], F_SETFL, O_NONBLOCK))
		goto failed;
	worker->pid = fork();
	if (worker->pid < 0)
		goto failed;
	if (!worker->pid) {
		close(requests[1]);
		close(answers[0]);
		_exit(work(data, requests[0], answers[1]));
	}
	close(requests[0]);
	close(answers[1]);
	worker->requests = requests[1];
	worker->answers = answers[0];
	return 0;
failed:
	err = -errno;
	worker->pid = 0;
	close_pipe(requests);
	close_pipe(answers);
	return err;
}

void worker_close(struct worker *worker)
{
	if (worker->requests >= 0)
		close(worker->requests);
	if (worker->answers >= 0)
		close(worker->answers);
	worker->requests = worker->answers = -1;
}

static void close_all_from(unsigned int first, unsigned int last)
{
	if (first > last)
		return;
#ifdef SYS_close_range
	if (!syscall(SYS_close_range, first, last, 0))
		return;
#endif
	/* close_range() exists since Linux 5.9 */
	for (unsigned int fd = first; fd <= last && fd < 4096; fd++)
		close((int)fd);
}

static int compare_fds(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

void worker_close_others(int *kept, size_t count)
{
	unsigned int first = STDERR_FILENO + 1;

	qsort(kept, count, sizeof(*kept), compare_fds);
	for (size_t i = 0; i < count; i++) {
		if (kept[i] < (int)first)
			continue;
		close_all_from(first, (unsigned int)kept[i] - 1);
		first = (unsigned int)kept[i] + 1;
	}
	close_all_from(first, UINT32_MAX);
}

void worker_ignore_signals(void)
{
	for (int number = 1; number < NSIG; number++)
		if (number != SIGCHLD)
			signal(number, SIG_IGN);
}

void worker_default_signals(void)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

const char *worker_end_text(int status, char *text, size_t size)
{
	if (WIFSIGNALED(status))
		snprintf(text, size, "ended by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(text, size, "exit status %d", WEXITSTATUS(status));
	return text;
}

int worker_wait(pid_t pid)
{
	int status = -1;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}
