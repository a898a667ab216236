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

/*
 * Not 0 where the table of caches, or that of their names, has had an address of this hash: what
 * is freed at any other is none of them, which costs a load too. Never wiped: caches are few, and
 * new ones come back at the addresses of old ones.
 */
#define KNOWN_BITS 15
uint8_t may_be_known[1 << KNOWN_BITS];

static __always_inline uint32_t seen_slot(uint64_t cache)
{
	return (cache >> 6) * 0x9e3779b97f4a7c15ULL >> 52; /* 12 bits: SEEN_SLOTS */
}

static __always_inline uint64_t known_slot(uint64_t address)
{
	return address * 0x9e3779b97f4a7c15ULL >> (64 - KNOWN_BITS);
}

/* Before a table gets it. */
static __always_inline void expect_free(uint64_t address)
{
	may_be_known[known_slot(address)] = 1;
}

static __always_inline struct kmt_name *name_reserve(uint32_t kind, uint64_t key)
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

/* The last of telling a cache: what it is called. */
static __always_inline void name_submit(struct kmt_name *name, uint64_t text)
{
	bpf_probe_read_kernel_str(name->name, sizeof(name->name),
				  (const void *)(unsigned long)text);
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

static __noinline int forget_cache_slow(uint64_t address)
{
	uint32_t slot = seen_slot(address);
	struct kmt_name *name;

	if (frees_have_name)
		forget_name(address);
	if (slot < SEEN_SLOTS && seen[slot] == address)
		seen[slot] = 0;
	if (bpf_map_delete_elem(&known_caches, &address))
		return 0;
	name = name_reserve(KMT_NAME_CACHE_GONE, address);
	if (name)
		bpf_ringbuf_submit(name, BPF_RB_NO_WAKEUP);
	return 0;
}

/*
 * Of every free that may be of a struct kmem_cache, or of the name of one, whoever it is by: its
 * address may come back as another's.
 */
static __always_inline void forget_cache(uint64_t address)
{
	if (may_be_known[known_slot(address)])
		forget_cache_slow(address);
}

static __always_inline int send_modules_changed(void)
{
	struct kmt_name *name = name_reserve(KMT_NAME_MODULES, 0);

	if (name)
		bpf_ringbuf_submit(name, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("raw_tp/module_load")
int module_load(void *ctx)
{
	return send_modules_changed();
}

SEC("raw_tp/module_free")
int module_free(void *ctx)
{
	return send_modules_changed();
}

#endif
