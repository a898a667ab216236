// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The workloads: most use the slab allocator (files, pipes, directories, datagrams, archives), some
 * the memory of their process.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/works.h"

#define TOUCHED 256 /* pages */

/* Moves this task to the n-th allowed CPU, or to the last one if there are fewer. */
static void pin_task(int rank)
{
	cpu_set_t allowed, one;
	int last = -1;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE && rank >= 0; cpu++) {
		if (!CPU_ISSET(cpu, &allowed))
			continue;
		last = cpu;
		rank--;
	}
	CPU_ZERO(&one);
	CPU_SET(last, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -ECHILD;
}

static int files_and_pipes(const char *folder, long times)
{
	char name[300];
	int ends[2], file;

	snprintf(name, sizeof(name), "%s/file.%d", folder, getpid());
	for (long i = 0; i < times; i++) {
		file = open(name, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
		if (file < 0)
			return -errno;
		close(file);
		for (int k = 0; k < 2; k++) {
			if (pipe(ends))
				return -errno;
			close(ends[0]);
			close(ends[1]);
		}
	}
	unlink(name);
	return 0;
}

static int run_fs(const char *folder, const char *tree, long times)
{
	(void)tree;
	pin_task(0);
	return files_and_pipes(folder, times);
}

/* Runs fs on all CPUs at once; times is the total. */
static int run_busy(const char *folder, const char *tree, long times)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), started = 0;
	int err = 0, child_err;
	pid_t *children = calloc(cpus, sizeof(*children));

	(void)tree;
	if (!children)
		return -ENOMEM;
	for (; started < cpus; started++) {
		children[started] = fork();
		if (children[started] < 0) {
			err = -errno;
			break;
		}
		if (!children[started]) {
			pin_task((int)started);
			_exit(files_and_pipes(folder, times / cpus) ? 1 : 0);
		}
	}
	while (started--) {
		child_err = wait_for(children[started]);
		err = err ? err : child_err;
	}
	free(children);
	return err;
}

static int run_dir(const char *folder, const char *tree, long times)
{
	char name[300];

	(void)tree;
	pin_task(0);
	snprintf(name, sizeof(name), "%s/dir.%d", folder, getpid());
	for (long i = 0; i < times; i++)
		if (mkdir(name, 0700) || rmdir(name))
			return -errno;
	return 0;
}

static void receive_messages(int socket)
{
	char message[64];

	pin_task(1);
	while (recv(socket, message, sizeof(message), 0) > 0)
		if (message[0] == 'q')
			break;
	_exit(0);
}

static int run_skb(const char *folder, const char *tree, long times)
{
	char message[64] = "m";
	int sockets[2], err = 0, child_err;
	pid_t receiver;

	(void)folder;
	(void)tree;
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, sockets))
		return -errno;
	receiver = fork();
	if (receiver < 0)
		return -errno;
	if (!receiver) {
		close(sockets[0]);
		receive_messages(sockets[1]);
	}
	close(sockets[1]);
	pin_task(0);
	for (long i = 0; i < times && !err; i++)
		if (send(sockets[0], message, sizeof(message), MSG_NOSIGNAL) < 0)
			err = -errno;
	message[0] = 'q';
	if (send(sockets[0], message, 1, MSG_NOSIGNAL) < 0 && !err)
		err = -errno;
	close(sockets[0]);
	child_err = wait_for(receiver);
	return err ? err : child_err;
}

/* Touches TOUCHED pages that are new each time: as many page faults. */
static int run_touch(const char *folder, const char *tree, long times)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = TOUCHED * page;

	(void)folder;
	(void)tree;
	pin_task(0);
	for (long i = 0; i < times; i++) {
		volatile char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
					     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED || madvise((void *)memory, size, MADV_NOHUGEPAGE))
			return -errno;
		for (size_t at = 0; at < size; at += page)
			memory[at] = 1;
		if (munmap((void *)memory, size))
			return -errno;
	}
	return 0;
}

static int run_maps(const char *folder, const char *tree, long times)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	(void)folder;
	(void)tree;
	pin_task(0);
	for (long i = 0; i < times; i++) {
		void *memory = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED || munmap(memory, page))
			return -errno;
	}
	return 0;
}

static int run_heap(const char *folder, const char *tree, long times)
{
	char *end = (char *)syscall(SYS_brk, 0);
	long page = sysconf(_SC_PAGESIZE);

	(void)folder;
	(void)tree;
	pin_task(0);
	for (long i = 0; i < times; i++)
		if ((char *)syscall(SYS_brk, end + page) != end + page ||
		    (char *)syscall(SYS_brk, end) != end)
			return -ENOMEM;
	return 0;
}

/* Packs, unpacks and removes the tree with tar and rm. */
static int run_mixed(const char *folder, const char *tree, long times)
{
	static const char script[] =
		"set -e; folder=$1 tree=$2 times=$3; while [ $times -gt 0 ]; do mkdir \"$folder/copy\"; tar -C \"$tree\" -cf - . | tar -C \"$folder/copy\" -xf - --no-same-owner; rm -rf \"$folder/copy\"; times=$((times - 1)); done";
	char count[24];
	pid_t child;

	if (!times)
		return 0;
	snprintf(count, sizeof(count), "%ld", times);
	child = fork();
	if (child < 0)
		return -errno;
	if (!child) {
		execlp("sh", "sh", "-c", script, "sh", folder, tree, count, NULL);
		_exit(127);
	}
	return wait_for(child);
}

const struct work works[] = {
	{ "fs", "opens and closes a file and two pipes, on one CPU", 2000, run_fs },
	{ "skb", "sends datagrams from one CPU to another", 2000, run_skb },
	{ "dir", "makes and removes a directory, on one CPU", 2000, run_dir },
	{ "mixed", "packs a tree with tar, unpacks it and removes it", 1, run_mixed },
	{ "touch", "touches 256 new pages, on one CPU", 20, run_touch },
	{ "maps", "maps and unmaps a page, on one CPU", 2000, run_maps },
	{ "heap", "grows and shrinks the heap by a page, on one CPU", 2000, run_heap },
	{ "busy", "fs, on all CPUs at once", 2000, run_busy },
};
const size_t work_count = sizeof(works) / sizeof(works[0]);

const struct work *work_find(const char *name)
{
	for (size_t i = 0; i < work_count; i++)
		if (!strcmp(works[i].name, name))
			return &works[i];
	return NULL;
}
