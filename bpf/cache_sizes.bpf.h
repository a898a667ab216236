/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sizes of the objects of slab caches, for the sampling of allocations. */
#ifndef BPF_CACHE_SIZES_BPF_H
#define BPF_CACHE_SIZES_BPF_H

#define SIZES_BITS 12

/*
 * By a hash of the address of a cache. The upper 32 bits of a word identify the cache, the lower
 * are its size. It is one word, because other CPUs and interrupts write it too.
 */
uint64_t cache_sizes[1 << SIZES_BITS];

/* Bits 63 to 52: the slot; bits 51 to 20: the upper half of the word. */
static __always_inline uint64_t size_hash(uint64_t cache)
{
	return (cache >> 3) * 0x9e3779b97f4a7c15ULL;
}

static __always_inline uint64_t size_tag(uint64_t hash)
{
	return hash << SIZES_BITS & ~(uint64_t)UINT32_MAX;
}

/* 0: it is not known yet, on a kernel without BTF. */
static __noinline uint32_t read_cache_size(uint64_t cache)
{
	uint64_t hash = size_hash(cache);
	uint32_t size;
#ifdef KMT_WITHOUT_BTF
	struct kmt_partial_cache *known = bpf_map_lookup_elem(&known_caches, &cache);

	size = known ? known->size : 0;
#else
	size = BPF_CORE_READ((const struct kmem_cache *)(unsigned long)cache, size);
#endif
	/* a profile announces a cache at its first sample only, but must forget the size of each */
	known_filter_add(cache);
	if (size)
		cache_sizes[hash >> (64 - SIZES_BITS)] = size_tag(hash) | size;
	return size;
}

/* The bytes that an object of the cache takes. */
static __always_inline uint32_t cache_size(uint64_t cache)
{
	uint64_t hash = size_hash(cache), word;

	if (!sample_interval)
		return 0;
	word = cache_sizes[hash >> (64 - SIZES_BITS)];
	return (word ^ size_tag(hash)) >> 32 ? read_cache_size(cache) : (uint32_t)word;
}

static __always_inline void forget_cache_size(uint64_t cache)
{
	uint64_t hash = size_hash(cache), slot = hash >> (64 - SIZES_BITS);

	if (sample_interval && !((cache_sizes[slot] ^ size_tag(hash)) >> 32))
		cache_sizes[slot] = 0;
}

#endif
