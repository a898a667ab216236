/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The free objects that a CPU or a node keeps: on the list of the slab that the CPU allocates from,
 * before Linux 7.0; and in sheaves, since 6.18.
 */
#ifndef BPF_HEAP_LISTS_BPF_H
#define BPF_HEAP_LISTS_BPF_H

/* The output of heap_lists. */
struct lists {
	struct kmt_heap_state_of_programs *known;
	uint64_t cache, at;
	uint32_t count, rejected, unread;
	uint64_t random, page;
	uint32_t offset, bytes;
};

/* The struct page that begins the slab of an address. */
static __always_inline uint64_t slab_page_of(const struct lists *lists, uint64_t object)
{
	uint64_t page = lists->known->address_zero +
			(object >> page_shift) * bpf_core_type_size(struct page);
	const struct page___info *info = NULL;
	uint64_t head = 0;
	uint32_t at = bpf_core_field_exists(info->compound_info)
			      ? bpf_core_field_offset(struct page___info, compound_info)
			      : bpf_core_field_offset(struct page, compound_head);

	bpf_probe_read_kernel(&head, sizeof(head), address(page + at));
	if (!(head & 1))
		return page;
	/* since 7.1 it may be a mask of the page's own address */
	return head >> 48 == 0xffff && (head | 0xffffffff) == UINT64_MAX ? page & head : head - 1;
}

/* Puts out an object if it lies in a slab of the cache. */
static __always_inline bool put_object(struct lists *lists, uint64_t object)
{
	char *out = bpf_map_lookup_elem(&output, &first);
	uint64_t page = slab_page_of(lists, object), cache = 0;
	uint32_t at = lists->count * sizeof(object);

	bpf_probe_read_kernel(&cache, sizeof(cache),
			      address(page + bpf_core_field_offset(struct slab, slab_cache)));
	if (!out || cache != lists->cache || at > KMT_HEAP_OUTPUT - sizeof(object)) {
		lists->rejected++;
		return false;
	}
	*(uint64_t *)(out + (at & (KMT_HEAP_OUTPUT - 8))) = object;
	lists->count++;
	return true;
}

static long step_cpu(uint32_t index, void *data)
{
	struct lists *lists = data;

	if (!lists->at || !put_object(lists, lists->at))
		return 1;
	follow(&lists->at, lists->random, lists->offset);
	return 0;
}

/* The free objects of the slab that a CPU allocates from; before Linux 7.0. */
static __always_inline void put_cpu_slab(struct lists *lists, uint64_t offset)
{
	struct kmem_cache___lists *cache = cache_lists(lists->cache);
	const uint32_t before = lists->count;
	struct kmem_cache_cpu *cpu;
	uint64_t id;

	if (!bpf_core_field_exists(cache->cpu_slab))
		return;
	cpu = address(value(BPF_CORE_READ(cache, cpu_slab)) + offset);
	lists->random = bpf_core_field_exists(cache->random) ? BPF_CORE_READ(cache, random) : 0;
	lists->offset = BPF_CORE_READ(cache, offset);
	for (uint32_t i = 0; i < WALKS; i++) {
		lists->count = before;
		id = BPF_CORE_READ(cpu, tid);
		lists->at = value(BPF_CORE_READ(cpu, freelist));
		bpf_loop(KMT_HEAP_OBJECTS, step_cpu, lists, 0);
		if (!lists->at && id == BPF_CORE_READ(cpu, tid))
			return;
	}
	lists->count = before;
	lists->unread++;
}

struct sheaf_walk {
	struct lists *lists;
	uint64_t at, end;
};

static long step_sheaf(uint32_t index, void *data)
{
	struct sheaf_walk *walk = data;
	uint64_t object = 0;

	bpf_probe_read_kernel(&object, sizeof(object), address(walk->at));
	walk->at += sizeof(object);
	put_object(walk->lists, object);
	return 0;
}

static __noinline void put_sheaf(struct lists *lists, struct slab_sheaf *sheaf)
{
	struct sheaf_walk walk = { .lists = lists };
	uint32_t size;

	if (!sheaf || value(BPF_CORE_READ(sheaf, cache)) != lists->cache)
		return;
	size = BPF_CORE_READ(sheaf, size);
	walk.at = value(sheaf) + bpf_core_field_offset(struct slab_sheaf, objects);
	bpf_loop(size < SHEAF_OBJECTS ? size : 0, step_sheaf, &walk, 0);
}

/* Of sheaves, which caches have since Linux 6.18: those of a CPU. */
static __always_inline void put_cpu_sheaves(struct lists *lists, uint64_t offset)
{
	struct kmem_cache___lists *cache = cache_lists(lists->cache);
	struct slab_sheaf *main, *spare, *rcu_free;
	struct slub_percpu_sheaves *sheaves;
	const uint32_t before = lists->count;

	if (!bpf_core_field_exists(cache->cpu_sheaves))
		return;
	sheaves = BPF_CORE_READ(cache, cpu_sheaves);
	if (!sheaves)
		return;
	sheaves = address(value(sheaves) + offset);
	for (uint32_t i = 0; i < WALKS; i++) {
		main = BPF_CORE_READ(sheaves, main);
		spare = BPF_CORE_READ(sheaves, spare);
		rcu_free = BPF_CORE_READ(sheaves, rcu_free);
		lists->count = before;
		put_sheaf(lists, main);
		put_sheaf(lists, spare);
		put_sheaf(lists, rcu_free);
		/* a sheaf that changes its place may be read twice, and another one not at all */
		if (main == BPF_CORE_READ(sheaves, main) &&
		    spare == BPF_CORE_READ(sheaves, spare) &&
		    rcu_free == BPF_CORE_READ(sheaves, rcu_free))
			return;
	}
	lists->unread++;
}

static __always_inline struct node_barn *barn_of(uint64_t cache, uint32_t node)
{
	struct kmem_cache___nodes *nodes = address(cache);
	struct kmem_cache_node *of_node = NULL;
	struct node_barn *barn = NULL;
	uint64_t at;

	if (bpf_core_field_exists(nodes->per_node)) {
		at = cache + bpf_core_field_offset(struct kmem_cache___nodes, per_node) +
		     node * bpf_core_type_size(struct kmem_cache_per_node_ptrs) +
		     bpf_core_field_offset(struct kmem_cache_per_node_ptrs, barn);
		bpf_probe_read_kernel(&barn, sizeof(barn), address(at));
	} else if (bpf_core_field_exists(of_node->barn)) {
		at = cache + bpf_core_field_offset(struct kmem_cache___lists, node) +
		     node * sizeof(of_node);
		bpf_probe_read_kernel(&of_node, sizeof(of_node), address(at));
		barn = BPF_CORE_READ(of_node, barn);
	}
	return barn;
}

static long step_barn(uint32_t index, void *data)
{
	struct sheaf_walk *walk = data;
	struct list_head *at = address(walk->at);

	if (walk->at == walk->end)
		return 1;
	put_sheaf(walk->lists,
		  address(walk->at - bpf_core_field_offset(struct slab_sheaf, barn_list)));
	walk->at = value(BPF_CORE_READ(at, next));
	return !walk->at;
}

/* The full sheaves of a node. */
static __always_inline void put_barn(struct lists *lists, uint32_t node)
{
	struct node_barn *barn = barn_of(lists->cache, node);
	struct sheaf_walk walk = { .lists = lists };

	if (!barn)
		return;
	walk.end = value(barn) + bpf_core_field_offset(struct node_barn, sheaves_full);
	walk.at = value(BPF_CORE_READ(barn, sheaves_full.next));
	bpf_loop(BARN_SHEAVES, step_barn, &walk, 0);
}

/*
 * (address of a cache, CPU, node): puts out the addresses of the free objects that the CPU and the
 * node keep; a number above UINT32_MAX: none.
 */
SEC("raw_tp/kfree")
int heap_lists(struct bpf_raw_tracepoint_args *ctx)
{
	struct kmt_heap_state_of_programs *known = begin_run();
	struct lists lists = { .known = known, .cache = ctx->args[0] };
	uint64_t offset, cache = lists.cache;

	if (!known || !known->address_zero || !bpf_map_lookup_elem(&caches, &cache))
		return -1;
	lists.count = zero_of(known);
	offset = ctx->args[1] <= UINT32_MAX ? per_cpu_offset(ctx->args[1]) : 0;
	if (offset) {
		put_cpu_slab(&lists, offset);
		put_cpu_sheaves(&lists, offset);
	}
	if (ctx->args[2] <= UINT32_MAX)
		put_barn(&lists, ctx->args[2]);
	known->count = lists.count;
	known->rejected += lists.rejected;
	known->unread = lists.unread;
	return 0;
}

#endif
