// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include "fleet/clickhouse/credentials.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"

#define FILE_MAX 4096 /* bytes */

/* A line break in a header would begin another header. */
static bool is_plain(const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	}
	return true;
}

static int set_text(struct clickhouse_credentials *credentials, char **to, const char *text,
		    const char *where)
{
	if (!is_plain(text))
		return error_format(&credentials->error, -EINVAL,
				    "%s: a user or a password has no control characters", where);
	free(*to);
	*to = strdup(text);
	return *to ? 0 : error_set(&credentials->error, -ENOMEM, strerror(ENOMEM));
}

static int parse_lines(struct clickhouse_credentials *credentials, char *text, const char *file)
{
	char *rest = text, *line;
	int err = 0;

	while (!err && (line = strsep(&rest, "\n"))) {
		if (strncmp(line, "user ", 5) == 0) {
			err = set_text(credentials, &credentials->user, line + 5, file);
		} else if (strncmp(line, "password ", 9) == 0) {
			err = set_text(credentials, &credentials->password, line + 9, file);
		} else if (*line && *line != '#') {
			err = error_format(
				&credentials->error, -EINVAL,
				"%s: a line is neither \"user NAME\" nor \"password TEXT\"", file);
		}
	}
	return err;
}

static int load_file(struct clickhouse_credentials *credentials, const char *file)
{
	char text[FILE_MAX + 1];
	struct stat status;
	ssize_t size = 0;
	int err, fd = open_regular_file(AT_FDCWD, file);

	err = fd < 0 ? fd : fstat(fd, &status) ? -errno : 0;
	if (!err && (status.st_mode & 077)) {
		close(fd);
		return error_format(
			&credentials->error, -EACCES,
			"%s: other users may read or write it (mode %03o), and it has a password: chmod 600 it",
			file, (unsigned int)status.st_mode & 0777);
	}
	if (!err) {
		size = read(fd, text, sizeof(text));
		err = size < 0 ? -errno : size > FILE_MAX ? -EFBIG : 0;
	}
	if (fd >= 0)
		close(fd);
	if (err)
		return error_set_at(&credentials->error, err, file);
	text[size] = '\0';
	err = parse_lines(credentials, text, file);
	explicit_bzero(text, sizeof(text));
	return err;
}

int clickhouse_credentials_parse(struct clickhouse_credentials *credentials, const char *text,
				 const char *where)
{
	char copy[FILE_MAX + 1];
	int err;

	*credentials = (struct clickhouse_credentials){ 0 };
	snprintf(copy, sizeof(copy), "%s", text);
	err = parse_lines(credentials, copy, where);
	explicit_bzero(copy, sizeof(copy));
	return err;
}

int clickhouse_credentials_load(struct clickhouse_credentials *credentials, const char *file)
{
	const char *user = getenv(CLICKHOUSE_USER), *password = getenv(CLICKHOUSE_PASSWORD);
	int err = 0;

	*credentials = (struct clickhouse_credentials){ 0 };
	if (file)
		return load_file(credentials, file);
	if (user)
		err = set_text(credentials, &credentials->user, user, CLICKHOUSE_USER);
	if (!err && password)
		err = set_text(credentials, &credentials->password, password, CLICKHOUSE_PASSWORD);
	return err;
}

void clickhouse_credentials_deinit(struct clickhouse_credentials *credentials)
{
	if (credentials->password)
		explicit_bzero(credentials->password, strlen(credentials->password));
	free(credentials->password);
	free(credentials->user);
	*credentials = (struct clickhouse_credentials){ 0 };
}
