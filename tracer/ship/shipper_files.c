// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Hands over the files of summaries, and the user and the password. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/fd_message.h"
#include "base/files.h"
#include "base/inside.h"
#include "fleet/summary/summary_file.h"
#include "tracer/ship/shipper_work.h"

#define FILE_MAX 4096 /* bytes, of a file of credentials */

struct shipper_file {
	dev_t device;
	ino_t inode;
	bool is_there;
};

static bool has_suffix(const char *name)
{
	size_t length = strlen(name), suffix = strlen(SUMMARY_FILE_SUFFIX);

	return length > suffix && *name != '.' &&
	       !strcmp(name + length - suffix, SUMMARY_FILE_SUFFIX);
}

static bool is_known(struct shipper_files *files, const struct stat *about)
{
	for (size_t i = 0; i < files->count; i++)
		if (files->list[i].device == about->st_dev &&
		    files->list[i].inode == about->st_ino) {
			files->list[i].is_there = true;
			return true;
		}
	return false;
}

/* 0; -EAGAIN: there is no room for more messages; or another -errno */
static int send_file(struct shipper_files *files, int directory, const char *name, int socket)
{
	struct shipper_file *list;
	struct stat about;
	char text[NAME_MAX + 8];
	int fd, err = 0;

	if (fstatat(directory, name, &about, AT_SYMLINK_NOFOLLOW) || !S_ISREG(about.st_mode) ||
	    about.st_uid != geteuid() || is_known(files, &about))
		return 0;
	fd = inside_open_regular(directory, name);
	/* it was removed just now */
	if (fd < 0)
		return 0;
	list = array_grow(files->list, files->count, sizeof(*list));
	if (list)
		files->list = list;
	snprintf(text, sizeof(text), "file %s", name);
	err = !list ? -ENOMEM : fstat(fd, &about) ? -errno : 0;
	if (!err)
		err = fd_message_send(socket, text, strlen(text), fd);
	close(fd);
	if (!err)
		list[files->count++] = (struct shipper_file){ .device = about.st_dev,
							      .inode = about.st_ino,
							      .is_there = true };
	return err;
}

/* The inode of a file that was removed can be that of a new one. */
static void remove_missing(struct shipper_files *files)
{
	size_t kept = 0;

	for (size_t i = 0; i < files->count; i++)
		if (files->list[i].is_there)
			files->list[kept++] = files->list[i];
	files->count = kept;
}

void shipper_files_send(struct shipper_files *files, int directory, int socket)
{
	__attribute__((cleanup(close_directory))) DIR *list = NULL;
	int fd = inside_open_directory(directory, "."), err = 0, failed = 0;
	const char *name;

	list = fd < 0 ? NULL : fdopendir(fd);
	if (!list) {
		if (fd >= 0)
			close(fd);
		return;
	}
	for (size_t i = 0; i < files->count; i++)
		files->list[i].is_there = false;
	while (!failed && (name = inside_next(list, &err)))
		failed = has_suffix(name) ? send_file(files, directory, name, socket) : 0;
	/* the list was read to its end */
	if (!err && !failed)
		remove_missing(files);
}

void shipper_files_forget(struct shipper_files *files)
{
	free(files->list);
	*files = (struct shipper_files){ 0 };
}

static int read_credentials(const char *path, char *text, size_t size, struct error *error)
{
	struct stat about;
	ssize_t length = 0;
	int fd = open_regular_file(AT_FDCWD, path), err = fd < 0 ? fd : 0;

	if (!err && fstat(fd, &about))
		err = -errno;
	if (!err && about.st_mode & 077) {
		close(fd);
		return error_format(
			error, -EACCES,
			"--ship-credentials: %s: other users may read or write it (mode %03o), and it has a password: chmod 600 it",
			path, (unsigned int)about.st_mode & 0777);
	}
	if (!err) {
		length = read(fd, text, size - 1);
		err = length < 0 ? -errno : length > FILE_MAX ? -EFBIG : 0;
	}
	if (fd >= 0)
		close(fd);
	if (err)
		error_format(error, err, "--ship-credentials: %s: %s", path, strerror(-err));
	else
		text[length] = '\0';
	return err;
}

int shipper_credentials(const struct ship_options *options, char *text, size_t size,
			struct error *error)
{
	static const char word[] = "credentials ";
	const char *user = getenv("KMEMTRACE_CLICKHOUSE_USER");
	const char *password = getenv("KMEMTRACE_CLICKHOUSE_PASSWORD");
	int length = snprintf(text, size, "%s", word);

	if (options->credentials)
		return read_credentials(options->credentials, text + length, size - (size_t)length,
					error);
	length = snprintf(text, size, "%s%s%s%s%s%s", word, user ? "user " : "", user ? user : "",
			  user && password ? "\n" : "", password ? "password " : "",
			  password ? password : "");
	if ((size_t)length < size)
		return 0;
	return error_set(
		error, -E2BIG,
		"--ship-to: KMEMTRACE_CLICKHOUSE_USER or KMEMTRACE_CLICKHOUSE_PASSWORD is too long");
}
