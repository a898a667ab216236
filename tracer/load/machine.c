// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From the C library, system calls and the topology. */
#include "config.h"

#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "tracer/load/machine.h"

int machine_jit_setting(void)
{
	FILE *file = fopen("/proc/sys/net/core/bpf_jit_enable", "re");
	int jit = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%d", &jit) != 1)
		jit = -1;
	fclose(file);
	return jit;
}

bool machine_is_confidential(void)
{
	__attribute__((cleanup(free_text))) char *text = NULL;

	return !read_file(AT_FDCWD, "/sys/kernel/security/lockdown", SYSFS_BYTES_MAX, &text,
			  NULL) &&
	       strstr(text, "[confidentiality]");
}

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
	const struct timespec pause = { .tv_nsec = 20000000 };

	if (!syscall(__NR_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		return true;
	nanosleep(&pause, NULL);
	return false;
}

/*
 * uname -v is "#1 SMP PREEMPT_RT …". "PREEMPT_{RT,…}", as newer kernels (6.15 or so) write it
 * in oops messages, is accepted too.
 */
bool machine_is_realtime(void)
{
	struct utsname kernel;
	const char *preempt;
	size_t length;

	if (uname(&kernel))
		return false;
	preempt = strstr(kernel.version, "PREEMPT_");
	length = preempt ? strcspn(preempt, " ") : 0;
	return length && memmem(preempt, length, "RT", 2);
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

static int count_cpu(unsigned int number, void *data)
{
	unsigned int *count = data;

	(void)number;
	++*count;
	return 0;
}

unsigned int machine_offline_cpus(const struct topology *topology)
{
	unsigned int online = machine_online_cpus(topology), present = 0;
	char *list;

	if (read_file(AT_FDCWD, "/sys/devices/system/cpu/present", SYSFS_BYTES_MAX, &list, NULL))
		return 0;
	topology_list(list, count_cpu, &present);
	free(list);
	return present > online ? present - online : 0;
}
