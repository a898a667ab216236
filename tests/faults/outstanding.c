// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A library to preload: counts the bytes that malloc(), calloc(), realloc() and aligned_alloc()
 * gave and free() did not take back, in the file $OUTSTANDING.PID, as one uint64_t of this machine.
 * Other than the resident memory, it does not depend on what the C library keeps for later.
 * Processes that the process forks do not count.
 */
#include "config.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static _Atomic uint64_t uncounted;
static _Atomic uint64_t *bytes = &uncounted;

static void begin_child(void)
{
	bytes = &uncounted;
}

__attribute__((constructor)) static void begin_counting(void)
{
	const char *prefix = getenv("OUTSTANDING");
	char path[4096];
	void *mapped;
	int fd;

	if (!prefix)
		return;
	snprintf(path, sizeof(path), "%s.%d", prefix, getpid());
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, sizeof(*bytes)))
		return;
	mapped = mmap(NULL, sizeof(*bytes), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (mapped == MAP_FAILED)
		return;
	pthread_atfork(NULL, NULL, begin_child);
	bytes = mapped;
	/* what was allocated before */
	atomic_fetch_add(bytes, uncounted);
}

static void *count_memory(void *memory)
{
	if (memory)
		atomic_fetch_add_explicit(bytes, malloc_usable_size(memory), memory_order_relaxed);
	return memory;
}

static void uncount_memory(void *memory)
{
	if (memory)
		atomic_fetch_sub_explicit(bytes, malloc_usable_size(memory), memory_order_relaxed);
}

void *malloc(size_t size)
{
	return count_memory(__libc_malloc(size));
}

void *calloc(size_t number, size_t size)
{
	return count_memory(__libc_calloc(number, size));
}

void *realloc(void *old, size_t size)
{
	size_t before = old ? malloc_usable_size(old) : 0;
	void *memory = __libc_realloc(old, size);

	if (memory || !size)
		atomic_fetch_sub_explicit(bytes, before, memory_order_relaxed);
	return count_memory(memory);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return count_memory(__libc_memalign(alignment, size));
}

void free(void *memory)
{
	uncount_memory(memory);
	__libc_free(memory);
}
