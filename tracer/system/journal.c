// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Builds each message as one datagram. */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/number.h"
#include "base/text.h"
#include "tracer/system/journal.h"

/* JOURNAL_STREAM is DEVICE:INODE of the standard error that systemd has opened. */
static bool is_stderr(const char *stream)
{
	uint64_t device, inode;
	struct stat about;

	return number_parse(&stream, 10, &device) && *stream++ == ':' &&
	       number_parse(&stream, 10, &inode) && !*stream && !fstat(STDERR_FILENO, &about) &&
	       about.st_dev == device && about.st_ino == inode;
}

void journal_open(struct journal *journal, const char *socket_path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const char *stream = getenv("JOURNAL_STREAM");

	journal->fd = -1;
	if (!stream || !is_stderr(stream) || strlen(socket_path) >= sizeof(address.sun_path))
		return;
	strcpy(address.sun_path, socket_path);
	journal->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (journal->fd >= 0 &&
	    connect(journal->fd, (const struct sockaddr *)&address, sizeof(address)))
		journal_close(journal);
}

void journal_close(struct journal *journal)
{
	if (journal->fd >= 0)
		close(journal->fd);
	journal->fd = -1;
}

/* A value with a line feed would need another form of the protocol. */
static void write_field(FILE *file, const char *name, const char *value)
{
	fprintf(file, "%s=", name);
	for (; *value; value++)
		putc((unsigned char)*value < ' ' ? ' ' : *value, file);
	putc('\n', file);
}

bool journal_send(const struct journal *journal, enum journal_priority priority,
		  const char *message, const struct journal_field *fields, size_t count)
{
	char *text = NULL;
	size_t size = 0;
	bool sent;
	FILE *file;

	file = journal->fd < 0 ? NULL : text_open(&text, &size);
	if (!file)
		return false;
	write_field(file, "MESSAGE", message);
	fprintf(file, "PRIORITY=%d\nSYSLOG_IDENTIFIER=%s\n", priority,
		program_invocation_short_name);
	for (size_t i = 0; i < count; i++)
		write_field(file, fields[i].name, fields[i].value);
	sent = !text_close(file, &text) && write(journal->fd, text, size) == (ssize_t)size;
	free(text);
	return sent;
}
