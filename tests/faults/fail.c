// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A library to preload: the n-th call of a function fails, as without memory or with a failing
 * disk. $FAULT is FUNCTION:N: malloc (and calloc, realloc), write (and pwrite), openat (and open,
 * fopen), rename, mmap or read. When that call comes, the file $FAULT_MARK is created.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/fcntl.h>

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

/* <fcntl.h> declares these with "…", which a definition cannot pass on. */
int open(const char *path, int flags, mode_t mode);
int openat(int fd, const char *path, int flags, mode_t mode);

static atomic_long calls;

/* Is this the call that shall fail? Allocates nothing. */
static bool fails(const char *function)
{
	const char *fault = getenv("FAULT"), *mark = getenv("FAULT_MARK");
	size_t length = strlen(function);

	if (!fault || strncmp(fault, function, length) != 0 || fault[length] != ':' ||
	    atomic_fetch_add(&calls, 1) + 1 != atol(fault + length + 1))
		return false;
	if (mark)
		syscall(SYS_close,
			(int)syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY, 0600));
	return true;
}

void *malloc(size_t size)
{
	if (fails("malloc")) {
		errno = ENOMEM;
		return NULL;
	}
	return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	if (fails("malloc")) {
		errno = ENOMEM;
		return NULL;
	}
	return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	if (fails("malloc")) {
		errno = ENOMEM;
		return NULL;
	}
	return __libc_realloc(old, size);
}

/* The real functions fail with these errors, too. */
#define FAILING(function, error, failed, type, name, parameters, arguments) \
	type name parameters                                                \
	{                                                                   \
		static type(*real) parameters;                              \
                                                                            \
		if (!real)                                                  \
			*(void **)&real = dlsym(RTLD_NEXT, #name);          \
		if (fails(function)) {                                      \
			errno = error;                                      \
			return failed;                                      \
		}                                                           \
		return real arguments;                                      \
	}

FAILING("read", EIO, -1, ssize_t, read, (int fd, void *bytes, size_t size), (fd, bytes, size))
FAILING("read", EIO, -1, ssize_t, pread, (int fd, void *bytes, size_t size, off_t at),
	(fd, bytes, size, at))
FAILING("write", ENOSPC, -1, ssize_t, pwrite, (int fd, const void *bytes, size_t size, off_t at),
	(fd, bytes, size, at))
FAILING("write", ENOSPC, -1, ssize_t, write, (int fd, const void *bytes, size_t size),
	(fd, bytes, size))
FAILING("rename", EIO, -1, int, rename, (const char *from, const char *to), (from, to))
FAILING("rename", EIO, -1, int, renameat,
	(int from_fd, const char *from, int to_fd, const char *to), (from_fd, from, to_fd, to))
FAILING("mmap", ENOMEM, MAP_FAILED, void *, mmap,
	(void *where, size_t size, int protection, int flags, int fd, off_t at),
	(where, size, protection, flags, fd, at))
FAILING("openat", EMFILE, NULL, FILE *, fopen, (const char *path, const char *mode), (path, mode))
FAILING("openat", EMFILE, -1, int, open, (const char *path, int flags, mode_t mode),
	(path, flags, mode))
FAILING("openat", EMFILE, -1, int, openat, (int fd, const char *path, int flags, mode_t mode),
	(fd, path, flags, mode))
