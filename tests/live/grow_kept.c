// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Makers of objects that processes keep in descriptors, keyrings and timers. */
#include "config.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/keyctl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "tests/live/grow.h"

#define RIGHTS 50 /* descriptors in one message */

void make_timer(long number)
{
	struct sigevent event = { .sigev_notify = SIGEV_NONE };
	int timer;

	(void)number;
	need((int)syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer), "timer_create");
}

/* A hash table that allocates its elements later: its buckets are one object. */
void make_map(long number)
{
	union bpf_attr attributes = { .map_type = BPF_MAP_TYPE_HASH,
				      .key_size = 4,
				      .value_size = 64,
				      .max_entries = 64,
				      .map_flags = BPF_F_NO_PREALLOC };

	(void)number;
	need((int)syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof(attributes)), "bpf");
}

/* An unread message with descriptors. */
void make_rights(long number)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(RIGHTS * sizeof(int))];
	} control = { 0 };
	char byte = 'x';
	struct iovec data = { &byte, 1 };
	struct msghdr message = { .msg_iov = &data,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	int ends[2];

	(void)number;
	need(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), "socketpair");
	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(RIGHTS * sizeof(int));
	for (int i = 0; i < RIGHTS; i++)
		memcpy(CMSG_DATA(&control.header) + i * sizeof(int), &ends[0], sizeof(int));
	need((int)sendmsg(ends[1], &message, 0), "sendmsg");
}

/* A file in memory with an extended attribute. */
void make_memfd(long number)
{
	static const char value[1000] = "grow";
	int file = need(memfd_create("grow", 0), "memfd_create");

	(void)number;
	need(fsetxattr(file, "trusted.grow", value, sizeof(value), 0), "fsetxattr");
}

void make_pty(long number)
{
	(void)number;
	need(open("/dev/ptmx", O_RDWR | O_NOCTTY), "/dev/ptmx");
}

void make_key(long number)
{
	char name[40];

	if (!number)
		need((int)syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL), "keyctl");
	snprintf(name, sizeof(name), "grow%ld", number);
	need((int)syscall(SYS_add_key, "user", name, name, sizeof(name), KEY_SPEC_SESSION_KEYRING),
	     "add_key");
}

void make_fanotify(long number)
{
	(void)number;
	need(fanotify_init(FAN_CLASS_NOTIF, O_RDONLY), "fanotify_init");
}

/* A pipe whose ring of buffers is as large as an ordinary user may make it. */
void make_large_pipe(long number)
{
	int ends[2];

	(void)number;
	need(pipe(ends), "pipe");
	need(fcntl(ends[0], F_SETPIPE_SZ, 1 << 20), "F_SETPIPE_SZ");
}
