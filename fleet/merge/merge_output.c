// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Makes the output under another name, and renames it at the end. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/inside.h"
#include "cli/message.h"
#include "fleet/merge/merge_output.h"

#define FOLDER "summaries"
#define FILE_NAME FOLDER "/merged.kms"
#define NEW_NAME FOLDER "/.merged.kms.new"

static int fail_output(const struct merge_output *output, const char *name, int err)
{
	return error_msg("%s/%s: %s", output->path, name, strerror(-err));
}

static int check_old(const struct merge_output *output)
{
	struct stat state;

	if (output->is_forced || fstatat(output->directory, FILE_NAME, &state, AT_SYMLINK_NOFOLLOW))
		return 0;
	return error_msg("%s/%s exists: name another directory, or replace it with -f",
			 output->path, FILE_NAME);
}

static int open_output_file(struct merge_output *output)
{
	int fd, err = inside_make_directory(output->directory, FOLDER, 0777);

	if (err && err != -EEXIST)
		return fail_output(output, FOLDER, err);
	inside_unlink(output->directory, NEW_NAME);
	fd = inside_open(output->directory, NEW_NAME, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			 0666);
	if (fd < 0)
		return fail_output(output, NEW_NAME, fd);
	output->file = fdopen(fd, "w");
	if (!output->file) {
		err = fail_output(output, NEW_NAME, -errno);
		close(fd);
		return err;
	}
	return 0;
}

int merge_output_open(struct merge_output *output, const char *path, bool is_forced)
{
	int status;

	*output = (struct merge_output){ .path = path, .is_forced = is_forced, .directory = -1 };
	if (!strcmp(path, "-")) {
		output->file = stdout;
		return 0;
	}
	if (mkdir(path, 0777) && errno != EEXIST)
		return error_msg("%s: %s", path, strerror(errno));
	output->directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (output->directory < 0)
		return error_msg("%s: %s", path, strerror(errno));
	status = check_old(output);
	if (!status)
		status = open_output_file(output);
	if (status)
		close(output->directory);
	return status;
}

int merge_output_close(struct merge_output *output, int status)
{
	int err;

	if (output->file == stdout)
		return close_stdout(status);
	err = close_synced(output->file);
	if (err && status < EXIT_TROUBLE)
		status = fail_output(output, NEW_NAME, err);
	if (status < EXIT_TROUBLE && check_old(output))
		status = EXIT_TROUBLE;
	if (status < EXIT_TROUBLE) {
		err = inside_rename(output->directory, NEW_NAME, FILE_NAME);
		if (err)
			status = fail_output(output, FILE_NAME, err);
	}
	if (status >= EXIT_TROUBLE)
		inside_unlink(output->directory, NEW_NAME);
	close(output->directory);
	return status;
}
