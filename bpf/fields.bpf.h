/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of caches and tasks on a kernel without BTF: from the fields of the trace event
 * entries, at the offsets that the tracepoints' format files list.
 *
 * Only a raw tracepoint has a cache's address, and only the trace event entry has the cache's name
 * and sizes. The first program of an event runs before the field program, and stores a request if
 * the name or the sizes of the cache are not known yet. The field program below then runs for the
 * same event on the same CPU, and answers the request. If another event comes between the two, it
 * does not answer the request, since its object differs; the next event of the cache then stores a
 * new request.
 */
#ifndef BPF_FIELDS_BPF_H
#define BPF_FIELDS_BPF_H

#include "bpf/cache_layout.bpf.h"

/*
 * The caches that events have named, sent to kmemtraced or not, by address, with the names and
 * sizes known so far.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, uint64_t);
	__type(value, struct kmt_partial_cache);
} known_caches SEC(".maps");

#define REQUEST_MAX_AGE 1000000 /* ns: an older request is from another event */

struct name_request {
	uint64_t cache, pointer, time;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct name_request);
} name_requests SEC(".maps");

static __always_inline struct name_request *request_here(void)
{
	uint32_t first = 0;

	return bpf_map_lookup_elem(&name_requests, &first);
}

/* Does the trace event entry have something that is not known of the cache yet? */
static __always_inline bool entry_has_more(const struct kmt_partial_cache *cache, bool is_free)
{
	if (!cache->size && !is_free)
		return true;
	return !cache->name[0] && fields[is_free ? KMT_FIELD_FREE_NAME : KMT_FIELD_ALLOC_NAME].size;
}

static __always_inline uint64_t read_field(void *entry, enum kmt_field field)
{
	uint64_t wide = 0;
	uint32_t narrow = 0;

	if (fields[field].size == sizeof(wide)) {
		bpf_probe_read_kernel(&wide, sizeof(wide), entry + fields[field].offset);
		return wide;
	}
	if (fields[field].size == sizeof(narrow))
		bpf_probe_read_kernel(&narrow, sizeof(narrow), entry + fields[field].offset);
	return narrow;
}

static __always_inline void send_known(struct kmt_partial_cache *cache, uint64_t address)
{
	struct kmt_message *message = message_reserve(KMT_MESSAGE_CACHE, address);

	if (!message)
		return;
	message->time = cache->since;
	message->object_size = cache->object_size;
	message->size = cache->size;
	cache->complete = 1;
	message_submit_name(message, (unsigned long)cache->name);
}

static __always_inline void send_if_complete(struct kmt_partial_cache *cache, uint64_t address)
{
	if (cache->name[0] && cache->size)
		send_known(cache, address);
}

static __noinline int request_name(uint64_t address, uint64_t pointer, bool is_free)
{
	struct kmt_partial_cache *cache = bpf_map_lookup_elem(&known_caches, &address);
	struct name_request *here = request_here();
	struct kmt_partial_cache nothing = {};

	if (cache && !cache->complete) {
		read_layout(cache, address);
		send_if_complete(cache, address);
	}
	if (cache && cache->complete) {
		remember_announced(address);
		return 0;
	}
	if (!cache) {
		nothing.since = bpf_ktime_get_ns();
		read_layout(&nothing, address);
		send_if_complete(&nothing, address);
		known_filter_add(address);
		bpf_map_update_elem(&known_caches, &address, &nothing, BPF_NOEXIST);
	}
	if (here && !nothing.complete && (!cache || entry_has_more(cache, is_free))) {
		here->pointer = pointer;
		here->time = bpf_ktime_get_ns();
		here->cache = address;
		totals.names_requested = 1;
	}
	return 0;
}

/*
 * Requests the name and the sizes of the cache, unless they are known. Called before the event of
 * the cache is recorded; pointer: the event's object.
 */
static __always_inline void announce_cache(uint64_t address, uint64_t pointer, bool is_free)
{
	if (!was_announced(address))
		request_name(address, pointer, is_free);
}

static __noinline int send_cache_name(uint64_t text)
{
	struct kmt_partial_cache *known, cache = { .complete = 1 };
	struct kmt_message *message;

	known = bpf_map_lookup_elem(&known_caches, &text);
	if (!known) {
		message = message_reserve(KMT_MESSAGE_CACHE, text);
		if (!message)
			return 0;
		message_submit_name(message, text);
		known_filter_add(text);
		bpf_map_update_elem(&known_caches, &text, &cache, 0);
	}
	remember_announced(text);
	return 0;
}

/* The cache of a free, by its name: the address of the name, or 0: unknown. */
static __always_inline uint64_t cache_by_name(uint64_t text)
{
	/* allocations name the cache by its own address, so the name's would be another cache */
	if (allocations_have_cache)
		return 0;
	if (!was_announced(text))
		send_cache_name(text);
	return text;
}

static __always_inline void forget_name(uint64_t text)
{
}

/* The cache that the raw program of this event requested; NULL: none. */
static __always_inline struct kmt_partial_cache *take_request(void *entry, enum kmt_field pointer,
							      uint64_t *address)
{
	struct name_request *here = request_here();
	struct kmt_partial_cache *cache;

	if (!here || !here->cache)
		return NULL;
	*address = here->cache;
	here->cache = 0;
	if (here->pointer != read_field(entry, pointer) ||
	    bpf_ktime_get_ns() - here->time > REQUEST_MAX_AGE)
		return NULL;
	cache = bpf_map_lookup_elem(&known_caches, address);
	return cache && !cache->complete ? cache : NULL;
}

/* The lower half of a text's field (__data_loc) is the offset of the text in the entry. */
static __always_inline void read_text(struct kmt_partial_cache *cache, void *entry,
				      enum kmt_field field)
{
	uint32_t offset = read_field(entry, field) & 0xffff;

	if (offset)
		bpf_probe_read_kernel_str(cache->name, sizeof(cache->name), entry + offset);
}

/*
 * The cache is destroyed: sends what is known of it, unless it was sent. The kernel has freed the
 * name already.
 */
static __always_inline void send_incomplete_cache(uint64_t address)
{
	struct kmt_partial_cache *cache = bpf_map_lookup_elem(&known_caches, &address);

	if (!cache || cache->complete)
		return;
	read_layout_sizes(cache, address);
	send_known(cache, address);
}

/*
 * The result of these programs decides whether users of perf get the event. An event that
 * interrupts such a program does not reach perf, so kmemtraced attaches the programs only while
 * there are requests.
 */
#define DELIVER_TO_PERF 1

SEC("tp/kmem/kmem_cache_alloc")
int kmem_cache_alloc_fields(void *ctx)
{
	uint64_t address = 0;
	struct kmt_partial_cache *cache = take_request(ctx, KMT_FIELD_ALLOC_POINTER, &address);

	if (!cache)
		return DELIVER_TO_PERF;
	cache->object_size = read_field(ctx, KMT_FIELD_ALLOC_REQUESTED);
	cache->size = read_field(ctx, KMT_FIELD_ALLOC_ALLOCATED);
	if (!layout.sizes_at && cache->size)
		learn_sizes(address, cache->size, cache->object_size);
	read_text(cache, ctx, KMT_FIELD_ALLOC_NAME);
	if (!layout.name_at && cache->name[0])
		learn_name(address, cache);
	send_if_complete(cache, address);
	return DELIVER_TO_PERF;
}

SEC("tp/kmem/kmem_cache_free")
int kmem_cache_free_fields(void *ctx)
{
	uint64_t address = 0;
	struct kmt_partial_cache *cache = take_request(ctx, KMT_FIELD_FREE_POINTER, &address);

	if (!cache)
		return DELIVER_TO_PERF;
	read_text(cache, ctx, KMT_FIELD_FREE_NAME);
	if (!layout.name_at && cache->name[0])
		learn_name(address, cache);
	send_if_complete(cache, address);
	return DELIVER_TO_PERF;
}

#include "bpf/cgroup_fields.bpf.h"

static __always_inline int send_task(void *entry, uint32_t tid, uint32_t tgid, uint32_t uid,
				     enum kmt_field comm, bool is_new)
{
	struct kmt_message *message = message_reserve(KMT_MESSAGE_TASK, tid);

	if (!message)
		return DELIVER_TO_PERF;
	message->tgid = tgid;
	message->uid = uid;
	message->is_new = is_new;
	if (is_new)
		message->cgroup = cgroup_of_new_task();
	bpf_probe_read_kernel_str(message->name, COMM_SIZE, entry + fields[comm].offset);
	bpf_ringbuf_submit(message, BPF_RB_NO_WAKEUP);
	return DELIVER_TO_PERF;
}

/* The process of each new thread, for threads that are renamed by others. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, uint32_t);
	__type(value, uint32_t);
} processes SEC(".maps");

#define CLONE_THREAD 0x10000

SEC("tp/task/task_newtask")
int task_newtask(void *ctx)
{
	uint32_t tid = read_field(ctx, KMT_FIELD_NEWTASK_PID);
	uint32_t tgid = bpf_get_current_pid_tgid() >> 32;

	if (!(read_field(ctx, KMT_FIELD_NEWTASK_FLAGS) & CLONE_THREAD))
		tgid = tid;
	bpf_map_update_elem(&processes, &tid, &tgid, 0);
	if (name_comes_later(tid))
		return DELIVER_TO_PERF;
	return send_task(ctx, tid, tgid, bpf_get_current_uid_gid(), KMT_FIELD_NEWTASK_COMM, true);
}

/*
 * A task is renamed by itself, by another thread of its process or, if it is a kernel thread, by
 * the task that created it.
 */
SEC("tp/task/task_rename")
int task_rename(void *ctx)
{
	uint32_t tgid = bpf_get_current_pid_tgid() >> 32;
	uint32_t tid = read_field(ctx, KMT_FIELD_RENAME_PID);

	uint32_t own = bpf_get_current_pid_tgid(), *process = NULL;

	if (!tid)
		tid = own;
	if (!sends_new_name(tid))
		return DELIVER_TO_PERF;
	if (tid != own)
		process = bpf_map_lookup_elem(&processes, &tid);
	return send_task(ctx, tid, process ? *process : tgid, renamed_uid(tid),
			 KMT_FIELD_RENAME_COMM, false);
}

/* The name only: kmemtraced finds the addresses in /proc/modules. */
static __always_inline int send_module(void *entry, uint32_t kind, enum kmt_field name)
{
	uint32_t offset = read_field(entry, name) & 0xffff;
	struct kmt_message *message = offset ? message_reserve(kind, 0) : NULL;

	if (message)
		message_submit_name(message, (unsigned long)entry + offset);
	return DELIVER_TO_PERF;
}

SEC("tp/module/module_load")
int module_load(void *ctx)
{
	return send_module(ctx, KMT_MESSAGE_MODULE, KMT_FIELD_MODULE_LOAD_NAME);
}

SEC("tp/module/module_free")
int module_free(void *ctx)
{
	return send_module(ctx, KMT_MESSAGE_MODULE_GONE, KMT_FIELD_MODULE_FREE_NAME);
}

#endif
