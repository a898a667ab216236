/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The filter by process. An event that is filtered out takes no sequence number. */
#ifndef BPF_FILTER_BPF_H
#define BPF_FILTER_BPF_H

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
