// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Builds each message as one datagram. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/number.h"
#include "tracer/system/notify.h"

#define NSEC_PER_USEC 1000ULL
#define STATUS_MAX 600 /* bytes of a line */

/* The path of a socket, or "@name" for a socket of the abstract name space. */
static int socket_address(const char *name, struct sockaddr_un *address, socklen_t *size)
{
	size_t length = strlen(name);

	if (*name != '/' && *name != '@')
		return -EAFNOSUPPORT;
	if (length < 2 || length >= sizeof(address->sun_path))
		return -EINVAL;
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	memcpy(address->sun_path, name, length);
	*size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (*name == '/'));
	if (*name == '@')
		address->sun_path[0] = '\0';
	return 0;
}

static int connect_to(struct notify *notify, const char *name)
{
	struct sockaddr_un address;
	socklen_t size = 0;
	int err = socket_address(name, &address, &size);

	if (err)
		return err;
	notify->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (notify->fd < 0)
		return -errno;
	if (!connect(notify->fd, (const struct sockaddr *)&address, size))
		return 0;
	err = -errno;
	notify_close(notify);
	return err;
}

/* The watchdog of another process, which passed its environment on, is not for this one. */
static int read_watchdog(struct notify *notify)
{
	const char *usec_text = getenv("WATCHDOG_USEC"), *pid_text = getenv("WATCHDOG_PID");
	uint64_t usec, pid;

	if (!usec_text)
		return 0;
	if (!number_in_range(usec_text, 1, INT64_MAX / NSEC_PER_USEC, &usec) ||
	    (pid_text && !number_in_range(pid_text, 1, INT32_MAX, &pid))) {
		snprintf(
			notify->errmsg, sizeof(notify->errmsg),
			"WATCHDOG_USEC=%s, WATCHDOG_PID=%s: these must be numbers above 0: the watchdog gets no messages",
			usec_text, pid_text ? pid_text : "");
		return -EINVAL;
	}
	if (!pid_text || pid == (uint64_t)getpid())
		notify->watchdog_every = usec * NSEC_PER_USEC / 2;
	return 0;
}

int notify_open(struct notify *notify)
{
	const char *name = getenv("NOTIFY_SOCKET");
	int err = 0;

	*notify = (struct notify){ .fd = -1 };
	if (name) {
		err = connect_to(notify, name);
		if (err)
			snprintf(
				notify->errmsg, sizeof(notify->errmsg),
				"NOTIFY_SOCKET=%s: no messages can be sent there: %s: the service manager will not know the state of kmemtraced",
				name, strerror(-err));
		else
			err = read_watchdog(notify);
	}
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
	return err;
}

void notify_close(struct notify *notify)
{
	if (notify->fd >= 0)
		close(notify->fd);
	notify->fd = -1;
}

/* A message that finds no room in the queue of the socket is dropped: false. */
static bool send_text(const struct notify *notify, const char *text)
{
	if (notify->fd < 0)
		return true;
	return write(notify->fd, text, strlen(text)) >= 0 ||
	       (errno != EAGAIN && errno != ENOBUFS && errno != EINTR);
}

void notify_step(struct notify *notify, uint64_t now)
{
	if (notify->must_say_ready)
		notify->must_say_ready = !send_text(notify, "READY=1");
	if (!notify->watchdog_every || now < notify->next_watchdog)
		return;
	if (send_text(notify, "WATCHDOG=1"))
		notify->next_watchdog = now + notify->watchdog_every;
}

void notify_ready(struct notify *notify, uint64_t now)
{
	notify->must_say_ready = true;
	notify->next_watchdog = now + notify->watchdog_every;
	notify_step(notify, now);
}

/* A newline would begin another variable. */
static void make_line(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ')
			*text = ' ';
}

void notify_status(const struct notify *notify, const char *format, ...)
{
	char status[STATUS_MAX], text[STATUS_MAX + 10];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(status, sizeof(status), format, arguments);
	va_end(arguments);
	make_line(status);
	snprintf(text, sizeof(text), "STATUS=%s", status);
	send_text(notify, text);
}

void notify_stopping(const struct notify *notify)
{
	send_text(notify, "STOPPING=1");
}

void notify_failed(const struct notify *notify, int err, const char *errmsg)
{
	char status[STATUS_MAX], text[STATUS_MAX + 40];

	snprintf(status, sizeof(status), "%s", errmsg);
	make_line(status);
	snprintf(text, sizeof(text), "STATUS=%s\nERRNO=%d", status, -err);
	send_text(notify, text);
}
