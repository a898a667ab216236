/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of caches and tasks on a kernel with BTF: from the kernel's own structures. */
#ifndef BPF_TYPES_BPF_H
#define BPF_TYPES_BPF_H

/* The caches, and the names of caches, that were sent to kmemtraced, by address. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, uint64_t);
	__type(value, uint8_t);
} known_caches SEC(".maps");

/* For kernels whose allocations have the cache's address and whose frees have only its name. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, uint64_t);	 /* address of the cache's name */
	__type(value, uint64_t); /* address of the cache */
} by_name SEC(".maps");

#define SLAB_ACCOUNT_6_8 0x04000000 /* up to Linux 6.8, a constant */

/* As enum cache_accounting: 1 no, 2 yes. */
static __always_inline uint32_t accounting_of(const struct kmem_cache *cache)
{
	uint32_t bit = SLAB_ACCOUNT_6_8;

	if (bpf_core_enum_value_exists(enum _slab_flag_bits, _SLAB_ACCOUNT))
		bit = 1U << bpf_core_enum_value(enum _slab_flag_bits, _SLAB_ACCOUNT);
	return BPF_CORE_READ(cache, flags) & bit ? 2 : 1;
}

static __noinline int send_cache(uint64_t address)
{
	const struct kmem_cache *cache = (const struct kmem_cache *)(unsigned long)address;
	uint64_t text = (unsigned long)BPF_CORE_READ(cache, name);
	struct kmt_message *message;
	uint8_t yes = 1;

	if (!bpf_map_lookup_elem(&known_caches, &address)) {
		message = message_reserve(KMT_MESSAGE_CACHE, address);
		if (!message)
			return 0; /* not stored in known_caches: the next event tries again */
		message->object_size = BPF_CORE_READ(cache, object_size);
		message->size = BPF_CORE_READ(cache, size);
		message->accounting = accounting_of(cache);
		message_submit_name(message, text);
		known_filter_add(address);
		bpf_map_update_elem(&known_caches, &address, &yes, 0);
	}
	if (frees_have_name) {
		known_filter_add(text);
		bpf_map_update_elem(&by_name, &text, &address, 0);
	}
	remember_announced(address);
	return 0;
}

/* A cache is sent at its first event, with all facts. */
static __always_inline void send_incomplete_cache(uint64_t address)
{
}

/* Sends the name of the cache, unless it was sent. Called before the cache's event is recorded. */
static __always_inline void announce_cache(uint64_t address, uint64_t pointer, bool is_free)
{
	if (!was_announced(address))
		send_cache(address);
}

static __noinline int send_cache_name(uint64_t text)
{
	struct kmt_message *message;
	uint8_t yes = 1;

	if (!bpf_map_lookup_elem(&known_caches, &text)) {
		message = message_reserve(KMT_MESSAGE_CACHE, text);
		if (!message)
			return 0;
		message_submit_name(message, text);
		known_filter_add(text);
		bpf_map_update_elem(&known_caches, &text, &yes, 0);
	}
	remember_announced(text);
	return 0;
}

/* The cache of a free, by the name's address: the cache's address if known, else the name's. */
static __always_inline uint64_t cache_by_name(uint64_t text)
{
	uint64_t *cache = NULL;

	if (allocations_have_cache)
		cache = bpf_map_lookup_elem(&by_name, &text);
	if (cache)
		return *cache;
	if (!was_announced(text))
		send_cache_name(text);
	return text;
}

static __always_inline void forget_name(uint64_t text)
{
	if (allocations_have_cache)
		bpf_map_delete_elem(&by_name, &text);
}

#include "bpf/cgroups.bpf.h"

static __always_inline int send_task(struct task_struct *task, const char *comm, uint32_t uid,
				     bool is_new)
{
	struct kmt_message *message =
		message_reserve(KMT_MESSAGE_TASK, (uint32_t)BPF_CORE_READ(task, pid));

	if (!message)
		return 0;
	message->tgid = BPF_CORE_READ(task, tgid);
	message->uid = uid;
	message->is_new = is_new;
	if (is_new)
		message->cgroup = cgroup_of_new_task(task);
	bpf_probe_read_kernel_str(message->name, sizeof(task->comm), comm);
	bpf_ringbuf_submit(message, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("raw_tp/task_newtask")
int task_newtask(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx->args[0];

	invalidate_untraced_stack(task);
	if (name_comes_later(BPF_CORE_READ(task, pid)))
		return 0;
	return send_task(task, task->comm, bpf_get_current_uid_gid(), true);
}

SEC("raw_tp/task_rename")
int task_rename(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx->args[0];

	if (!sends_new_name(BPF_CORE_READ(task, pid)))
		return 0;
	return send_task(task, (const char *)ctx->args[1],
			 renamed_uid((uint32_t)BPF_CORE_READ(task, pid)), false);
}

static __always_inline void send_module(struct module *module, uint32_t kind, uint64_t address,
					uint32_t size)
{
	struct kmt_message *message = message_reserve(kind, address);

	if (!message)
		return;
	message->size = size;
	message_submit_name(message, (unsigned long)module->name);
}

/* In mem of struct module, since Linux 6.4. */
#define MODULE_TEXT 0
#define MODULE_INIT_TEXT 4

SEC("raw_tp/module_load")
int module_load(struct bpf_raw_tracepoint_args *ctx)
{
	struct module *module = (struct module *)ctx->args[0];
	struct module___6_3 *old = (struct module___6_3 *)ctx->args[0];
	uint32_t size = 0, init_size = 0;
	uint64_t text = 0, init = 0;

	if (bpf_core_field_exists(module->mem)) {
		text = (unsigned long)BPF_CORE_READ(module, mem[MODULE_TEXT].base);
		size = BPF_CORE_READ(module, mem[MODULE_TEXT].size);
		init = (unsigned long)BPF_CORE_READ(module, mem[MODULE_INIT_TEXT].base);
		init_size = BPF_CORE_READ(module, mem[MODULE_INIT_TEXT].size);
	} else if (bpf_core_field_exists(old->core_layout)) {
		text = (unsigned long)BPF_CORE_READ(old, core_layout.base);
		size = BPF_CORE_READ(old, core_layout.text_size);
		init = (unsigned long)BPF_CORE_READ(old, init_layout.base);
		init_size = BPF_CORE_READ(old, init_layout.text_size);
	}
	if (init && init_size)
		send_module(module, KMT_MESSAGE_MODULE_INIT, init, init_size);
	send_module(module, KMT_MESSAGE_MODULE, text, size);
	return 0;
}

SEC("raw_tp/module_free")
int module_free(struct bpf_raw_tracepoint_args *ctx)
{
	send_module((struct module *)ctx->args[0], KMT_MESSAGE_MODULE_GONE, 0, 0);
	return 0;
}

#endif
