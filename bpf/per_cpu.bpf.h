/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a CPU has its copy of per-CPU data. */
#ifndef BPF_PER_CPU_BPF_H
#define BPF_PER_CPU_BPF_H

#include "bpf/pointer.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint64_t);
} per_cpu_probe SEC(".maps");

/*
 * The distance from a per-CPU pointer to a CPU's copy of the data; 0: unknown. The kernel's own
 * table of these distances is in kallsyms only with CONFIG_KALLSYMS_ALL. So this function computes
 * the distance from a per-CPU map of ours, of which both addresses can be read.
 */
static __always_inline unsigned long per_cpu_offset(uint32_t cpu)
{
	unsigned long base = 0;
	void *map = &per_cpu_probe, *copy;
	uint32_t first = 0;

	if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_map_lookup_percpu_elem))
		return 0; /* before 5.19 */
	copy = bpf_map_lookup_percpu_elem(&per_cpu_probe, &first, cpu);
	bpf_probe_read_kernel(&base, sizeof(base),
			      (const char *)pointer_value(&map) +
				      bpf_core_field_offset(struct bpf_array, pptrs));
	return copy && base ? pointer_value(&copy) - base : 0;
}

#endif
