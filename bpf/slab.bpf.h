/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs on the tracepoints kmalloc, kfree, kmem_cache_alloc and kmem_cache_free, and on the
 * _node variants of the allocations. The arguments of a tracepoint changed over the years. Each
 * signature has its own program, so that no program has to choose between signatures at run time.
 * The programs use raw tracepoints: on 6.1, the verifier refuses a tp_btf program that reads an
 * argument of type `const void *` (other versions were not tried), and kernels without BTF have no
 * tp_btf.
 */
#ifndef BPF_SLAB_BPF_H
#define BPF_SLAB_BPF_H

static __always_inline uint64_t size_saturated(uint64_t size)
{
	return size < KMT_SIZE_MAX ? size : KMT_SIZE_MAX;
}

/* As emit(), of an allocation of size bytes; size 0: not known. */
static __always_inline int emit_allocation(void *ctx, struct event_context *event, uint8_t id,
					   uint64_t call_site, uint64_t pointer, uint32_t gfp,
					   int node, uint64_t bytes_40_47, uint32_t size)
{
	struct kmt_record about;

	if (profile)
		return profile_allocation_elsewhere(ctx, event, id, call_site, pointer, gfp, node,
						    bytes_40_47, size);
	if (!sample_interval || !is_sampled(event->control, pointer, size))
		return emit(event, id, call_site, pointer, gfp, node, bytes_40_47);
	about = (struct kmt_record){ .id = id,
				     .node = node,
				     .pointer = pointer,
				     .call_site = call_site,
				     .gfp = gfp,
				     .cache = bytes_40_47 };
	return emit_sample(ctx, event, &about);
}

/* (call_site, ptr, …); from argument number first on: bytes_req, bytes_alloc, gfp_flags */
static __always_inline int emit_alloc_sizes(struct bpf_raw_tracepoint_args *ctx, uint8_t id,
					    const uint32_t first, int node)
{
	struct kmt_record sizes = {};
	struct event_context event;

	if (!(profile ? profile_finds(&event, ctx->args[1]) : find_context_by_stack(&event, ctx)))
		return 0;
	sizes.requested = size_saturated(ctx->args[first]);
	sizes.allocated = size_saturated(ctx->args[first + 1]);
	return emit_allocation(ctx, &event, id, ctx->args[0], ctx->args[1], ctx->args[first + 2],
			       node, sizes.cache, sizes.allocated);
}

/* (call_site, ptr, cache, …) */
static __always_inline int emit_alloc_cache(struct bpf_raw_tracepoint_args *ctx, uint32_t gfp,
					    int node)
{
	struct event_context event;
	uint32_t size;

	if (!(profile ? profile_finds(&event, ctx->args[1]) : find_context_by_stack(&event, ctx)))
		return 0;
	if (!profile)
		announce_cache(ctx->args[2], ctx->args[1], false);
	size = cache_size(ctx->args[2]);
	if (profile && !size)
		announce_cache(ctx->args[2], ctx->args[1], false);
	return emit_allocation(ctx, &event, KMT_CACHE_ALLOC, ctx->args[0], ctx->args[1], gfp, node,
			       ctx->args[2], size);
}

/* (call_site, ptr, …) */
static __always_inline int emit_free(struct event_context *event, uint8_t id,
				     struct bpf_raw_tracepoint_args *ctx, uint64_t cache)
{
	if (profile)
		return profile_free_elsewhere(event, id, ctx->args[0], ctx->args[1], cache);
	return emit(event, id, ctx->args[0], ctx->args[1], 0, KMT_NODE_ANY, cache);
}

static __always_inline int profile_free_of(uint8_t id, struct bpf_raw_tracepoint_args *ctx,
					   uint64_t cache)
{
	struct event_context event;

	return profile_finds(&event, ctx->args[1]) ? emit_free(&event, id, ctx, cache) : 0;
}

/* (call_site, ptr) */
SEC("raw_tp/kfree")
int kfree(struct bpf_raw_tracepoint_args *ctx)
{
	struct event_context event;

	if (frees_have_name)
		forget_cache(ctx->args[1]);
	if (profile)
		return profile_free_of(KMT_KFREE, ctx, 0);
	if (!find_context_by_stack(&event, ctx))
		return 0;
	mark_in_flight(&event, KMT_BACKED_UP_KFREE, ctx);
	return emit_free(&event, KMT_KFREE, ctx, 0);
}

/* (call_site, ptr, cache): 6.1 and later */
SEC("raw_tp/kmem_cache_free")
int kmem_cache_free(struct bpf_raw_tracepoint_args *ctx)
{
	struct event_context event;

	forget_cache(ctx->args[1]);
	if (profile)
		return profile_free_of(KMT_CACHE_FREE, ctx, ctx->args[2]);
	if (!find_context_by_stack(&event, ctx))
		return 0;
	announce_cache(ctx->args[2], ctx->args[1], true);
	mark_in_flight(&event, KMT_BACKED_UP_CACHE_FREE, ctx);
	return emit_free(&event, KMT_CACHE_FREE, ctx, ctx->args[2]);
}

/* (call_site, ptr, name): 5.12 to 6.0 */
SEC("raw_tp/kmem_cache_free")
int kmem_cache_free_name(struct bpf_raw_tracepoint_args *ctx)
{
	struct event_context event;

	forget_cache(ctx->args[1]);
	if (profile)
		return profile_free_of(KMT_CACHE_FREE, ctx, 0);
	if (!find_context_by_stack(&event, ctx))
		return 0;
	return emit_free(&event, KMT_CACHE_FREE, ctx, cache_by_name(ctx->args[2]));
}

/* (call_site, ptr): before 5.12 */
SEC("raw_tp/kmem_cache_free")
int kmem_cache_free_anonymous(struct bpf_raw_tracepoint_args *ctx)
{
	struct event_context event;

	if (profile)
		return profile_free_of(KMT_CACHE_FREE, ctx, 0);
	if (!find_context_by_stack(&event, ctx))
		return 0;
	return emit_free(&event, KMT_CACHE_FREE, ctx, 0);
}

/* The backup programs, for frees where the kernel skipped the program kfree or kmem_cache_free. */
SEC("raw_tp/kfree")
int kfree_backup(struct bpf_raw_tracepoint_args *ctx)
{
	struct event_context event;

	if (!should_record(&event, KMT_BACKED_UP_KFREE, ctx))
		return 0;
	return emit_free(&event, KMT_BACKUP_KFREE, ctx, 0);
}

SEC("raw_tp/kmem_cache_free")
int kmem_cache_free_backup(struct bpf_raw_tracepoint_args *ctx)
{
	struct event_context event;

	if (!should_record(&event, KMT_BACKED_UP_CACHE_FREE, ctx))
		return 0;
	forget_cache(ctx->args[1]);
	announce_cache(ctx->args[2], ctx->args[1], true);
	return emit_free(&event, KMT_BACKUP_CACHE_FREE, ctx, ctx->args[2]);
}

/* (call_site, ptr, bytes_req, bytes_alloc, gfp_flags, node): 6.1 and later */
SEC("raw_tp/kmalloc")
int kmalloc(struct bpf_raw_tracepoint_args *ctx)
{
	return emit_alloc_sizes(ctx, KMT_KMALLOC, 2, ctx->args[5]);
}

/* (call_site, ptr, bytes_req, bytes_alloc, gfp_flags): before 6.0 */
SEC("raw_tp/kmalloc")
int kmalloc_sizes(struct bpf_raw_tracepoint_args *ctx)
{
	return emit_alloc_sizes(ctx, KMT_KMALLOC, 2, KMT_NODE_ANY);
}

SEC("raw_tp/kmalloc_node") /* (…, node) */
int kmalloc_node_sizes(struct bpf_raw_tracepoint_args *ctx)
{
	return emit_alloc_sizes(ctx, KMT_KMALLOC, 2, ctx->args[5]);
}

/* (call_site, ptr, cache, bytes_req, bytes_alloc, gfp_flags): 6.0 */
SEC("raw_tp/kmalloc")
int kmalloc_both(struct bpf_raw_tracepoint_args *ctx)
{
	return emit_alloc_sizes(ctx, KMT_KMALLOC, 3, KMT_NODE_ANY);
}

SEC("raw_tp/kmalloc_node") /* (…, node) */
int kmalloc_node_both(struct bpf_raw_tracepoint_args *ctx)
{
	return emit_alloc_sizes(ctx, KMT_KMALLOC, 3, ctx->args[6]);
}

/* (call_site, ptr, cache, gfp_flags, node): 6.1 and later */
SEC("raw_tp/kmem_cache_alloc")
int kmem_cache_alloc(struct bpf_raw_tracepoint_args *ctx)
{
	return emit_alloc_cache(ctx, ctx->args[3], ctx->args[4]);
}

/* (call_site, ptr, bytes_req, bytes_alloc, gfp_flags): before 6.0 */
SEC("raw_tp/kmem_cache_alloc")
int kmem_cache_alloc_sizes(struct bpf_raw_tracepoint_args *ctx)
{
	return emit_alloc_sizes(ctx, KMT_ANONYMOUS_ALLOC, 2, KMT_NODE_ANY);
}

SEC("raw_tp/kmem_cache_alloc_node") /* (…, node) */
int kmem_cache_alloc_node_sizes(struct bpf_raw_tracepoint_args *ctx)
{
	return emit_alloc_sizes(ctx, KMT_ANONYMOUS_ALLOC, 2, ctx->args[5]);
}

/* (call_site, ptr, cache, bytes_req, bytes_alloc, gfp_flags): 6.0 */
SEC("raw_tp/kmem_cache_alloc")
int kmem_cache_alloc_both(struct bpf_raw_tracepoint_args *ctx)
{
	return emit_alloc_cache(ctx, ctx->args[5], KMT_NODE_ANY);
}

SEC("raw_tp/kmem_cache_alloc_node") /* (…, node) */
int kmem_cache_alloc_node_both(struct bpf_raw_tracepoint_args *ctx)
{
	return emit_alloc_cache(ctx, ctx->args[5], ctx->args[6]);
}

#endif
