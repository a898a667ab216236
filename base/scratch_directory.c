// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Makes temporary directories, and removes them. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/inside.h"
#include "base/scratch_directory.h"

static void remove_now(const struct scratch_directory *scratch)
{
	inside_remove_all(scratch->fd);
	rmdir(scratch->path);
}

/* In the process of the guard. A session of its own: signals of the terminal do not reach it. */
__attribute__((noreturn)) static void wait_and_remove(const struct scratch_directory *scratch,
						      int pipe_end)
{
	char byte;

	setsid();
	while (read(pipe_end, &byte, 1) < 0 && errno == EINTR)
		;
	remove_now(scratch);
	_exit(0);
}

static int start_guard(struct scratch_directory *scratch)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid) {
		close(ends[1]);
		wait_and_remove(scratch, ends[0]);
	}
	close(ends[0]);
	if (pid < 0) {
		close(ends[1]);
		return -errno;
	}
	scratch->guard = ends[1];
	scratch->guard_pid = pid;
	return 0;
}

int scratch_directory_make(struct scratch_directory *scratch, const char *prefix, bool guarded)
{
	int length, err = 0;

	*scratch = (struct scratch_directory){ .fd = -1, .guard = -1 };
	length = snprintf(scratch->path, sizeof(scratch->path), "%s.XXXXXX", prefix);
	if (length >= (int)sizeof(scratch->path))
		err = -ENAMETOOLONG;
	else if (!mkdtemp(scratch->path))
		err = -errno;
	if (err) {
		*scratch->path = '\0';
		return err;
	}
	scratch->fd = open(scratch->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (scratch->fd < 0)
		err = -errno;
	else if (guarded)
		err = start_guard(scratch);
	if (err)
		scratch_directory_remove(scratch);
	return err;
}

int scratch_directory_make_temporary(struct scratch_directory *scratch, bool guarded)
{
	const char *folder = secure_getenv("TMPDIR");
	char prefix[PATH_MAX];

	if (snprintf(prefix, sizeof(prefix), "%s/kmemtrace", folder && *folder ? folder : "/tmp") >=
	    (int)sizeof(prefix))
		return -ENAMETOOLONG;
	return scratch_directory_make(scratch, prefix, guarded);
}

void scratch_directory_remove(struct scratch_directory *scratch)
{
	if (!*scratch->path)
		return;
	if (scratch->fd >= 0) {
		remove_now(scratch);
		close(scratch->fd);
	} else {
		rmdir(scratch->path);
	}
	if (scratch->guard >= 0) {
		close(scratch->guard);
		waitpid(scratch->guard_pid, NULL, 0);
	}
	*scratch = (struct scratch_directory){ .fd = -1, .guard = -1 };
}
