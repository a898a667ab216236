// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Asks the C library and the topology. */
#include "config.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tracer/machine.h"

uint64_t machine_memory(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
}

uint64_t machine_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

bool machine_grace_period(void)
{
	/* programs run for microseconds */
	const struct timespec moment = { .tv_nsec = 20000000 };

	if (!syscall(__NR_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		return true;
	nanosleep(&moment, NULL);
	return false;
}

unsigned int machine_possible_cpus(const struct topology *topology)
{
	return topology->count ? topology->list[topology->count - 1].cpu + 1 : 0;
}

unsigned int machine_online_cpus(const struct topology *topology)
{
	unsigned int online = 0;

	for (size_t i = 0; i < topology->count; i++)
		online += topology->list[i].online;
	return online;
}
