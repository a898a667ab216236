/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads, for each CPU, how many runs of our programs the kernel skipped (bpf_prog_stats.misses).
 * bpf_prog_info has only the sum of all CPUs.
 */
#ifndef BPF_MISSES_BPF_H
#define BPF_MISSES_BPF_H

#include "bpf/per_cpu.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32);
	__type(key, uint32_t); /* id of one of our programs */
	__type(value, uint8_t);
} own_programs SEC(".maps");

/* Writes a uint64_t for each of our programs and possible CPU; UINT64_MAX: it cannot be read. */
SEC("iter/bpf_prog")
int misses(struct bpf_iter__bpf_prog *ctx)
{
	struct bpf_prog *prog = ctx->prog;
	const char *stats;
	uint64_t offset, count;
	uint32_t id, cpu;

	if (!prog)
		return 0;
	id = prog->aux->id;
	if (!bpf_map_lookup_elem(&own_programs, &id))
		return 0;
	stats = (const char *)BPF_CORE_READ(prog, stats) +
		bpf_core_field_offset(struct bpf_prog_stats, misses);
	for (cpu = 0; cpu < possible_cpus && cpu < 8192; cpu++) {
		count = UINT64_MAX;
		offset = per_cpu_offset(cpu);
		if (offset)
			bpf_probe_read_kernel(&count, sizeof(count), stats + offset);
		bpf_seq_write(ctx->meta->seq, &count, sizeof(count));
	}
	return 0;
}

#endif
