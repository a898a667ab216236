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

	return emit(KMT_KMALLOC, ctx->args[0], ctx->args[1], ctx->args[4], ctx->args[5],
		    sizes.cache);
}

/* (call_site, ptr) */
SEC("raw_tp/kfree")
int kfree(struct bpf_raw_tracepoint_args *ctx)
{
	return emit(KMT_KFREE, ctx->args[0], ctx->args[1], 0, KMT_NODE_ANY, 0);
}

/* (call_site, ptr, cache, gfp_flags, node) */
SEC("raw_tp/kmem_cache_alloc")
int kmem_cache_alloc(struct bpf_raw_tracepoint_args *ctx)
{
	see_cache(ctx->args[2]);
	return emit(KMT_CACHE_ALLOC, ctx->args[0], ctx->args[1], ctx->args[3], ctx->args[4],
		    ctx->args[2]);
}

/* (call_site, ptr, cache) */
SEC("raw_tp/kmem_cache_free")
int kmem_cache_free(struct bpf_raw_tracepoint_args *ctx)
{
	see_cache(ctx->args[2]);
	if (ctx->args[2] == totals.cache_of_caches)
		forget_cache(ctx->args[1]);
	return emit(KMT_CACHE_FREE, ctx->args[0], ctx->args[1], 0, KMT_NODE_ANY, ctx->args[2]);
}

#endif
