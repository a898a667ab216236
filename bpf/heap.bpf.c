// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads which objects the slab allocator has given out. The programs are attached nowhere: a
 * process runs them with BPF_PROG_TEST_RUN. heap_begin finds the array of struct page and a first
 * slab cache, heap_caches all caches, heap_scan all slabs among some pages, heap_walk the free
 * objects on the lists of these slabs, and heap_lists those that a CPU or a node keeps.
 *
 * A slab is naturally aligned, so a pointer to any of its objects shows where it begins. The kernel
 * changes all this meanwhile: a list is read again if it changed, and each entry must be an object
 * of the slab.
 */
#include "bpf/vmlinux.h"

#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "kernel/heap_programs.h"

#include "bpf/per_cpu.bpf.h"

#define STRUCT_PAGE_MAX 128 /* bytes */
#define BLOCK_PAGES 64	    /* whose struct page one read gets */
#define WALKS 3		    /* of one slab, if its list changes */
#define SHEAF_OBJECTS 1024
#define BARN_SHEAVES 32

#include "bpf/heap_types.bpf.h"

const volatile uint32_t page_shift = 12;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, struct kmt_heap_state_of_programs);
} state SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, char[KMT_HEAP_OUTPUT]);
} output SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, KMT_HEAP_SCAN_PAGES);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, struct kmt_heap_page);
} pages SEC(".maps");

/* The addresses of all slab caches. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, KMT_HEAP_CACHES_MAX);
	__type(key, uint64_t);
	__type(value, uint32_t);
} caches SEC(".maps");

/* Copies of a block of struct page. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, char[BLOCK_PAGES * STRUCT_PAGE_MAX]);
} block SEC(".maps");

static const uint32_t first;

static __always_inline void *address(uint64_t value)
{
	return (void *)(unsigned long)value;
}

static __always_inline uint64_t value(const volatile void *pointer)
{
	return (unsigned long)pointer;
}

static __always_inline struct kmem_cache___lists *cache_lists(uint64_t cache)
{
	return address(cache);
}

static __always_inline struct kmt_heap_state_of_programs *begin_run(void)
{
	struct kmt_heap_state_of_programs *known = bpf_map_lookup_elem(&state, &first);

	if (known)
		known->count = 0;
	return known;
}

/*
 * 0, after begin_run(). The verifier does not know it: of a count that begins at a number that it
 * knows, it would follow each number that a loop gives it.
 */
static __always_inline uint32_t zero_of(const struct kmt_heap_state_of_programs *known)
{
	return *(const volatile uint32_t *)&known->count;
}

static __always_inline struct file *file_of(uint32_t fd)
{
	struct task_struct___files *task = (void *)bpf_get_current_task();
	struct file *file = NULL;

	bpf_probe_read_kernel(&file, sizeof(file), BPF_CORE_READ(task, files, fdt, fd) + fd);
	return file;
}

/*
 * (a pipe, the page frame number of the page in it, a socket): the pipe has been given a page of
 * the process.
 */
SEC("raw_tp/kfree")
int heap_begin(struct bpf_raw_tracepoint_args *ctx)
{
	struct kmt_heap_state_of_programs *known = begin_run();
	struct pipe_inode_info *pipe = BPF_CORE_READ(file_of(ctx->args[0]), private_data);
	struct socket *socket = BPF_CORE_READ(file_of(ctx->args[2]), private_data);
	uint64_t page = value(BPF_CORE_READ(pipe, bufs, page));

	if (!known || !page)
		return -1;
	known->page_zero = page - ctx->args[1] * bpf_core_type_size(struct page);
	known->first_cache = value(BPF_CORE_READ(socket, sk, __sk_common.skc_prot, slab));
	return 0;
}

struct cache_walk {
	uint64_t at, end;
	uint32_t count;
};

/* The list of all caches has a head, which only looks like a cache. */
static __always_inline bool is_cache(const struct kmt_heap_cache *cache, uint32_t objects)
{
	return cache->object_size && cache->object_size <= cache->size && cache->size < 1U << 28 &&
	       objects && cache->order < 16 && cache->name[0] > ' ' && cache->name[0] < 127;
}

static long take_cache(uint32_t index, void *data)
{
	struct cache_walk *walk = data;
	struct kmem_cache___lists *lists = cache_lists(walk->at);
	char *out = bpf_map_lookup_elem(&output, &first);
	struct kmt_heap_cache *cache;
	uint32_t order;
	uint64_t key = walk->at;

	if (!out || walk->count >= KMT_HEAP_CACHES_MAX)
		return 1;
	cache = (struct kmt_heap_cache *)out + walk->count;
	cache->address = key;
	cache->size = BPF_CORE_READ(lists, size);
	cache->object_size = BPF_CORE_READ(lists, object_size);
	cache->first =
		bpf_core_field_exists(lists->red_left_pad) ? BPF_CORE_READ(lists, red_left_pad) : 0;
	order = BPF_CORE_READ(lists, oo.x);
	cache->order = order >> 16;
	cache->name[0] = 0;
	bpf_probe_read_kernel_str(cache->name, sizeof(cache->name), BPF_CORE_READ(lists, name));
	if (is_cache(cache, order & 0xffff)) {
		bpf_map_update_elem(&caches, &key, &walk->count, 0);
		walk->count++;
	}
	walk->at = value(BPF_CORE_READ(lists, list.next)) -
		   bpf_core_field_offset(struct kmem_cache___lists, list);
	return walk->at == walk->end;
}

/* (): puts out all caches. */
SEC("raw_tp/kfree")
int heap_caches(struct bpf_raw_tracepoint_args *ctx)
{
	struct kmt_heap_state_of_programs *known = begin_run();
	struct cache_walk walk = {};

	if (!known || !known->first_cache)
		return -1;
	walk.at = walk.end = known->first_cache;
	walk.count = zero_of(known);
	bpf_loop(KMT_HEAP_CACHES_MAX, take_cache, &walk, 0);
	known->count = walk.count;
	return 0;
}

static __always_inline bool is_slab_page(const char *page)
{
	if (!bpf_core_enum_value_exists(enum pagetype, PGTY_slab))
		return true;
	return *(const uint32_t *)(page + bpf_core_field_offset(struct page, page_type)) >> 24 ==
	       bpf_core_enum_value(enum pagetype, PGTY_slab);
}

/* Is it a page of a compound page, but not the first? */
static __always_inline bool is_tail_page(const char *page)
{
	const struct page___info *info = NULL;
	uint32_t at = bpf_core_field_exists(info->compound_info)
			      ? bpf_core_field_offset(struct page___info, compound_info)
			      : bpf_core_field_offset(struct page, compound_head);

	return *(const uint64_t *)(page + at) & 1;
}

struct scan {
	uint64_t pfn, page; /* of the next block */
	uint32_t count;
};

static long scan_page(uint32_t index, struct scan *scan, const char *page)
{
	struct kmt_heap_page *found;
	uint64_t cache;

	if (!is_slab_page(page) || is_tail_page(page))
		return 0;
	cache = *(const uint64_t *)(page + bpf_core_field_offset(struct slab, slab_cache));
	if (!bpf_map_lookup_elem(&caches, &cache))
		return 0;
	found = bpf_map_lookup_elem(&pages, &scan->count);
	if (!found)
		return 1;
	found->pfn = scan->pfn + index;
	found->cache = cache;
	scan->count++;
	return 0;
}

static long scan_block(uint32_t index, void *data)
{
	const uint32_t size = bpf_core_type_size(struct page);
	struct scan *scan = data;
	char *copy = bpf_map_lookup_elem(&block, &first);

	if (!copy || size > STRUCT_PAGE_MAX || size < 32)
		return 1;
	/* where there is no memory, there may be no struct page either */
	if (!bpf_probe_read_kernel(copy, BLOCK_PAGES * size, address(scan->page)))
		for (uint32_t i = 0; i < BLOCK_PAGES; i++)
			if (scan_page(i, scan, copy + i * size))
				return 1;
	scan->pfn += BLOCK_PAGES;
	scan->page += BLOCK_PAGES * size;
	return 0;
}

/* (page frame number, pages): a multiple of 64 pages. Puts the slabs among them into pages. */
SEC("raw_tp/kfree")
int heap_scan(struct bpf_raw_tracepoint_args *ctx)
{
	struct kmt_heap_state_of_programs *known = begin_run();
	struct scan scan = { .pfn = ctx->args[0] };
	uint32_t blocks = ctx->args[1] / BLOCK_PAGES;

	if (!known || !known->page_zero || blocks > KMT_HEAP_SCAN_PAGES / BLOCK_PAGES)
		return -1;
	scan.count = zero_of(known);
	scan.page = known->page_zero + scan.pfn * bpf_core_type_size(struct page);
	bpf_loop(blocks, scan_block, &scan, 0);
	known->count = scan.count;
	known->next = 0;
	return 0;
}

/* The next object on a list, of an object; *at is then no object if the word is none. */
static __always_inline void follow(uint64_t *at, uint64_t random, uint32_t offset)
{
	const struct kmem_cache___lists *lists = NULL;
	uint64_t place = *at + offset, word = 0;

	if (bpf_probe_read_kernel(&word, sizeof(word), address(place)))
		word = 1; /* no object */
	else if (bpf_core_field_exists(lists->random))
		word ^= random ^ __builtin_bswap64(place);
	*at = word;
}

/* Puts the objects of a list of a slab out. */
struct list_walk {
	uint64_t at, begin, random;
	uint32_t bytes, offset;
	uint32_t out; /* where in the output the next one goes, in bytes */
	uint32_t count;
	bool is_bad; /* an entry does not lie in the slab */
};

static long step(uint32_t index, void *data)
{
	struct list_walk *walk = data;
	char *out = bpf_map_lookup_elem(&output, &first);
	uint32_t at = walk->out;

	if (!out || !walk->at)
		return 1;
	if (walk->at - walk->begin >= walk->bytes || at > KMT_HEAP_OUTPUT - sizeof(uint32_t)) {
		walk->is_bad = true;
		return 1;
	}
	*(uint32_t *)(out + (at & (KMT_HEAP_OUTPUT - 4))) = walk->at - walk->begin;
	walk->out += sizeof(uint32_t);
	walk->count++;
	follow(&walk->at, walk->random, walk->offset);
	return 0;
}

/* As two numbers, so that a slab's begin need not be known before an object is. */
static __always_inline void walk_list(struct list_walk *walk, uint64_t head, uint32_t most)
{
	walk->at = head;
	walk->begin = head & ~(uint64_t)(walk->bytes - 1);
	walk->count = 0;
	walk->is_bad = false;
	bpf_loop(most < KMT_HEAP_OBJECTS ? most + 1 : KMT_HEAP_OBJECTS, step, walk, 0);
	if (walk->at)
		walk->is_bad = true;
}

static __always_inline uint32_t slab_bytes(struct kmem_cache___lists *lists, uint32_t objects)
{
	uint32_t most = BPF_CORE_READ(lists, oo.x);

	if ((most & 0xffff) != objects)
		most = BPF_CORE_READ(lists, min.x);
	most >>= 16;
	return most < 16 ? 1U << (page_shift + most) : 0;
}

struct slab_copy {
	char bytes[64];
};

static __always_inline bool read_slab(struct slab_copy *copy, uint64_t page)
{
	return !bpf_probe_read_kernel(copy, sizeof(*copy), address(page));
}

static __always_inline uint64_t slab_word(const struct slab_copy *copy, uint32_t offset)
{
	return offset <= sizeof(*copy) - 8 ? *(const uint64_t *)(copy->bytes + (offset & 56)) : 0;
}

#define SLAB_WORD(copy, field) slab_word(copy, bpf_core_field_offset(struct slab, field))

struct slabs {
	struct kmt_heap_state_of_programs *known;
	uint32_t out, count, next;
};

static __always_inline struct kmt_heap_slab *slab_room(uint32_t out)
{
	char *bytes = bpf_map_lookup_elem(&output, &first);

	if (!bytes || out > KMT_HEAP_OUTPUT - sizeof(struct kmt_heap_slab))
		return NULL;
	return (struct kmt_heap_slab *)(bytes + (out & (KMT_HEAP_OUTPUT - 8)));
}

static long walk_slab(uint32_t index, void *data)
{
	struct slabs *slabs = data;
	struct kmt_heap_page *page = bpf_map_lookup_elem(&pages, &slabs->next);
	struct slab_copy before = {}, after = {};
	struct list_walk walk = {};
	struct kmt_heap_slab *slab;
	struct kmem_cache___lists *lists;
	uint64_t slab_page, head;
	uint32_t inuse, state = KMT_HEAP_CHANGED;

	if (!page || slabs->next >= slabs->known->count)
		return 1;
	/* room for any slab */
	if (slabs->out + sizeof(*slab) + 4 * KMT_HEAP_OBJECTS + 8 > KMT_HEAP_OUTPUT)
		return 1;
	lists = cache_lists(page->cache);
	slab_page = slabs->known->page_zero + page->pfn * bpf_core_type_size(struct page);
	walk.random = bpf_core_field_exists(lists->random) ? BPF_CORE_READ(lists, random) : 0;
	walk.offset = BPF_CORE_READ(lists, offset);
	slab = slab_room(slabs->out);
	if (!slab)
		return 1;
	slab->objects = 0;
	for (uint32_t i = 0; i < WALKS && state == KMT_HEAP_CHANGED; i++) {
		if (!read_slab(&before, slab_page) ||
		    SLAB_WORD(&before, slab_cache) != page->cache) {
			state = KMT_HEAP_GONE;
			break;
		}
		slab->objects = BPF_CORE_READ_BITFIELD((struct slab *)before.bytes, objects);
		inuse = BPF_CORE_READ_BITFIELD((struct slab *)before.bytes, inuse);
		walk.bytes = slab_bytes(lists, slab->objects);
		walk.out = slabs->out + sizeof(*slab);
		head = SLAB_WORD(&before, freelist);
		/* a page of KFENCE has no counters */
		if (!walk.bytes || !slab->objects || inuse > slab->objects)
			continue;
		walk_list(&walk, head, slab->objects);
		if (!walk.is_bad && walk.count == slab->objects - inuse &&
		    read_slab(&after, slab_page) && head == SLAB_WORD(&after, freelist) &&
		    SLAB_WORD(&before, counters) == SLAB_WORD(&after, counters) &&
		    SLAB_WORD(&after, slab_cache) == page->cache)
			state = KMT_HEAP_WALKED;
	}
	slab->pfn = page->pfn;
	slab->state = state;
	slab->free = state == KMT_HEAP_WALKED ? walk.count : 0;
	slab->begin = slab->free ? walk.begin : 0;
	slab->bytes = walk.bytes;
	if (slab->begin && !slabs->known->address_zero)
		slabs->known->address_zero =
			slab_page - (walk.begin >> page_shift) * bpf_core_type_size(struct page);
	slabs->out += sizeof(*slab) + ((4 * slab->free + 7) & ~7U);
	slabs->count++;
	slabs->next++;
	return 0;
}

/* (slabs): puts out so many of the slabs in pages, or fewer, from state.next on. */
SEC("raw_tp/kfree")
int heap_walk(struct bpf_raw_tracepoint_args *ctx)
{
	struct kmt_heap_state_of_programs *known = bpf_map_lookup_elem(&state, &first);
	struct slabs slabs = { .known = known };
	uint32_t most = ctx->args[0];

	if (!known || most > KMT_HEAP_SLABS)
		return -1;
	slabs.next = known->next;
	bpf_loop(most, walk_slab, &slabs, 0);
	known->next = slabs.next;
	return slabs.count;
}

#include "bpf/heap_lists.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";
