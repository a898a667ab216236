/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kmalloc, kfree, kmem_cache_alloc, kmem_cache_free, for kernels whose kmem_cache_alloc passes
 * the cache (6.1 and later). Raw tracepoints, since tp_btf refuses `const void *` on 6.1.
 */
#ifndef BPF_SLAB_BPF_H
#define BPF_SLAB_BPF_H

static __always_inline uint64_t size_saturated(uint64_t size)
{
	return size < KMT_SIZE_MAX ? size : KMT_SIZE_MAX;
}

/* (call_site, ptr, bytes_req, bytes_alloc, gfp_flags, node) */
SEC("raw_tp/kmalloc")
int kmalloc(struct bpf_raw_tracepoint_args *ctx)
{
	struct kmt_record sizes = {
		.requested = size_saturated(ctx->args[2]),
		.allocated = size_saturated(ctx->args[3]),
	};
	struct place place;

	if (!find_place(&place))
		return 0;
	return emit(&place, KMT_KMALLOC, ctx->args[0], ctx->args[1], ctx->args[4], ctx->args[5],
		    sizes.cache);
}

/* (call_site, ptr) */
SEC("raw_tp/kfree")
int kfree(struct bpf_raw_tracepoint_args *ctx)
{
	struct place place;

	if (!find_place(&place))
		return 0;
	mark(&place, KMT_RESCUE_KFREE, ctx);
	return emit(&place, KMT_KFREE, ctx->args[0], ctx->args[1], 0, KMT_NODE_ANY, 0);
}

/* (call_site, ptr, cache, gfp_flags, node) */
SEC("raw_tp/kmem_cache_alloc")
int kmem_cache_alloc(struct bpf_raw_tracepoint_args *ctx)
{
	struct place place;

	see_cache(ctx->args[2]);
	if (!find_place(&place))
		return 0;
	return emit(&place, KMT_CACHE_ALLOC, ctx->args[0], ctx->args[1], ctx->args[3], ctx->args[4],
		    ctx->args[2]);
}

static __always_inline int emit_cache_free(struct place *place, uint8_t id,
					   struct bpf_raw_tracepoint_args *ctx)
{
	return emit(place, id, ctx->args[0], ctx->args[1], 0, KMT_NODE_ANY, ctx->args[2]);
}

static __always_inline void see_cache_free(struct bpf_raw_tracepoint_args *ctx)
{
	see_cache(ctx->args[2]);
	if (ctx->args[2] == totals.cache_of_caches)
		forget_cache(ctx->args[1]);
}

/* (call_site, ptr, cache) */
SEC("raw_tp/kmem_cache_free")
int kmem_cache_free(struct bpf_raw_tracepoint_args *ctx)
{
	struct place place;

	see_cache_free(ctx);
	if (!find_place(&place))
		return 0;
	mark(&place, KMT_RESCUE_CACHE_FREE, ctx);
	return emit_cache_free(&place, KMT_CACHE_FREE, ctx);
}

/* What the kernel kept from the two above. */
SEC("raw_tp/kfree")
int kfree_rescue(struct bpf_raw_tracepoint_args *ctx)
{
	struct place place;

	if (!take_over(&place, KMT_RESCUE_KFREE, ctx))
		return 0;
	return emit(&place, KMT_RESCUED_KFREE, ctx->args[0], ctx->args[1], 0, KMT_NODE_ANY, 0);
}

SEC("raw_tp/kmem_cache_free")
int kmem_cache_free_rescue(struct bpf_raw_tracepoint_args *ctx)
{
	struct place place;

	if (!take_over(&place, KMT_RESCUE_CACHE_FREE, ctx))
		return 0;
	see_cache_free(ctx);
	return emit_cache_free(&place, KMT_RESCUED_CACHE_FREE, ctx);
}

#endif
