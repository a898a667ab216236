/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef BASE_CPU_TIME_H
#define BASE_CPU_TIME_H

#include <stdint.h>
#include <time.h>

/* ns of this thread: other tasks do not make it longer. */
static inline uint64_t thread_cpu_time(void)
{
	struct timespec used = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

#endif
