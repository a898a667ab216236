/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A software event of perf with a program, on each CPU that is online. The kernel counts the event
 * itself: so it is known how often it did not run the program.
 */
#ifndef TRACER_LOAD_SOFTWARE_EVENT_H
#define TRACER_LOAD_SOFTWARE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

struct software_event_cpu {
	int fd;		       /* -1: the CPU is not online */
	uint64_t count;	       /* ended_count + of fd, at the last reading */
	uint64_t ended_count;  /* of the times at which the CPU was online before */
	uint64_t time_enabled; /* ns, at the last reading */
};

struct software_event {
	uint32_t config; /* PERF_COUNT_SW_… */
	int program;
	unsigned int possible_cpus;
	struct software_event_cpu *cpus; /* NULL: not open */
	bool is_enabled;
	bool came_late; /* a CPU came online; its events until then were not counted */
};

/* 0 or -errno: can this kernel count the event, with these privileges? */
int software_event_try(uint32_t config, unsigned int cpu);

/*
 * Opens the event on all CPUs, and begins. 0 or -errno: there is no CPU with the event, or not
 * enough memory or file descriptors.
 */
int software_event_open(struct software_event *event, uint32_t config, int program,
			unsigned int possible_cpus);
/* Reads the counts; opens the event on CPUs that have come online. Call it often. */
void software_event_poll(struct software_event *event);
/* No program runs any more when it returns. */
void software_event_stop(struct software_event *event);
void software_event_close(struct software_event *event);

#endif
