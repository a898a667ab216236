// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes a page that was made in memory. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "cli/message.h"
#include "report/page_file.h"

/* Writes the page and closes the file. fd below 0: errno says why it is not open. 0 or -errno. */
static int write_page(int fd, const char *text, size_t size)
{
	int err = fd < 0 ? -errno : write_all(fd, text, size);

	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	return err;
}

/* An older page stays as it was if the new one cannot be written. */
static int replace_page(const char *path, const char *text, size_t size)
{
	__attribute__((cleanup(free_text))) char *new = NULL;
	struct stat about;
	bool is_there = !lstat(path, &about);
	int fd, err;

	if (asprintf(&new, "%s.new", path) < 0) {
		new = NULL;
		return -ENOMEM;
	}
	unlink(new);
	fd = is_there && !S_ISREG(about.st_mode)
		     ? -1
		     : open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	/* a device or a link; or the user may write this file only */
	if (fd < 0)
		return write_page(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), text,
				  size);
	if (is_there)
		fchmod(fd, about.st_mode & 0777);
	err = write_page(fd, text, size);
	if (!err && rename(new, path))
		err = -errno;
	if (err)
		unlink(new);
	return err;
}

int page_file_write(const char *path, const char *text, size_t size)
{
	int err = path ? replace_page(path, text, size) : write_all(STDOUT_FILENO, text, size);

	if (err)
		return error_msg("%s: %s", path ? path : "standard output", strerror(-err));
	if (path)
		info_msg("%s: written, %zu kB: open it in a web browser", path,
			 (size + 999) / 1000);
	return EXIT_OK;
}
