// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include "fleet/ship/receive.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd_message.h"

#define CREDENTIALS "credentials "
#define FILE_WORD "file "
#define MESSAGE_MAX 8192 /* bytes */
#define FIRST_WAIT 10000 /* ms */

static int fail_descriptors(struct clickhouse_credentials *credentials, const char *what)
{
	return error_format(
		&credentials->error, -EINVAL,
		"--descriptors: standard input %s: kmemtraced --ship-to uses this option", what);
}

int ship_receive_credentials(struct clickhouse_credentials *credentials, int socket)
{
	struct pollfd wait = { .fd = socket, .events = POLLIN };
	char text[MESSAGE_MAX];
	int fd, err;

	*credentials = (struct clickhouse_credentials){ 0 };
	if (poll(&wait, 1, FIRST_WAIT) != 1)
		return fail_descriptors(credentials, "has no message");
	if (fd_message_receive(socket, text, sizeof(text), &fd) <= 0)
		return fail_descriptors(credentials, "is not such a socket, or has ended");
	if (fd >= 0)
		close(fd);
	if (strncmp(text, CREDENTIALS, strlen(CREDENTIALS)) != 0)
		return fail_descriptors(credentials, "has another message");
	err = clickhouse_credentials_parse(credentials, text + strlen(CREDENTIALS),
					   "--ship-credentials");
	explicit_bzero(text, sizeof(text));
	return err;
}

static int receive_file(struct ship_files *files, const char *text, int fd)
{
	if (fd >= 0 && strncmp(text, FILE_WORD, strlen(FILE_WORD)) == 0)
		return ship_files_receive(files, text + strlen(FILE_WORD), fd);
	if (fd >= 0)
		close(fd);
	snprintf(files->errmsg, sizeof(files->errmsg),
		 "a message without a file: are too many files open?");
	return -EMFILE;
}

int ship_receive_files(struct ship_files *files, int socket)
{
	char text[MESSAGE_MAX];
	ssize_t length;
	int fd, err = 0;

	while ((length = fd_message_receive(socket, text, sizeof(text), &fd)) > 0) {
		int failed = receive_file(files, text, fd);

		err = err ? err : failed;
	}
	if (err)
		return err;
	return length != -EAGAIN;
}

bool ship_receive_has_ended(int socket)
{
	struct pollfd state = { .fd = socket, .events = POLLRDHUP };

	return poll(&state, 1, 0) == 1 && state.revents & (POLLRDHUP | POLLHUP | POLLERR);
}
