// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes kernel objects at a steady rate and keeps them: grow KIND COUNT SECONDS FOLDER; with 0
 * seconds as fast as it can. Its name, as of a task, is then grow-KIND. It prints how many it made,
 * closes standard output and waits to be killed. Exit status 77: this kernel or user cannot make
 * such objects.
 */
#include "config.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "tests/live/grow.h"

#define NSEC_PER_SEC 1000000000
#define PAGES 16384 /* of one mapping, half of which become mappings of their own */

static const char *folder;

static void die_of(const char *what)
{
	fprintf(stderr, "grow: %s: %s\n", what, strerror(errno));
	exit(77);
}

int need(int result, const char *what)
{
	if (result < 0)
		die_of(what);
	return result;
}

static const char *path_of(const char *name, long number)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/%s%ld", folder, name, number);
	return path;
}

static void make_eventfd(long number)
{
	(void)number;
	need(eventfd(0, 0), "eventfd");
}

/* One watch of one epoll instance for each of the file descriptors that come first. */
static void make_epoll(long number)
{
	static int epoll, pipes[100];
	struct epoll_event event = { .events = EPOLLIN };
	int ends[2];

	if (!number) {
		epoll = need(epoll_create1(0), "epoll");
		need(pipe(ends), "pipe");
		pipes[0] = ends[0];
	}
	need(epoll_ctl(epoll, EPOLL_CTL_ADD, need(dup(pipes[0]), "dup"), &event), "epoll_ctl");
}

static void make_datagram(long number)
{
	static int ends[2];
	const int room = 1 << 20;

	if (number % 64 == 0) {
		need(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends), "socketpair");
		setsockopt(ends[0], SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room));
	}
	if (write(ends[0], "unread", 6) != 6) {
		/* net.unix.max_dgram_qlen: go on with the next pair */
		need(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends), "socketpair");
		need((int)write(ends[0], "unread", 6), "write");
	}
}

/* Each second page becomes a mapping of its own. */
static void make_vma(long number)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	static char *mapping;

	if (number % (PAGES / 2) == 0)
		mapping = mmap(NULL, PAGES * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mapping == MAP_FAILED)
		die_of("mmap");
	need(mprotect(mapping + (size_t)(number % (PAGES / 2) * 2) * page, page, PROT_READ),
	     "mprotect");
}

static void make_inotify(long number)
{
	static int inotify;

	if (!number)
		inotify = need(inotify_init(), "inotify");
	need(mkdir(path_of("watched", number), 0700), "mkdir");
	need(inotify_add_watch(inotify, path_of("watched", number), IN_ALL_EVENTS), "inotify");
}

static void make_file(long number)
{
	close(need(open(path_of("file", number), O_CREAT | O_RDWR, 0600), "open"));
}

static void make_timerfd(long number)
{
	(void)number;
	need(timerfd_create(CLOCK_MONOTONIC, 0), "timerfd");
}

/* A connection to ourselves. */
static void make_tcp(long number)
{
	static struct sockaddr_in address;
	static int listener;
	socklen_t length = sizeof(address);
	int end;

	if (!number) {
		address.sin_family = AF_INET;
		address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		listener = need(socket(AF_INET, SOCK_STREAM, 0), "socket");
		need(bind(listener, (struct sockaddr *)&address, length), "bind");
		need(getsockname(listener, (struct sockaddr *)&address, &length), "getsockname");
		need(listen(listener, 64), "listen");
	}
	end = need(socket(AF_INET, SOCK_STREAM, 0), "socket");
	need(connect(end, (struct sockaddr *)&address, length), "connect");
	need(accept(listener, NULL, NULL), "accept");
}

/* The kernel still has the names of an earlier process. */
static void make_negative(long number)
{
	if (!access(path_of("absent", getpid() * 1000000L + number), F_OK))
		die_of("a file that should be absent");
}

static void make_pipe(long number)
{
	int ends[2];

	(void)number;
	need(pipe(ends), "pipe");
}

static void make_netns(long number)
{
	(void)number;
	need(unshare(CLONE_NEWNET), "unshare");
	need(open("/proc/self/ns/net", O_RDONLY), "/proc/self/ns/net");
}

static void make_mount(long number)
{
	if (!number) {
		need(unshare(CLONE_NEWNS), "unshare");
		need(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), "mount");
	}
	need(mkdir(path_of("mount", number), 0700), "mkdir");
	need(mount("grow", path_of("mount", number), "tmpfs", 0, NULL), "mount");
}

/* Each has its own upper folder, and all have one lower folder. */
static void make_overlay(long number)
{
	char options[1000];

	if (!number) {
		need(unshare(CLONE_NEWNS), "unshare");
		need(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), "mount");
		need(mkdir(path_of("lower", 0), 0700), "mkdir");
	}
	need(mkdir(path_of("upper", number), 0700), "mkdir");
	need(mkdir(path_of("work", number), 0700), "mkdir");
	need(mkdir(path_of("overlay", number), 0700), "mkdir");
	snprintf(options, sizeof(options),
		 "lowerdir=%s/lower0,upperdir=%s/upper%ld,workdir=%s/work%ld", folder, folder,
		 number, folder, number);
	need(mount("grow", path_of("overlay", number), "overlay", 0, options), "overlay");
}

static void make_cgroup(long number)
{
	need(mkdir(path_of("cgroup", number), 0700), "mkdir");
}

/* Unread messages of System V: the kernel frees them with their IPC namespace. */
static void make_message(long number)
{
	const struct {
		long type;
		char text[200];
	} message = { .type = 1 };
	static int queue;

	if (!number)
		need(unshare(CLONE_NEWIPC), "unshare");
	if (number % 64 == 0)
		queue = need(msgget(IPC_PRIVATE, 0600), "msgget");
	need(msgsnd(queue, &message, sizeof(message.text), IPC_NOWAIT), "msgsnd");
}

static const struct kind {
	const char *name;
	void (*make)(long number);
} kinds[] = {
	{ "eventfd", make_eventfd },   { "epoll", make_epoll },
	{ "datagram", make_datagram }, { "vma", make_vma },
	{ "inotify", make_inotify },   { "file", make_file },
	{ "timerfd", make_timerfd },   { "tcp", make_tcp },
	{ "negative", make_negative }, { "pipe", make_pipe },
	{ "netns", make_netns },       { "mount", make_mount },
	{ "cgroup", make_cgroup },     { "message", make_message },
	{ "overlay", make_overlay },   { "nft", make_nft },
	{ "timer", make_timer },       { "map", make_map },
	{ "rights", make_rights },     { "memfd", make_memfd },
	{ "pty", make_pty },	       { "key", make_key },
	{ "fanotify", make_fanotify }, { "large-pipe", make_large_pipe },
};

static void raise_limit(void)
{
	struct rlimit limit = { 1 << 20, 1 << 20 };

	if (setrlimit(RLIMIT_NOFILE, &limit) && !getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* In equal times, from now on. */
static void make_all(const struct kind *kind, long count, double seconds)
{
	struct timespec next;

	clock_gettime(CLOCK_MONOTONIC, &next);
	for (long i = 0; i < count; i++) {
		kind->make(i);
		next.tv_nsec += (long)(seconds * NSEC_PER_SEC / (double)count);
		while (next.tv_nsec >= NSEC_PER_SEC) {
			next.tv_nsec -= NSEC_PER_SEC;
			next.tv_sec++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
}

int main(int argc, char **argv)
{
	char name[16];

	for (size_t i = 0; argc == 5 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, argv[1]) != 0)
			continue;
		snprintf(name, sizeof(name), "grow-%s", argv[1]);
		prctl(PR_SET_NAME, name);
		folder = argv[4];
		raise_limit();
		make_all(&kinds[i], atol(argv[2]), atof(argv[3]));
		printf("%s\n", argv[2]);
		fclose(stdout);
		for (;;)
			pause();
	}
	fprintf(stderr, "usage: grow KIND COUNT SECONDS FOLDER\n");
	return 2;
}
