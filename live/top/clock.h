/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIVE_TOP_CLOCK_H
#define LIVE_TOP_CLOCK_H

#include <stdint.h>
#include <time.h>

/* ns of CLOCK_MONOTONIC, the clock of all figures. */
static inline uint64_t clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#endif
