/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Settings that kmemtraced writes before it loads the programs (the verifier then treats them as
 * constants), and the filter by process. An event that is filtered out takes no sequence number.
 */
#ifndef BPF_FILTER_BPF_H
#define BPF_FILTER_BPF_H

const volatile uint32_t ring_slots = 1024; /* a power of two */
const volatile uint32_t possible_cpus = 1;
const volatile uint32_t traced_tgid; /* the only traced process; 0: all; or KMT_TRACED_LIST */
const volatile bool backup_enabled;  /* the frees have backup programs */
const volatile uint32_t realloc_gfp; /* index of krealloc()'s argument with the GFP flags */
const volatile bool frees_have_name; /* kmem_cache_free has the cache's name, not its address */
const volatile bool allocations_have_cache; /* kmem_cache_alloc has the cache's address */
/* the positions of the fields in the tracepoints' records, on a kernel without BTF */
const volatile struct kmt_field_position fields[KMT_FIELDS];

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, uint32_t); /* tgid */
	__type(value, uint8_t);
} traced_pids SEC(".maps");

static __always_inline bool is_traced(uint32_t tgid)
{
	uint32_t only = traced_tgid; /* one load: every event of other processes pays for it */

	if (!only)
		return true;
	if (only != KMT_TRACED_LIST)
		return tgid == only;
	return bpf_map_lookup_elem(&traced_pids, &tgid);
}

#endif
