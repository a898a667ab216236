// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One perf event for each CPU. An event ends when its CPU goes offline: then its time stands. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "base/files.h"
#include "tracer/load/process_probes.h"

/* A file descriptor or -errno. */
static int open_on(uint32_t config, unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = config,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_ADDR, /* older kernels have no address without it */
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
		.disabled = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int software_event_try(uint32_t config, unsigned int cpu)
{
	int fd = open_on(config, cpu);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static void read_count(struct software_event_cpu *cpu, uint64_t *time_enabled)
{
	uint64_t values[2];

	if (read(cpu->fd, values, sizeof(values)) != sizeof(values))
		return;
	cpu->count = cpu->ended_count + values[0];
	*time_enabled = values[1];
}

static int start_on(struct software_event *event, unsigned int number)
{
	struct software_event_cpu *cpu = &event->cpus[number];
	int fd = open_on(event->config, number), err = 0;

	if (fd < 0)
		return fd;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, event->program) ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		err = -errno;
	if (err) {
		close(fd);
		return err;
	}
	cpu->fd = fd;
	cpu->time_enabled = 0;
	return 0;
}

int software_event_open(struct software_event *event, uint32_t config, int program,
			unsigned int possible_cpus)
{
	int err = -ENODEV;

	*event = (struct software_event){ .config = config,
					  .program = program,
					  .possible_cpus = possible_cpus,
					  .is_enabled = true };
	event->cpus = calloc(possible_cpus, sizeof(*event->cpus));
	if (!event->cpus)
		return -ENOMEM;
	for (unsigned int i = 0; i < possible_cpus; i++)
		event->cpus[i].fd = -1;
	for (unsigned int i = 0; i < possible_cpus; i++) {
		int started = start_on(event, i);

		/* -ENODEV, or -EINVAL: the CPU is not online */
		if (!started)
			err = 0;
		else if (started != -ENODEV && started != -EINVAL)
			err = started;
		if (err && err != -ENODEV)
			break;
	}
	if (err)
		software_event_close(event);
	return err;
}

void software_event_poll(struct software_event *event)
{
	for (unsigned int i = 0; event->cpus && event->is_enabled && i < event->possible_cpus;
	     i++) {
		struct software_event_cpu *cpu = &event->cpus[i];
		uint64_t time_enabled = 0;

		if (cpu->fd >= 0) {
			read_count(cpu, &time_enabled);
			if (time_enabled != cpu->time_enabled) {
				cpu->time_enabled = time_enabled;
				continue;
			}
			close(cpu->fd);
			cpu->fd = -1;
			cpu->ended_count = cpu->count;
		}
		event->came_late |= !start_on(event, i);
	}
}

void software_event_stop(struct software_event *event)
{
	uint64_t time_enabled;

	if (!event->cpus || !event->is_enabled)
		return;
	/* a CPU may have come online since the last time */
	software_event_poll(event);
	event->is_enabled = false;
	for (unsigned int i = 0; i < event->possible_cpus; i++) {
		if (event->cpus[i].fd < 0)
			continue;
		ioctl(event->cpus[i].fd, PERF_EVENT_IOC_DISABLE, 0);
		read_count(&event->cpus[i], &time_enabled);
	}
}

void software_event_close(struct software_event *event)
{
	for (unsigned int i = 0; event->cpus && i < event->possible_cpus; i++)
		if (event->cpus[i].fd >= 0)
			close(event->cpus[i].fd);
	free(event->cpus);
	event->cpus = NULL;
}
