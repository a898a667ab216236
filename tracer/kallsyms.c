// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* /proc/kallsyms is a seq_file: each read() makes a page of text at most, and looks one line ahead.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

#include "kernel/symbols.h"
#include "tracer/kallsyms.h"

#define PATH "/proc/kallsyms"
#define READ_BYTES 4096 /* no page is smaller */
#define READS 16	/* of kallsyms_advance() */

/* Writes the lines of code from here on. modules: only those of modules. */
static int copy_lines(FILE *kallsyms, gzFile file, bool modules, off_t *modules_at)
{
	char *line = NULL;
	size_t space = 0;
	off_t at = 0;
	ssize_t size;
	int err = 0;

	if (modules_at)
		*modules_at = -1;
	errno = 0;
	while (!err && (size = getline(&line, &space, kallsyms)) > 0) {
		bool of_module = memchr(line, '[', (size_t)size);

		if (of_module && modules_at && *modules_at < 0)
			*modules_at = at;
		at += size;
		if ((of_module || !modules) && symbols_is_code(line) && gzputs(file, line) < 0)
			err = errno ? -errno : -EIO;
	}
	if (!err && !feof(kallsyms))
		err = errno ? -errno : -EIO;
	if (modules_at && *modules_at < 0)
		*modules_at = at;
	free(line);
	return err;
}

int kallsyms_copy(gzFile file, off_t *modules_at)
{
	FILE *kallsyms = fopen(PATH, "re");
	int err;

	if (!kallsyms)
		return -errno;
	err = copy_lines(kallsyms, file, false, modules_at);
	fclose(kallsyms);
	return err;
}

int kallsyms_open(struct kallsyms *kallsyms, off_t modules_at)
{
	/* the line ahead must not be one of a module: the kernel would remember it */
	off_t margin = 2 * MAX(sysconf(_SC_PAGESIZE), READ_BYTES);

	kallsyms->fd = open(PATH, O_RDONLY | O_CLOEXEC);
	kallsyms->at = 0;
	kallsyms->end = modules_at - margin;
	return kallsyms->fd < 0 ? -errno : 0;
}

bool kallsyms_advance(struct kallsyms *kallsyms)
{
	char text[READ_BYTES];
	ssize_t got = 0;

	for (int i = 0; i < READS && kallsyms->at < kallsyms->end; i++) {
		got = read(kallsyms->fd, text, sizeof(text));
		if (got <= 0)
			return false;
		kallsyms->at += got;
	}
	return kallsyms->at < kallsyms->end;
}

int kallsyms_copy_modules(struct kallsyms *kallsyms, gzFile file)
{
	FILE *rest = fdopen(kallsyms->fd, "re");
	int err;

	if (!rest)
		return -errno;
	kallsyms->fd = -1;
	/* a first line that is cut off is one of the kernel's own */
	err = copy_lines(rest, file, true, NULL);
	fclose(rest);
	return err;
}

void kallsyms_close(struct kallsyms *kallsyms)
{
	if (kallsyms->fd >= 0)
		close(kallsyms->fd);
	kallsyms->fd = -1;
}
