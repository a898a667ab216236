/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends each name to kmemtraced once: of a slab cache at its first event, of a task when it is
 * created or renamed; and a message when a module is loaded or unloaded. Records hold only
 * addresses and thread ids.
 */
#ifndef BPF_NAMES_BPF_H
#define BPF_NAMES_BPF_H

#define SEEN_SLOTS 4096

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} names SEC(".maps");

/* A lookup table of recent addresses in the map known_caches: one load instead of a map lookup. */
uint64_t seen[SEEN_SLOTS];

/*
 * By hash of an address: not 0 if an address with this hash was ever added to known_caches or to
 * the map of their names. An object freed at any other address is neither a known struct kmem_cache
 * nor the name of one; this check costs one load. Entries are never cleared: caches are few, and
 * new caches reuse the addresses of old ones.
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

/* Call it before the address is added to one of the maps. */
static __always_inline void mark_maybe_known(uint64_t address)
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

/* Fills in the name of a cache, from the kernel's memory, and submits the message. */
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
 * Called at every free, of any process: the object may be a struct kmem_cache or the name of one,
 * and another cache may get its address later.
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
