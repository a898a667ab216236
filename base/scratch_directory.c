// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Makes temporary directories, and removes them. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/inside.h"
#include "base/scratch_directory.h"
#include "base/worker.h"

static void remove_now(const struct scratch_directory *scratch)
{
	inside_remove_all(scratch->fd);
	rmdir(scratch->path);
}

/* 0 or -errno: then there is nothing to remove. */
static int make_now(struct scratch_directory *scratch)
{
	int err;

	if (!mkdtemp(scratch->path))
		return -errno;
	scratch->fd = open(scratch->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	err = scratch->fd < 0 ? -errno : 0;
	if (err)
		rmdir(scratch->path);
	return err;
}

/* The message of the guard to its program. */
struct made {
	int err;
	char path[PATH_MAX];
};

/*
 * In the process of the guard, which makes the directory itself: the program may be killed at any
 * time. A session of its own: signals of the terminal do not reach it.
 */
__attribute__((noreturn)) static void guard_directory(struct scratch_directory *scratch, int socket)
{
	struct made made = { 0 };
	char byte;

	setsid();
	made.err = make_now(scratch);
	memcpy(made.path, scratch->path, sizeof(made.path));
	/* if the program has ended, read() says so */
	send(socket, &made, sizeof(made), MSG_NOSIGNAL);
	while (read(socket, &byte, 1) < 0 && errno == EINTR)
		;
	if (!made.err)
		remove_now(scratch);
	_exit(0);
}

static int receive_path(struct scratch_directory *scratch)
{
	struct made made;
	ssize_t got;

	do
		got = recv(scratch->guard, &made, sizeof(made), MSG_WAITALL);
	while (got < 0 && errno == EINTR);
	if (got != sizeof(made))
		return got < 0 ? -errno : -EIO;
	if (made.err)
		return made.err;
	memcpy(scratch->path, made.path, sizeof(made.path));
	scratch->fd = open(scratch->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return scratch->fd < 0 ? -errno : 0;
}

static void end_guard(struct scratch_directory *scratch)
{
	if (scratch->guard < 0)
		return;
	close(scratch->guard);
	worker_wait(scratch->guard_pid);
}

static int make_guarded(struct scratch_directory *scratch)
{
	int ends[2], err;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	scratch->guard_pid = fork();
	if (!scratch->guard_pid) {
		close(ends[1]);
		guard_directory(scratch, ends[0]);
	}
	close(ends[0]);
	scratch->guard = ends[1];
	if (scratch->guard_pid < 0) {
		err = -errno;
		close(scratch->guard);
		return err;
	}
	err = receive_path(scratch);
	if (err)
		end_guard(scratch);
	return err;
}

int scratch_directory_make(struct scratch_directory *scratch, const char *prefix, bool guarded)
{
	int length, err;

	*scratch = (struct scratch_directory){ .fd = -1, .guard = -1 };
	length = snprintf(scratch->path, sizeof(scratch->path), "%s.XXXXXX", prefix);
	if (length >= (int)sizeof(scratch->path))
		err = -ENAMETOOLONG;
	else
		err = guarded ? make_guarded(scratch) : make_now(scratch);
	if (err)
		*scratch = (struct scratch_directory){ .fd = -1, .guard = -1 };
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
	remove_now(scratch);
	close(scratch->fd);
	end_guard(scratch);
	*scratch = (struct scratch_directory){ .fd = -1, .guard = -1 };
}
