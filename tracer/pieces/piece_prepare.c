// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Symbols, formats and the like are links. Aliases, kmalloc()'s caches and the flags of caches
 * stand in kernel/caches, and the sizes of the caches in kernel/slabinfo, before the lines that
 * come while the capture runs: these lines are copied.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/inside.h"
#include "base/text.h"
#include "tracer/pieces/piece_set.h"

#define TABLE_BYTES_MAX ((size_t)64 << 20)
#define FILE_MODE 0644
#define KEYS 4

static const char *const linked[] = { "kernel/symbols", "kernel/gfp", "kernel/topology" };

/* The lines of a table that the next piece has too: those with one of these keys. */
static const struct {
	const char *table, *keys[KEYS];
} copied[] = {
	{ "kernel/caches", { "kmalloc", "alias", "debug", "reclaim_account" } },
	{ "kernel/slabinfo", { "sizes" } },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int copy_regular(int from, int to, const char *name)
{
	struct file_copy copy = { .from = from, .to = to, .mode = FILE_MODE };

	return copy_file(&copy, name);
}

int piece_share(int from, int to, const char *name)
{
	int err = inside_link(from, to, name);

	if (err == -EPERM || err == -EMLINK || err == -EOPNOTSUPP || err == -EXDEV ||
	    err == -ENOSYS || err == -EACCES)
		err = copy_regular(from, to, name);
	return err;
}

/* A file that is missing stays missing. */
static int share_file(int from, int to, const char *name)
{
	int err = piece_share(from, to, name);

	return err == -ENOENT ? 0 : err;
}

static int share_formats(int from, int to)
{
	__attribute__((cleanup(close_directory))) DIR *list = NULL;
	int err = 0, fd = inside_open_directory(from, "kernel/formats");
	const char *name;

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	list = fdopendir(fd);
	if (!list) {
		close(fd);
		return -ENOMEM;
	}
	while ((name = inside_next(list, &err))) {
		char path[NAME_MAX + sizeof("kernel/formats/")];

		snprintf(path, sizeof(path), "kernel/formats/%s", name);
		err = share_file(from, to, path);
	}
	return err;
}

static bool has_key(struct line *line, const char *const keys[KEYS])
{
	for (size_t i = 0; i < KEYS && keys[i]; i++)
		if (line_key(line, keys[i]))
			return true;
	return false;
}

static int write_key_lines(FILE *file, const char *text, const char *const keys[KEYS])
{
	struct line line;

	for (const char *at = text, *begin = at; line_next(&line, &at); begin = at)
		if (has_key(&line, keys))
			fwrite(begin, 1, (size_t)(at - begin), file);
	return text_write_result(file);
}

static int copy_lines(int from, int to, const char *table, const char *const keys[KEYS])
{
	__attribute__((cleanup(free_text))) char *text = NULL;
	int fd, failed, err = read_file(from, table, TABLE_BYTES_MAX, &text, NULL);
	FILE *file;

	if (err)
		return err == -ENOENT ? 0 : err;
	fd = inside_open(to, table, O_WRONLY | O_CREAT | O_EXCL, FILE_MODE);
	if (fd < 0)
		return fd;
	file = fdopen(fd, "w");
	if (!file) {
		close(fd);
		return -ENOMEM;
	}
	err = write_key_lines(file, text, keys);
	errno = 0;
	failed = fclose(file) ? -errno : 0;
	return err ? err : failed;
}

static int fill_piece(int from, int to)
{
	int err = inside_make_directory(to, "kernel", 0700);

	if (!err)
		err = inside_make_directory(to, "kernel/formats", 0700);
	for (size_t i = 0; i < COUNT(linked) && !err; i++)
		err = share_file(from, to, linked[i]);
	if (!err)
		err = share_formats(from, to);
	for (size_t i = 0; i < COUNT(copied) && !err; i++)
		err = copy_lines(from, to, copied[i].table, copied[i].keys);
	return err;
}

void piece_prepare_undo(int set, unsigned int number)
{
	char name[PIECE_NAME_SIZE];

	inside_remove_directory(set, piece_next_name(number, name));
}

int piece_prepare(int set, unsigned int number)
{
	char name[PIECE_NAME_SIZE], before[PIECE_NAME_SIZE];
	__attribute__((cleanup(close_fd))) int from =
		inside_open_directory(set, piece_name(number - 1, before));
	__attribute__((cleanup(close_fd))) int to = -1;
	int err;

	if (from < 0)
		return from;
	piece_prepare_undo(set, number);
	err = inside_make_directory(set, piece_next_name(number, name), 0700);
	if (err)
		return err;
	to = inside_open_directory(set, name);
	err = to < 0 ? to : fill_piece(from, to);
	if (err)
		piece_prepare_undo(set, number);
	return err;
}

/*
 * Replaces the content of a file of the capture by that of an open file. A reader sees all of the
 * old content, or all of the new.
 */
static int replace_content(int from, int capture, const char *name)
{
	char hidden[NAME_MAX], block[65536];
	const char *slash = strrchr(name, '/');
	int err = 0, to;
	ssize_t got;

	snprintf(hidden, sizeof(hidden), "%.*s/.%s", (int)(slash - name), name, slash + 1);
	inside_unlink(capture, hidden);
	to = inside_open(capture, hidden, O_WRONLY | O_CREAT | O_EXCL, FILE_MODE);
	if (to < 0)
		return to;
	while (!err && (got = read(from, block, sizeof(block)))) {
		errno = got < 0 ? errno : 0;
		if (got < 0)
			err = -errno;
		else if (write(to, block, (size_t)got) != got)
			err = errno ? -errno : -EIO;
	}
	close(to);
	if (!err)
		err = inside_rename(capture, hidden, name);
	if (err)
		inside_unlink(capture, hidden);
	return err;
}

int piece_unshare(int capture, const char *name)
{
	__attribute__((cleanup(close_fd))) int from = inside_open_regular(capture, name);
	struct stat about;

	if (from < 0)
		return from == -ENOENT ? 0 : from;
	if (fstat(from, &about))
		return -errno;
	return about.st_nlink == 1 ? 0 : replace_content(from, capture, name);
}

int piece_copy_newer(int from, int to, const char *name)
{
	__attribute__((cleanup(close_fd))) int newer = inside_open_regular(from, name);
	__attribute__((cleanup(close_fd))) int older = inside_open_regular(to, name);
	struct stat about, other;

	if (newer < 0)
		return newer == -ENOENT ? 0 : newer;
	if (older >= 0 && !fstat(newer, &about) && !fstat(older, &other) &&
	    about.st_dev == other.st_dev && about.st_ino == other.st_ino)
		return 0;
	return replace_content(newer, to, name);
}
