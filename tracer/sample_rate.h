/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Keeps the samples that are taken in a second near or below a limit: doubles the interval, once or
 * several times, when more come; halves it, down to the one that was asked for, when less than two
 * fifths of the limit come. Before it decides, it waits for so many samples, or so long, that
 * chance hardly matters.
 */
#ifndef TRACER_SAMPLE_RATE_H
#define TRACER_SAMPLE_RATE_H

#include <stdint.h>

/* The samples since a time. */
struct sample_window {
	uint64_t samples; /* until then */
	uint64_t since;	  /* ns */
};

struct sample_rate {
	uint64_t least;	    /* bytes: the interval that was asked for */
	uint64_t longest;   /* bytes: with it, more samples than the limit may come */
	uint64_t interval;  /* bytes: the present one */
	uint64_t limit;	    /* samples a second; 0: none */
	uint64_t slow_time; /* ns: so long too few samples come before it is halved */
	struct sample_window fast, slow;
};

/* interval, longest: bytes; longest 0: SAMPLING_MOST. now: ns. */
void sample_rate_init(struct sample_rate *rate, uint32_t interval, uint32_t longest, uint32_t limit,
		      uint64_t now);

/* samples: until now. Returns the interval for the samples to come. */
uint64_t sample_rate_step(struct sample_rate *rate, uint64_t samples, uint64_t now);

#endif
