/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sampling of allocations by the programs: bpf/sampling.bpf.h. */
#ifndef TRACER_LOAD_SAMPLING_H
#define TRACER_LOAD_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/ring.h"

struct bpf_variant;

/* How the programs sample. */
struct sampling {
	uint32_t interval; /* bytes, or SAMPLING_EACH; 0: no allocation is sampled */
	bool is_profile;   /* record only sampled allocations and their frees */
	bool user_stacks;  /* and the stacks of the processes */
	uint32_t most;	   /* samples a second, about: see tracer/sample_rate.h; 0: any number */
	uint32_t interval_most; /* bytes: more samples than most, rather than a longer one; 0: none
				 */
};

/* Before loading. */
void sampling_choose(struct bpf_variant *variant, const struct sampling *sampling);

/* Before the programs are attached: the bytes that each CPU allocates before its first sample. */
void sampling_start(struct kmt_totals *totals, struct kmt_control *controls, unsigned int cpus,
		    uint32_t interval);

#endif
