/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stacks of sampled allocations. The record of a stack comes before that of its allocation in
 * the stream of their CPU, and has the sequence number before. A few records may come between, of
 * events in interrupts. The stack of an allocation whose record was lost finds no event.
 */
#ifndef ANALYSIS_SAMPLES_H
#define ANALYSIS_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/model.h"

/* The latest samples of a CPU: more than the events that can be between a stack and its event. */
#define SAMPLES_PER_CPU 32

struct cpu_samples {
	struct stack_sample list[SAMPLES_PER_CPU]; /* a ring; sequence and pointer 0: unused */
	unsigned int next;
	uint32_t latest; /* the sequence of the last one */
};

/* All zero: no samples. */
struct samples {
	struct cpu_samples **by_cpu; /* of UINT16_MAX + 1; NULL: no CPU has one */
};

void samples_deinit(struct samples *samples);

/* The event is a KMT_STACK. 0 or -ENOMEM. */
int samples_add(struct samples *samples, const struct event *event);

/*
 * May there be a sample of the allocation with this sequence? Nearly always false if there is none.
 */
static inline bool samples_may_have(const struct cpu_samples *cpu, uint32_t sequence)
{
	return cpu && cpu->latest - sequence < 2 * SAMPLES_PER_CPU;
}

/* The sample of the allocation; NULL: it was not sampled. Valid until the next samples_add(). */
const struct stack_sample *samples_find(const struct samples *samples, const struct event *event);

#endif
