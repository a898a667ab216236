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

#include "base/text.h"
#include "kernel/symbols.h"
#include "tracer/host/kallsyms.h"

#define PATH "/proc/kallsyms"
#define READ_BYTES 4096 /* no page is smaller */
#define READS 16	/* of kallsyms_advance() */

/* The text of lines. */
struct lines {
	FILE *file;
	char *text;
	size_t size;
};

static int lines_open(struct lines *lines)
{
	lines->text = NULL;
	lines->file = text_open(&lines->text, &lines->size);
	return lines->file ? 0 : -errno;
}

static int lines_close(struct lines *lines)
{
	return text_close(lines->file, &lines->text);
}

/*
 * Copies the lines of code from here on: of the kernel itself to the file, if it is not NULL, and
 * of the modules to the lines. *modules_at, if not NULL: where the first symbol of a module stands.
 */
static int copy_lines(FILE *kallsyms, gzFile file, struct lines *modules, off_t *modules_at)
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
		if (!symbols_is_code(line))
			continue;
		if (of_module && fputs(line, modules->file) < 0)
			err = -ENOMEM;
		else if (!of_module && file && gzputs(file, line) < 0)
			err = errno ? -errno : -EIO;
	}
	if (!err && !feof(kallsyms))
		err = errno ? -errno : -EIO;
	if (modules_at && *modules_at < 0)
		*modules_at = at;
	free(line);
	return err;
}

/*
 * Writes the lines of the modules. If the list of a module changed since `before`, which this call
 * frees, it writes nothing and returns -EAGAIN.
 */
static int write_modules(const struct lines *modules, struct module_phases *before, bool last,
			 gzFile file)
{
	struct module_phases after;
	int err = module_phases_read(&after);

	if (!err && !module_phases_same(before, &after, last))
		err = -EAGAIN;
	else if (modules->size && gzwrite(file, modules->text, (unsigned int)modules->size) <= 0)
		err = errno ? -errno : -EIO;
	else if (err == -ENOENT)
		err = 0; /* only BPF programs, which change nothing here */
	module_phases_deinit(before);
	module_phases_deinit(&after);
	return err;
}

/* The same as copy_lines(), and then write_modules(). */
static int copy_all(FILE *kallsyms, gzFile file, bool kernel, bool last, off_t *modules_at)
{
	struct module_phases before;
	struct lines modules;
	int failed, err;

	err = module_phases_read(&before);
	if (err && err != -ENOENT)
		return err;
	err = lines_open(&modules);
	if (!err) {
		err = copy_lines(kallsyms, kernel ? file : NULL, &modules, modules_at);
		failed = lines_close(&modules);
		if (!err)
			err = failed;
	}
	if (err)
		module_phases_deinit(&before);
	else
		err = write_modules(&modules, &before, last, file);
	free(modules.text);
	return err;
}

/* Reads the modules once more. */
static int copy_modules_again(gzFile file, bool last, off_t modules_at)
{
	struct kallsyms kallsyms;
	int err = kallsyms_open(&kallsyms, modules_at);

	return err ? err : kallsyms_copy_modules(&kallsyms, file, last);
}

int kallsyms_copy(gzFile file, off_t *modules_at)
{
	FILE *kallsyms = fopen(PATH, "re");
	int err;

	if (!kallsyms)
		return -errno;
	err = copy_all(kallsyms, file, true, false, modules_at);
	fclose(kallsyms);
	for (int i = 0; i < KALLSYMS_TRIES && err == -EAGAIN; i++)
		err = copy_modules_again(file, i == KALLSYMS_TRIES - 1, *modules_at);
	return err == -EAGAIN ? 0 : err;
}

int kallsyms_open(struct kallsyms *kallsyms, off_t modules_at)
{
	/* stop before the modules: the kernel remembers the line ahead, which must not be theirs */
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

int kallsyms_copy_modules(struct kallsyms *kallsyms, gzFile file, bool last)
{
	FILE *rest = fdopen(kallsyms->fd, "re");
	int err = rest ? 0 : -errno;

	if (err) {
		kallsyms_close(kallsyms);
		return err;
	}
	kallsyms->fd = -1;
	/* a first line that is cut off is one of the kernel's own */
	err = copy_all(rest, file, false, last, NULL);
	fclose(rest);
	return err;
}

void kallsyms_close(struct kallsyms *kallsyms)
{
	if (kallsyms->fd >= 0)
		close(kallsyms->fd);
	kallsyms->fd = -1;
}
