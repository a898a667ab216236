// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * register CHURN KEEP: registers a descriptor with an epoll instance and takes it out again CHURN
 * times, which newer kernels free on a path without an event; then registers KEEP descriptors, says
 * so, and keeps them until its standard input ends.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

static int need_descriptor(int result, const char *what)
{
	if (result < 0) {
		fprintf(stderr, "register: %s: %s\n", what, strerror(errno));
		exit(77);
	}
	return result;
}

int main(int argc, char **argv)
{
	long churn = argc == 3 ? atol(argv[1]) : 0, keep = argc == 3 ? atol(argv[2]) : 0;
	struct rlimit limit = { (rlim_t)keep + 100, (rlim_t)keep + 100 };
	struct epoll_event event = { .events = EPOLLIN };
	int set = need_descriptor(epoll_create1(0), "epoll_create1"), fd;
	char byte;

	need_descriptor(setrlimit(RLIMIT_NOFILE, &limit), "setrlimit");
	fd = need_descriptor(eventfd(0, 0), "eventfd");
	for (long i = 0; i < churn; i++) {
		need_descriptor(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
		need_descriptor(epoll_ctl(set, EPOLL_CTL_DEL, fd, &event), "epoll_ctl");
	}
	for (long i = 0; i < keep; i++) {
		fd = need_descriptor(eventfd(0, 0), "eventfd");
		need_descriptor(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
	}
	puts("kept");
	fflush(stdout);
	return read(STDIN_FILENO, &byte, 1) < 0;
}
