/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sampling of allocations by the programs: bpf/sampling.bpf.h. */
#ifndef TRACER_LOAD_SAMPLING_H
#define TRACER_LOAD_SAMPLING_H

#include <stdint.h>

#include "kernel/ring.h"

struct bpf_variant;

/* Before loading. interval: bytes, or SAMPLING_EACH; 0: no allocation is sampled. */
void sampling_choose(struct bpf_variant *variant, uint32_t interval);

/* Before the programs are attached: the bytes that each CPU allocates before its first sample. */
void sampling_start(struct kmt_control *controls, unsigned int cpus, uint32_t interval);

#endif
