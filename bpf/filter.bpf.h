/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Settings that kmemtraced fixes before the programs are loaded (the verifier then folds them
 * to constants), and which events a capture wants. An unwanted event takes no number.
 */
#ifndef BPF_FILTER_BPF_H
#define BPF_FILTER_BPF_H

const volatile uint32_t ring_slots = 1024; /* a power of two */
const volatile uint32_t possible_cpus = 1;
const volatile uint32_t traced_tgid; /* the only process; 0: all are wanted; or KMT_TRACED_LIST */
const volatile bool backup_enabled;  /* there are second programs */
const volatile uint32_t realloc_gfp; /* which argument of krealloc() has the GFP flags, from 0 */
const volatile bool frees_have_name; /* kmem_cache_free tells the name of the cache only */
const volatile bool allocations_have_cache;
const volatile struct kmt_field_position
	fields[KMT_FIELDS]; /* without BTF: of the tracepoints' records */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, uint32_t); /* tgid */
	__type(value, uint8_t);
} traced_pids SEC(".maps");

static __always_inline bool is_traced(uint32_t tgid)
{
	uint32_t only = traced_tgid; /* one load, since every event of others pays for it */

	if (!only)
		return true;
	if (only != KMT_TRACED_LIST)
		return tgid == only;
	return bpf_map_lookup_elem(&traced_pids, &tgid);
}

#endif
