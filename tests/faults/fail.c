// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A library to preload: one call of malloc(), calloc() or realloc() fails. $FAULT is malloc:N for
 * the N-th call; or stack:N for the first call of the N-th of all different call stacks, which
 * finds each place in the code with few runs. When that call comes, its stack is written to the
 * file $FAULT_MARK, which is open from the begin: a confined process may not create it. Calls of
 * libseccomp do not fail: it does not survive that, and our programs see to it that it has memory.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STACKS_MAX 65536 /* a power of two */
#define FRAMES_MAX 16

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static long failing_call, calls;
static int mark = -1;
static bool by_stack;
static uint64_t stacks[STACKS_MAX]; /* hashes; 0: free */
static atomic_flag lock = ATOMIC_FLAG_INIT;
static _Thread_local bool inside; /* the unwinder may allocate, too */

__attribute__((constructor)) static void begin_faults(void)
{
	const char *fault = getenv("FAULT"), *path = getenv("FAULT_MARK");
	void *frames[FRAMES_MAX];

	if (!fault)
		return;
	if (path)
		mark = open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
	by_stack = !strncmp(fault, "stack:", 6);
	backtrace(frames, FRAMES_MAX); /* loads the unwinder */
	failing_call = atol(strchr(fault, ':') + 1);
}

static bool is_new_stack(void)
{
	void *frames[FRAMES_MAX];
	int count = backtrace(frames, FRAMES_MAX);
	uint64_t hash = 1;
	size_t at;

	for (int i = 0; i < count; i++)
		hash = (hash ^ (uintptr_t)frames[i]) * 0x9e3779b97f4a7c15ULL;
	hash |= 1;
	for (at = hash >> 32; stacks[at % STACKS_MAX]; at++)
		if (stacks[at % STACKS_MAX] == hash)
			return false;
	stacks[at % STACKS_MAX] = hash;
	return true;
}

static bool is_of_libseccomp(void *caller)
{
	Dl_info library;

	return dladdr(caller, &library) && strstr(library.dli_fname, "/libseccomp.so");
}

static bool counts_up_to_failing(void *caller)
{
	bool fails = false;

	if (is_of_libseccomp(caller))
		return false;
	while (atomic_flag_test_and_set(&lock))
		;
	if (calls < failing_call && (!by_stack || is_new_stack()))
		fails = ++calls == failing_call;
	atomic_flag_clear(&lock);
	return fails;
}

static void write_mark(void)
{
	void *frames[FRAMES_MAX];

	backtrace_symbols_fd(frames, backtrace(frames, FRAMES_MAX), mark);
}

/* Is this the call that shall fail? */
static bool is_failing_call(void *caller)
{
	bool result;

	if (!failing_call || inside)
		return false;
	inside = true;
	result = counts_up_to_failing(caller);
	if (result)
		write_mark();
	inside = false;
	if (result)
		errno = ENOMEM;
	return result;
}

void *malloc(size_t size)
{
	return is_failing_call(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return is_failing_call(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return is_failing_call(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}
