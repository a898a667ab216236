// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/files.h"
#include "tracer/system/process_state.h"

#define OOM_SCORE_FILE "/proc/self/oom_score_adj"
#define OOM_SCORE (-900) /* kmemtraced is killed only if it has nine tenths of the memory */
#define OOM_SCORE_BYTES 64

void process_state_raise_files(struct saved_process_state *saved)
{
	struct rlimit files;

	getrlimit(RLIMIT_NOFILE, &saved->files);
	files = saved->files;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

static int write_oom_score(int score)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%d", score);
	int fd = open(OOM_SCORE_FILE, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, (size_t)length) != length)
		err = -errno;
	close(fd);
	return err;
}

int process_state_protect(struct saved_process_state *saved)
{
	char *text;
	int err = read_file(AT_FDCWD, OOM_SCORE_FILE, OOM_SCORE_BYTES, &text, NULL);

	if (err)
		return err;
	saved->oom_score = atoi(text);
	free(text);
	if (saved->oom_score <= OOM_SCORE)
		return 0;
	err = write_oom_score(OOM_SCORE);
	saved->has_oom_score = !err;
	return err;
}

void process_state_restore(const struct saved_process_state *saved)
{
	stop_restore_signals(&saved->signals);
	setrlimit(RLIMIT_NOFILE, &saved->files);
	/* any process may raise it */
	if (saved->has_oom_score)
		write_oom_score(saved->oom_score);
}
