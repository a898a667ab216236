// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Keeps the stacks of sampled allocations until their allocations come. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/samples.h"

void samples_deinit(struct samples *samples)
{
	for (size_t i = 0; samples->by_cpu && i <= UINT16_MAX; i++)
		free(samples->by_cpu[i]);
	free(samples->by_cpu);
}

int samples_add(struct samples *samples, const struct event *event)
{
	struct cpu_samples *cpu;

	if (!samples->by_cpu)
		samples->by_cpu = calloc(UINT16_MAX + 1, sizeof(*samples->by_cpu));
	if (!samples->by_cpu)
		return -ENOMEM;
	if (!samples->by_cpu[event->cpu])
		samples->by_cpu[event->cpu] = calloc(1, sizeof(*cpu));
	cpu = samples->by_cpu[event->cpu];
	if (!cpu)
		return -ENOMEM;
	cpu->latest = event->sequence + 1;
	cpu->list[cpu->next++ % SAMPLES_PER_CPU] = (struct stack_sample){
		.pointer = event->pointer,
		.kernel_stack = event->payload,
		.user_stack = event->more,
		.interval = event->gfp,
		.sequence = event->sequence + 1,
	};
	return 0;
}

const struct stack_sample *samples_find(const struct samples *samples, const struct event *event)
{
	const struct cpu_samples *cpu = samples->by_cpu ? samples->by_cpu[event->cpu] : NULL;

	for (unsigned int i = 0; cpu && i < SAMPLES_PER_CPU; i++)
		if (cpu->list[i].pointer && cpu->list[i].pointer == event->pointer &&
		    cpu->list[i].sequence == event->sequence)
			return &cpu->list[i];
	return NULL;
}
