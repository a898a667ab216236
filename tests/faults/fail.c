// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A library to preload: one call of malloc(), calloc() or realloc() fails. $FAULT is malloc:N for
 * the N-th call; or stack:N for the first call of the N-th of all different call stacks, which
 * finds each place in the code with few runs. When that call comes, the file $FAULT_MARK is
 * created.
 */
#include "config.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STACKS_MAX 65536 /* a power of two */
#define FRAMES_MAX 16

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static long failing_call, calls;
static bool by_stack;
static uint64_t stacks[STACKS_MAX]; /* hashes; 0: free */
static atomic_flag lock = ATOMIC_FLAG_INIT;
static _Thread_local bool inside; /* the unwinder may allocate, too */

__attribute__((constructor)) static void begin(void)
{
	const char *fault = getenv("FAULT");
	void *frames[FRAMES_MAX];

	if (!fault)
		return;
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

static bool counts_up_to_failing(void)
{
	bool fails = false;

	while (atomic_flag_test_and_set(&lock))
		;
	if (calls < failing_call && (!by_stack || is_new_stack()))
		fails = ++calls == failing_call;
	atomic_flag_clear(&lock);
	return fails;
}

/* Is this the call that shall fail? */
static bool fails(void)
{
	const char *mark;
	bool result;

	if (!failing_call || inside)
		return false;
	inside = true;
	result = counts_up_to_failing();
	inside = false;
	mark = result ? getenv("FAULT_MARK") : NULL;
	if (mark)
		syscall(SYS_close,
			(int)syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY, 0600));
	if (result)
		errno = ENOMEM;
	return result;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}
