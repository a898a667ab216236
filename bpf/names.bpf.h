/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names, told once: slab caches when an event first shows one, tasks when they are born or
 * renamed, modules when they come or go. Records carry only addresses and thread ids.
 */
#ifndef BPF_NAMES_BPF_H
#define BPF_NAMES_BPF_H

#define SEEN_SLOTS 4096

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} names SEC(".maps");

/* Caches that were told: a direct-mapped copy of the table of them, which costs a load. */
uint64_t seen[SEEN_SLOTS];

static __always_inline uint32_t seen_slot(uint64_t cache)
{
	return (cache >> 6) * 0x9e3779b97f4a7c15ULL >> 52; /* 12 bits: SEEN_SLOTS */
}

static __always_inline struct kmt_name *name_begin(uint32_t kind, uint64_t key)
{
	struct kmt_name *name = bpf_ringbuf_reserve(&names, sizeof(*name), 0);

	if (!name) {
		__sync_fetch_and_add(&totals.names_lost, 1);
		return NULL;
	}
	name->kind = kind;
	name->tgid = 0;
	name->time = bpf_ktime_get_ns();
	name->key = key;
	name->object_size = 0;
	name->size = 0;
	name->name[0] = 0;
	return name;
}

static __always_inline bool is_cache_of_caches(const char *name)
{
	/* "kmem_cache" and its end */
	return name[0] == 'k' && name[1] == 'm' && name[2] == 'e' && name[3] == 'm' &&
	       name[4] == '_' && name[5] == 'c' && name[6] == 'a' && name[7] == 'c' &&
	       name[8] == 'h' && name[9] == 'e' && name[10] == 0;
}

/* The last of telling a cache: what it is called. */
static __always_inline void name_cache(struct kmt_name *name, uint64_t text)
{
	bpf_probe_read_kernel_str(name->name, sizeof(name->name),
				  (const void *)(unsigned long)text);
	if (is_cache_of_caches(name->name))
		totals.cache_of_caches = name->key;
	bpf_ringbuf_submit(name, BPF_RB_NO_WAKEUP);
}

static __always_inline bool was_seen(uint64_t address)
{
	uint32_t slot = seen_slot(address);

	return slot < SEEN_SLOTS && seen[slot] == address;
}

static __always_inline void remember_seen(uint64_t address)
{
	uint32_t slot = seen_slot(address);

	if (slot < SEEN_SLOTS)
		seen[slot] = address;
}

#ifdef KMT_WITHOUT_BTF
#include "bpf/fields.bpf.h"
#else
#include "bpf/types.bpf.h"
#endif

/* A freed struct kmem_cache, or name of one: its address may come back as another's. */
static __noinline int forget_cache(uint64_t address)
{
	uint32_t slot = seen_slot(address);
	struct kmt_name *name;

	if (bpf_map_delete_elem(&told, &address))
		return 0;
	if (slot < SEEN_SLOTS && seen[slot] == address)
		seen[slot] = 0;
	name = name_begin(KMT_NAME_CACHE_GONE, address);
	if (name)
		bpf_ringbuf_submit(name, BPF_RB_NO_WAKEUP);
	return 0;
}

static __always_inline int tell_modules(void)
{
	struct kmt_name *name = name_begin(KMT_NAME_MODULES, 0);

	if (name)
		bpf_ringbuf_submit(name, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("raw_tp/module_load")
int module_load(void *ctx)
{
	return tell_modules();
}

SEC("raw_tp/module_free")
int module_free(void *ctx)
{
	return tell_modules();
}

#endif
