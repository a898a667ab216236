// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * listen SOCKET OPENS: receives what a service sends to its manager: prints "PID MESSAGE" for each
 * datagram, with " | " between its lines. SOCKET: a path, or @NAME in the abstract name space. As
 * soon as a service is ready, this task opens OPENS eventfds, a file each.
 */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

__attribute__((noreturn)) static void die_listening(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

static int bind_to(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t length = strlen(name);
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0), on = 1;

	if (length >= sizeof(address.sun_path))
		die_listening(name);
	memcpy(address.sun_path, name, length);
	if (*name == '@')
		address.sun_path[0] = '\0';
	if (fd < 0 ||
	    bind(fd, (struct sockaddr *)&address,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (*name == '/'))) ||
	    setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)))
		die_listening(name);
	return fd;
}

/* The sender, as the kernel knows it. The text ends with a NUL. */
static pid_t receive_text(int fd, char *text, size_t size)
{
	char control[CMSG_SPACE(sizeof(struct ucred))];
	struct iovec part = { .iov_base = text, .iov_len = size - 1 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	const struct cmsghdr *header;
	struct ucred sender = { 0 };
	ssize_t got = recvmsg(fd, &message, 0);

	if (got < 0)
		die_listening("recvmsg");
	text[got] = '\0';
	header = CMSG_FIRSTHDR(&message);
	if (header && header->cmsg_type == SCM_CREDENTIALS)
		memcpy(&sender, CMSG_DATA(header), sizeof(sender));
	return sender.pid;
}

static void print_text(pid_t sender, const char *text)
{
	printf("%d ", (int)sender);
	for (; *text; text++)
		if (*text == '\n')
			fputs(" | ", stdout);
		else
			putchar(*text);
	putchar('\n');
	fflush(stdout);
}

int main(int argc, char **argv)
{
	long opens = argc == 3 ? atol(argv[2]) : -1;
	char text[4096];
	int fd;

	if (opens < 0)
		return 1;
	fd = bind_to(argv[1]);
	/* the buffer of standard output is allocated now */
	printf("%d listens\n", (int)getpid());
	fflush(stdout);
	for (;;) {
		pid_t sender = receive_text(fd, text, sizeof(text));

		for (long i = 0; i < opens && !strncmp(text, "READY=1", 7); i++)
			close(eventfd(0,
				      0)); /* the kernel may try open() twice, with a file each */
		print_text(sender, text);
	}
}
