/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends each name to kmemtraced once: of a slab cache at its first event, of a task when it is
 * created or renamed; and a message when a module is loaded or unloaded, or a cgroup or its tasks
 * change. Records hold only addresses and thread ids.
 *
 * In a profile, most tasks have no record. So a task is sent at its first record, and when it is
 * renamed after that.
 */
#ifndef BPF_NAMES_BPF_H
#define BPF_NAMES_BPF_H

#define ANNOUNCED_SLOTS 4096
#define COMM_SIZE 16

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} names SEC(".maps");

/*
 * A direct-mapped lookup table of recent addresses in the map known_caches: one load instead of a
 * map lookup.
 */
uint64_t announced[ANNOUNCED_SLOTS];

/*
 * A Bloom filter with one hash function and a byte for each hash value: not 0 if an address with
 * this hash was ever added to known_caches or to by_name. An object freed at any
 * other address is neither a known struct kmem_cache nor the name of one; this check costs one
 * load. Entries are never cleared: caches are few, and new caches reuse the addresses of old ones.
 */
#define KNOWN_FILTER_BITS 15
uint8_t known_filter[1 << KNOWN_FILTER_BITS];

static __always_inline uint32_t announced_slot(uint64_t cache)
{
	return (cache >> 6) * 0x9e3779b97f4a7c15ULL >> 52; /* 12 bits: ANNOUNCED_SLOTS */
}

static __always_inline uint64_t known_filter_slot(uint64_t address)
{
	return address * 0x9e3779b97f4a7c15ULL >> (64 - KNOWN_FILTER_BITS);
}

/* Call it before the address is added to one of the maps. */
static __always_inline void known_filter_add(uint64_t address)
{
	known_filter[known_filter_slot(address)] = 1;
	mark_cache(address);
}

static __always_inline void message_begin(struct kmt_message *message, uint32_t kind, uint64_t key)
{
	message->kind = kind;
	message->tgid = 0;
	message->time = bpf_ktime_get_ns();
	message->key = key;
	message->cgroup = 0;
	message->object_size = 0;
	message->size = 0;
	message->name[0] = 0;
}

static __always_inline struct kmt_message *message_reserve(uint32_t kind, uint64_t key)
{
	struct kmt_message *message = bpf_ringbuf_reserve(&names, sizeof(*message), 0);

	if (!message) {
		__sync_fetch_and_add(&totals.names_lost, 1);
		return NULL;
	}
	message_begin(message, kind, key);
	return message;
}

/* text: NULL, or the path in the kernel's memory. */
static __always_inline void send_path(uint32_t kind, uint64_t key, const char *text)
{
	struct kmt_path_message *message = bpf_ringbuf_reserve(&names, sizeof(*message), 0);

	if (!message) {
		__sync_fetch_and_add(&totals.names_lost, 1);
		return;
	}
	message_begin(&message->head, kind, key);
	message->path[0] = 0;
	if (text)
		bpf_probe_read_kernel_str(message->path, sizeof(message->path), text);
	bpf_ringbuf_submit(message, BPF_RB_NO_WAKEUP);
}

/* Fills in the name of a cache, from the kernel's memory, and submits the message. */
static __always_inline void message_submit_name(struct kmt_message *message, uint64_t text)
{
	bpf_probe_read_kernel_str(message->name, sizeof(message->name),
				  (const void *)(unsigned long)text);
	bpf_ringbuf_submit(message, BPF_RB_NO_WAKEUP);
}

/* The user of a renamed task: only the current task's is known. It is before a set-user-ID exec. */
static __always_inline uint32_t renamed_uid(uint32_t tid)
{
	return tid == (uint32_t)bpf_get_current_pid_tgid() ? (uint32_t)bpf_get_current_uid_gid()
							   : KMT_UID_UNKNOWN;
}

static __always_inline bool was_announced(uint64_t address)
{
	uint32_t slot = announced_slot(address);

	return slot < ANNOUNCED_SLOTS && announced[slot] == address;
}

static __always_inline void remember_announced(uint64_t address)
{
	uint32_t slot = announced_slot(address);

	if (slot < ANNOUNCED_SLOTS)
		announced[slot] = address;
}

/* In a profile: the tasks that were sent. A task that a full map drops is sent again. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, uint32_t);
	__type(value, uint8_t);
} named_tasks SEC(".maps");

/* Called for a new task. True: its name is sent at its first record. */
static __always_inline bool name_comes_later(uint32_t tid)
{
	if (!profile)
		return false;
	bpf_map_delete_elem(&named_tasks, &tid); /* of an earlier task */
	return true;
}

/* Is the new name of a task sent? */
static __always_inline bool sends_new_name(uint32_t tid)
{
	return !profile || bpf_map_lookup_elem(&named_tasks, &tid);
}

#ifdef KMT_WITHOUT_BTF
#include "bpf/fields.bpf.h"
#else
#include "bpf/types.bpf.h"
#endif

/* Called in a profile before a record of the current task is made. ids: of the task. */
static __noinline int name_task(uint64_t ids)
{
	struct kmt_message *message;
	uint32_t tid = ids;
	uint8_t yes = 1;

	/* 0: the idle tasks of all CPUs */
	if (!tid || bpf_map_lookup_elem(&named_tasks, &tid))
		return 0;
	message = message_reserve(KMT_MESSAGE_TASK, tid);
	if (!message)
		return 0; /* the next record tries again */
	message->tgid = ids >> 32;
	message->uid = bpf_get_current_uid_gid();
	message->is_new = true;
	message->cgroup = current_cgroup();
	bpf_get_current_comm(message->name, COMM_SIZE);
	bpf_ringbuf_submit(message, BPF_RB_NO_WAKEUP);
	bpf_map_update_elem(&named_tasks, &tid, &yes, 0);
	return 0;
}

#include "bpf/cache_sizes.bpf.h"

static __noinline int forget_cache_slow(uint64_t address)
{
	uint32_t slot = announced_slot(address);
	struct kmt_message *message;

	if (frees_have_name)
		forget_name(address);
	if (slot < ANNOUNCED_SLOTS && announced[slot] == address)
		announced[slot] = 0;
	forget_cache_size(address);
	send_incomplete_cache(address);
	if (bpf_map_delete_elem(&known_caches, &address))
		return 0;
	message = message_reserve(KMT_MESSAGE_CACHE_GONE, address);
	if (message)
		bpf_ringbuf_submit(message, BPF_RB_NO_WAKEUP);
	return 0;
}

/*
 * Called at frees, before the process filter: the object may be a struct kmem_cache or the name of
 * one, and another cache may get its address later.
 *	kmem_cache_free() and kmem_cache_free_name() call it at each free: a struct kmem_cache is an
 *	    object of a slab cache.
 *	kfree() calls it only if frees have names: only then an address of a name is stored.
 *	kmem_cache_free_anonymous() does not call it: before 5.12 no event has a cache, so
 *	    nothing is stored.
 *	kmem_cache_free_profile() calls it if the page of the object is marked: mark_cache().
 *	kmem_cache_free_backup() calls it for the events that it records. For the other events the
 *	    first program has called it, or they count as skipped.
 * So the call is missed only for a free that is skipped. The free of a struct kmem_cache does not
 * interrupt a program: only a task destroys a cache (kmem_cache_destroy() may sleep). It can be
 * skipped on kernels that preempt a task in a tracepoint (7.x). If it is, a new cache at the same
 * address keeps the old cache's name.
 */
static __always_inline void forget_cache(uint64_t address)
{
	if (known_filter[known_filter_slot(address)])
		forget_cache_slow(address);
}

#endif
