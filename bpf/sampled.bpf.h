/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The sampled objects that are live, for a profile: the free of such an object is recorded, and no
 * other. Two tables have the addresses. sampled_marks has a word for each page, and for others of
 * the same number modulo the words in use: the number of sampled objects that begin there. Every
 * free and allocation looks there, without a helper call, and nearly all find 0. Objects of one
 * slab share their words, and as few words are used as the live samples need: see
 * tracer/load/sampling.c. So they stay in the cache of the CPU. The map sampled_objects has the
 * addresses themselves.
 *
 * The life of a sampled object ends once:
 *	An event that removes the address from the map records the end, and the kernel lets only one
 *	    event remove it. A life begins when its address is added, before the allocation returns:
 *	    so no free of the object can come before.
 *	The free of another object with the same mark finds the mark, but does not find its address.
 *	    It changes nothing: the mark counts objects, and only a removal subtracts one.
 *	The free is not seen, since the kernel skipped the program or there is no tracepoint: the
 *	    address is still there at its next allocation. If that is not sampled, it removes the
 *	    address, and records a free: sampled_ends_here(). If it is, its record, of an address
 * that is live for a reader, ends the life, and the address stays in the map, now for the new
 * object: sampled_add(). A free and the next allocation of one address cannot race: the tracepoint
 * of the free comes before the allocator has the object back.
 *
 * The mark of a page that has a struct kmem_cache of known_caches has one more bit, which stays. So
 * a free that finds 0 is not the end of a cache either, and needs no look at known_filter, which
 * would be another line of memory for nearly each object.
 */
#ifndef BPF_SAMPLED_BPF_H
#define BPF_SAMPLED_BPF_H

/* The variants of the programs that have those of profile_programs.bpf.h. */
#if !defined(KMT_WITHOUT_BTF) && !defined(KMT_WITHOUT_FETCH) && !defined(KMT_WITH_COPIES)
#define KMT_WITH_PROFILE_PROGRAMS
#endif

/* In a section of its own: kmemtraced makes this map only for a profile. */
uint32_t sampled_marks[SAMPLED_MARKS] SEC(".bss.sampled");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1 << 16);
	__type(key, uint64_t);
	__type(value, uint8_t);
} sampled_objects SEC(".maps");

#define MARK_OF_CACHE 0x80000000U

static __always_inline uint32_t *sampled_mark(uint64_t pointer)
{
	return &sampled_marks[pointer >> 12 & sampled_mask & (SAMPLED_MARKS - 1)];
}

/* Not 0: a sampled object, or a struct kmem_cache, may be there. */
static __always_inline uint32_t mark_of(uint64_t pointer)
{
	return *(volatile uint32_t *)sampled_mark(pointer);
}

static __always_inline bool may_be_sampled(uint64_t pointer)
{
	return mark_of(pointer) & ~MARK_OF_CACHE;
}

/* Called before the address is added to known_caches. */
static __always_inline void mark_cache(uint64_t cache)
{
#ifdef KMT_WITH_PROFILE_PROGRAMS
	if (profile)
		__sync_fetch_and_or(sampled_mark(cache), MARK_OF_CACHE);
#endif
}

/* False: there is no room. */
static __always_inline bool sampled_add(uint64_t pointer)
{
	uint8_t yes = 1;

	if (!bpf_map_update_elem(&sampled_objects, &pointer, &yes, BPF_NOEXIST))
		__sync_fetch_and_add(sampled_mark(pointer), 1);
	else if (!bpf_map_lookup_elem(&sampled_objects, &pointer))
		return false;
	return true;
}

/* True: the address was there, and its object's life ends with this event. */
static __always_inline bool sampled_remove(uint64_t pointer)
{
	if (bpf_map_delete_elem(&sampled_objects, &pointer))
		return false;
	__sync_fetch_and_add(sampled_mark(pointer), -1);
	return true;
}

#endif
