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

/* Exactly which caches were told, and a direct-mapped copy in front that costs a load. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, uint64_t);
	__type(value, uint8_t);
} told SEC(".maps");

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

static __noinline int tell_cache(uint64_t address)
{
	const struct kmem_cache *cache = (const struct kmem_cache *)(unsigned long)address;
	uint32_t slot = seen_slot(address);
	struct kmt_name *name;
	uint8_t yes = 1;

	if (!bpf_map_lookup_elem(&told, &address)) {
		name = name_begin(KMT_NAME_CACHE, address);
		if (!name)
			return 0; /* not marked: the next event asks again */
		name->object_size = BPF_CORE_READ(cache, object_size);
		name->size = BPF_CORE_READ(cache, size);
		bpf_probe_read_kernel_str(name->name, sizeof(name->name),
					  BPF_CORE_READ(cache, name));
		if (is_cache_of_caches(name->name))
			totals.cache_of_caches = address;
		bpf_ringbuf_submit(name, BPF_RB_NO_WAKEUP);
		bpf_map_update_elem(&told, &address, &yes, 0);
	}
	if (slot < SEEN_SLOTS)
		seen[slot] = address;
	return 0;
}

static __always_inline void see_cache(uint64_t address)
{
	uint32_t slot = seen_slot(address);

	if (slot < SEEN_SLOTS && seen[slot] != address)
		tell_cache(address);
}

/* A freed struct kmem_cache: its address may come back as another cache. */
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

static __always_inline int tell_task(struct task_struct *task, const char *comm)
{
	struct kmt_name *name = name_begin(KMT_NAME_TASK, (uint32_t)BPF_CORE_READ(task, pid));

	if (!name)
		return 0;
	name->tgid = BPF_CORE_READ(task, tgid);
	bpf_probe_read_kernel_str(name->name, sizeof(task->comm), comm);
	bpf_ringbuf_submit(name, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("raw_tp/task_newtask")
int task_newtask(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx->args[0];

	return tell_task(task, task->comm);
}

SEC("raw_tp/task_rename")
int task_rename(struct bpf_raw_tracepoint_args *ctx)
{
	return tell_task((struct task_struct *)ctx->args[0], (const char *)ctx->args[1]);
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
