/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads, for each CPU, how many runs of our programs the kernel skipped (bpf_prog_stats.misses).
 * bpf_prog_info has only the sum of all CPUs.
 */
#ifndef BPF_MISSES_BPF_H
#define BPF_MISSES_BPF_H

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint64_t);
} per_cpu_probe SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32);
	__type(key, uint32_t); /* id of one of our programs */
	__type(value, uint8_t);
} own_programs SEC(".maps");

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
