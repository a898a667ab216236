/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where struct kmem_cache has its sizes and its name, on a kernel without BTF: found by comparing
 * its memory with caches whose sizes and names the trace event entries had. A cache that exists for
 * a moment only, or whose objects only kfree() frees, then has them from its first event on.
 */
#ifndef BPF_CACHE_LAYOUT_BPF_H
#define BPF_CACHE_LAYOUT_BPF_H

#define LAYOUT_WORDS 64 /* of the structure that are compared */
#define LAYOUT_CACHES 4 /* that must have been compared */

struct cache_layout {
	uint64_t not_sizes, not_name; /* words that differed, as bits */
	uint32_t sizes_compared, names_compared;
	uint32_t sizes_at, name_at; /* the only word that never differed, + 1; 0: unknown */
};

struct cache_layout layout;

/* The number of the only bit that is not set, + 1; 0: there are more, or too few comparisons. */
static __always_inline uint32_t only_candidate(uint64_t excluded, uint32_t compared)
{
	uint64_t left = ~excluded;
	uint32_t at = 1;

	if (compared < LAYOUT_CACHES || !left || left & (left - 1))
		return 0;
	for (uint32_t i = 1; i < LAYOUT_WORDS; i++)
		at += left >> i != 0;
	return at;
}

/* The sizes stand side by side: size, object_size. */
static __always_inline bool read_sizes(uint64_t cache, uint32_t word, uint32_t sizes[2])
{
	return !bpf_probe_read_kernel(sizes, 2 * sizeof(sizes[0]),
				      (const void *)(unsigned long)(cache + 4 * word));
}

static __always_inline bool read_name(uint64_t cache, uint32_t word, char name[KMT_NAME_SIZE])
{
	uint32_t size = fields[KMT_FIELD_ALLOC_POINTER].size, narrow = 0;
	uint64_t text = 0;

	if (size == sizeof(text)) {
		bpf_probe_read_kernel(&text, sizeof(text),
				      (const void *)(unsigned long)(cache + 8 * word));
	} else {
		bpf_probe_read_kernel(&narrow, sizeof(narrow),
				      (const void *)(unsigned long)(cache + 4 * word));
		text = narrow;
	}
	return text && bpf_probe_read_kernel_str(name, KMT_NAME_SIZE,
						 (const void *)(unsigned long)text) > 1;
}

static __noinline int learn_sizes(uint64_t address, uint32_t size, uint32_t object_size)
{
	for (uint32_t i = 0; i < LAYOUT_WORDS; i++) {
		uint32_t sizes[2];

		if (!read_sizes(address, i, sizes) || sizes[0] != size || sizes[1] != object_size)
			layout.not_sizes |= 1ULL << i;
	}
	layout.sizes_compared++;
	layout.sizes_at = only_candidate(layout.not_sizes, layout.sizes_compared);
	return 0;
}

static __noinline int learn_name(uint64_t address, struct kmt_partial_cache *cache)
{
	for (uint32_t i = 0; i < LAYOUT_WORDS; i++) {
		uint64_t name[KMT_NAME_SIZE / 8] = { 0 }, other = 0;

		if (layout.not_name >> i & 1)
			continue;
		if (read_name(address, i, (char *)name))
			for (uint32_t k = 0; k < KMT_NAME_SIZE / 8; k++)
				other |= name[k] ^ ((uint64_t *)cache->name)[k];
		else
			other = 1;
		if (other)
			layout.not_name |= 1ULL << i;
	}
	layout.names_compared++;
	layout.name_at = only_candidate(layout.not_name, layout.names_compared);
	return 0;
}

static __always_inline void read_layout_sizes(struct kmt_partial_cache *cache, uint64_t address)
{
	uint32_t sizes[2];

	if (!cache->size && layout.sizes_at && read_sizes(address, layout.sizes_at - 1, sizes)) {
		cache->size = sizes[0];
		cache->object_size = sizes[1];
	}
}

/* Reads what is not known of a cache yet. */
static __always_inline void read_layout(struct kmt_partial_cache *cache, uint64_t address)
{
	read_layout_sizes(cache, address);
	if (!cache->name[0] && layout.name_at &&
	    !read_name(address, layout.name_at - 1, cache->name))
		cache->name[0] = 0;
}

#endif
