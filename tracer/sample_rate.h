/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Keeps the samples that are taken in a second below a limit: doubles the interval while they come
 * faster, and halves it again, down to the one that was asked for, when they come much slower.
 */
#ifndef TRACER_SAMPLE_RATE_H
#define TRACER_SAMPLE_RATE_H

#include <stdint.h>

#include "kernel/ring.h"

struct sample_rate {
	uint64_t least;		   /* bytes: the interval that was asked for */
	uint64_t interval, most;   /* bytes: the present one, and the largest until now */
	uint64_t limit;		   /* samples a second; 0: none */
	uint64_t samples, since;   /* when the present window began; ns */
	unsigned int slow_windows; /* so many in succession had few samples */
};

/* interval: bytes; now: ns. */
void sample_rate_init(struct sample_rate *rate, uint32_t interval, uint32_t limit, uint64_t now);

/* samples: until now. Returns the interval for the samples to come. */
uint64_t sample_rate_step(struct sample_rate *rate, uint64_t samples, uint64_t now);

#endif
