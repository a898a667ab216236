/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The notification protocol of systemd, as sd_notify(3) describes it: datagrams of "NAME=value"
 * lines to the socket in $NOTIFY_SOCKET. The socket is connected at the start, so that write() is
 * enough later, when system calls and files are restricted. No message ever waits.
 */
#ifndef TRACER_SYSTEM_NOTIFY_H
#define TRACER_SYSTEM_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

struct notify {
	int fd;			 /* connected; -1: no service manager listens */
	uint64_t watchdog_every; /* ns: half of the watchdog's timeout; 0: there is none */
	uint64_t next_watchdog;	 /* ns, CLOCK_MONOTONIC */
	bool must_say_ready;	 /* the message could not be sent yet */
	char errmsg[400];	 /* of notify_open() */
};

/*
 * Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID, removes them from the environment, so that a
 * child does not notify, and connects. 0, also if they are not set, or -errno with errmsg set: then
 * the other functions do nothing.
 */
int notify_open(struct notify *notify);
void notify_close(struct notify *notify);

/* The service is ready, and the watchdog starts. now: ns, CLOCK_MONOTONIC. */
void notify_ready(struct notify *notify, uint64_t now);

/* Keeps the watchdog quiet, and repeats the message of notify_ready() if it could not be sent. */
void notify_step(struct notify *notify, uint64_t now);

/* A line that systemctl status shows. */
__attribute__((format(printf, 2, 3))) void notify_status(const struct notify *notify,
							 const char *format, ...);

void notify_stopping(const struct notify *notify);

/* The service fails: with -errno, and a line for systemctl status. */
void notify_failed(const struct notify *notify, int err, const char *errmsg);

#endif
