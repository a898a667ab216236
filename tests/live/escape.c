// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A library that tests preload: once kmemtraced captures, each of its threads tries what an
 * attacker inside of it would try. The file $ESCAPES gets a line for each try: the thread, the try,
 * and the error that refused it. The files are those of $INSIDE, the capture, and $OUTSIDE, a
 * directory.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int output = -1;

__attribute__((constructor)) static void open_output(void)
{
	const char *path = getenv("ESCAPES");

	if (path)
		output = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void say_result(const char *thread, const char *what, long result)
{
	char line[200];
	int size;

	size = snprintf(line, sizeof(line), "%s: %s: %s\n", thread, what,
			result < 0 ? strerrorname_np(errno) : "done");
	if (write(output, line, (size_t)size) != size)
		abort();
}

static int open_in(const char *directory, const char *name, int flags)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", getenv(directory), name);
	return open(path, flags, 0600);
}

static int rename_in(const char *directory, const char *from, const char *to)
{
	char old[4096], new[4096];

	snprintf(old, sizeof(old), "%s/%s", getenv(directory), from);
	snprintf(new, sizeof(new), "%s/%s", getenv(directory), to);
	return rename(old, new);
}

static void try_all(const char *thread)
{
	char *const arguments[] = { (char *)"true", NULL };
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_SOCKET_FILTER };
	const int files = O_RDWR | O_CLOEXEC, executable = PROT_READ | PROT_WRITE | PROT_EXEC;

	/* a capture needs the first two */
	say_result(thread, "read a table of the capture",
		   open_in("INSIDE", "kernel/status", O_RDONLY));
	say_result(thread, "read /proc/slabinfo", open("/proc/slabinfo", O_RDONLY | O_CLOEXEC));
	say_result(thread, "read a file", open_in("OUTSIDE", "there", O_RDONLY | O_CLOEXEC));
	say_result(thread, "write a file", open_in("OUTSIDE", "there", files));
	say_result(thread, "truncate a file", open_in("OUTSIDE", "there", files | O_TRUNC));
	say_result(thread, "make a file", open_in("OUTSIDE", "new", files | O_CREAT));
	say_result(thread, "rename a file", rename_in("OUTSIDE", "there", "moved"));
	say_result(thread, "list a directory", open_in("OUTSIDE", ".", O_RDONLY | O_DIRECTORY));
	say_result(thread, "write in /proc", open("/proc/self/comm", files));
	say_result(thread, "read through /proc", open("/proc/1/root/etc/passwd", O_RDONLY));
	say_result(thread, "execute a program", execve("/bin/true", arguments, NULL));
	say_result(thread, "make a process", syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
	say_result(thread, "make a socket", socket(AF_UNIX, SOCK_STREAM, 0));
	say_result(thread, "change the user", syscall(SYS_setuid, 1));
	say_result(thread, "leave the name space", unshare(CLONE_NEWNS));
	say_result(thread, "signal another process", kill(1, 0));
	say_result(thread, "trace another process", syscall(SYS_ptrace, 16L, 1L, 0L, 0L));
	say_result(thread, "load a BPF program",
		   syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr)));
	say_result(thread, "map executable memory",
		   mmap(NULL, 4096, executable, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
			   ? -1
			   : 0);
}

/* Is the filter of system calls, which comes last, in place? It knows no prctl(2). */
static void try_once(const char *thread, bool *tried)
{
	if (output < 0 || __atomic_load_n(tried, __ATOMIC_RELAXED) ||
	    syscall(SYS_prctl, 3L, 0L, 0L, 0L, 0L) >= 0 || errno != ENOSYS)
		return;
	__atomic_store_n(tried, true, __ATOMIC_RELAXED);
	try_all(thread);
}

/* Each thread of kmemtraced waits in its own way. */
int nanosleep(const struct timespec *pause, struct timespec *rest)
{
	static bool tried;

	try_once("main", &tried);
	return clock_nanosleep(CLOCK_REALTIME, 0, pause, rest) ? -1 : 0;
}

int sem_wait(sem_t *semaphore)
{
	static int (*next)(sem_t *);
	static bool tried;

	if (!next)
		next = (int (*)(sem_t *))dlsym(RTLD_NEXT, "sem_wait");
	try_once("publish", &tried);
	return next(semaphore);
}

/* The thread that saves modules waits like this until the end of the capture. */
static __thread bool waits_for_changes;

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
	static int (*next)(pthread_cond_t *, pthread_mutex_t *);

	if (!next)
		next = (int (*)(pthread_cond_t *, pthread_mutex_t *))dlsym(RTLD_NEXT,
									   "pthread_cond_wait");
	waits_for_changes = getpid() != gettid();
	return next(condition, mutex);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	static int (*next)(pthread_mutex_t *);
	static bool tried;

	if (!next)
		next = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_unlock");
	if (waits_for_changes)
		try_once("modules", &tried);
	return next(mutex);
}
