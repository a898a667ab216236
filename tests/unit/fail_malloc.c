// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <errno.h>
#include <stdint.h>

#include "tests/unit/fail_malloc.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *at, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *at, size_t size);

static struct {
	size_t calls, first, last; /* those from first to last fail */
	bool failed;
} injected = { .first = SIZE_MAX, .last = SIZE_MAX };

static bool is_failing_malloc(void)
{
	size_t call = injected.calls++;

	if (call < injected.first || call > injected.last)
		return false;
	injected.failed = true;
	errno = ENOMEM;
	return true;
}

void fail_after(size_t calls)
{
	injected.calls = 0;
	injected.first = calls;
	injected.last = SIZE_MAX;
	injected.failed = false;
}

void fail_once_after(size_t calls)
{
	fail_after(calls);
	injected.last = calls;
}

size_t fail_never(bool *failed)
{
	injected.first = SIZE_MAX;
	*failed = injected.failed;
	return injected.calls;
}

void *__wrap_malloc(size_t size)
{
	return is_failing_malloc() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return is_failing_malloc() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *at, size_t size)
{
	return is_failing_malloc() ? NULL : __real_realloc(at, size);
}
