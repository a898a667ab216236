/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages with fields for the journal of systemd, in its native protocol: a datagram of lines
 * "NAME=value". Used if standard error goes to the journal, as $JOURNAL_STREAM says; then a message
 * has fields, and else a line on standard error.
 */
#ifndef TRACER_SYSTEM_JOURNAL_H
#define TRACER_SYSTEM_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#define JOURNAL_SOCKET "/run/systemd/journal/socket"

/* Priorities of syslog(3). */
enum journal_priority {
	JOURNAL_WARNING = 4,
	JOURNAL_NOTICE = 5,
	JOURNAL_INFO = 6,
};

struct journal {
	int fd; /* of the socket; -1: none */
};

struct journal_field {
	const char *name;  /* "KMEMTRACE_TRIGGER" */
	const char *value; /* control characters in it become blanks */
};

/* Connects to the socket, before privileges are given up. fd stays -1 if that cannot be done. */
void journal_open(struct journal *journal, const char *socket);
void journal_close(struct journal *journal);

/* False: there is no journal, or no room in its queue. */
bool journal_send(const struct journal *journal, enum journal_priority priority,
		  const char *message, const struct journal_field *fields, size_t count);

#endif
