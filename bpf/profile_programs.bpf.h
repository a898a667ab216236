/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The programs of a profile on most kernels: those with the arguments of Linux 6.1 and later that
 * run no program which they have interrupted, without -p. An event that is not recorded costs a
 * counter, a subtraction and a look at a mark. Code and data of these programs compete with those
 * of the kernel for the caches of the CPU, which is most of their cost: so all that is rare is in
 * functions of its own, which read the arguments again, and settings are not read.
 *
 * Each count of the control block is written by one program only, and a plain addition is exact.
 * slab.bpf.h has the programs for all other cases.
 */
#ifndef BPF_PROFILE_PROGRAMS_BPF_H
#define BPF_PROFILE_PROGRAMS_BPF_H

#ifdef KMT_WITH_PROFILE_PROGRAMS

static __always_inline void count_up(uint64_t *count, uint64_t number)
{
	*(volatile uint64_t *)count += number;
}

static __always_inline struct kmt_control *find_control(void)
{
	uint32_t cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&controls, &cpu);
}

/* The arguments are as those of the programs kmalloc and kmem_cache_alloc in slab.bpf.h. */
static __noinline int record_kmalloc(struct bpf_raw_tracepoint_args *ctx, bool sampled)
{
	struct kmt_record sizes = {};
	struct event_context event;

	if (!find_cpu(&event))
		return 0;
	sizes.requested = size_saturated(ctx->args[2]);
	sizes.allocated = size_saturated(ctx->args[3]);
	return profile_allocation(ctx, &event, sampled, KMT_KMALLOC, ctx->args[0], ctx->args[1],
				  ctx->args[4], ctx->args[5], sizes.cache);
}

static __noinline int record_cache_alloc(struct bpf_raw_tracepoint_args *ctx, bool sampled)
{
	struct event_context event;

	if (!find_cpu(&event))
		return 0;
	return profile_allocation(ctx, &event, sampled, KMT_CACHE_ALLOC, ctx->args[0], ctx->args[1],
				  ctx->args[3], ctx->args[4], ctx->args[2]);
}

static __noinline int record_kfree(struct bpf_raw_tracepoint_args *ctx)
{
	struct event_context event;

	if (!find_cpu(&event))
		return 0;
	return profile_free(&event, KMT_KFREE, ctx->args[0], ctx->args[1], 0);
}

/* The object may be a struct kmem_cache. */
static __noinline int record_cache_free(struct bpf_raw_tracepoint_args *ctx)
{
	struct event_context event;

	forget_cache(ctx->args[1]);
	if (!find_cpu(&event))
		return 0;
	return profile_free(&event, KMT_CACHE_FREE, ctx->args[0], ctx->args[1], ctx->args[2]);
}

/* A kmalloc() that may be reported twice. */
static __noinline int profile_large_kmalloc(struct bpf_raw_tracepoint_args *ctx)
{
	struct kmt_control *control = find_control();
	uint32_t size = size_saturated(ctx->args[3]);

	if (!control)
		return 0;
	if (!is_second_report(control, ctx->args[1], ctx->args[0], size)) {
		count_up(&control->counted.kmalloc, 1);
		count_up(&control->counted.kmalloc_bytes, size);
	}
	return record_kmalloc(ctx, is_sampled(control, ctx->args[1], size));
}

SEC("raw_tp/kmalloc")
int kmalloc_profile(struct bpf_raw_tracepoint_args *ctx)
{
	uint64_t pointer = ctx->args[1], size = ctx->args[3];
	struct kmt_control *control;
	int64_t left;

	if (pointer <= KMT_ZERO_SIZE_PTR)
		return 0;
	if (size > LARGE_LEAST)
		return profile_large_kmalloc(ctx);
	control = find_control();
	if (!control)
		return 0;
	count_up(&control->counted.kmalloc, 1);
	count_up(&control->counted.kmalloc_bytes, size);
	left = *(volatile int64_t *)&control->until_sample - size;
	if (left <= 0)
		return record_kmalloc(ctx, true);
	*(volatile int64_t *)&control->until_sample = left;
	return mark_of(pointer) ? record_kmalloc(ctx, false) : 0;
}

SEC("raw_tp/kmem_cache_alloc")
int kmem_cache_alloc_profile(struct bpf_raw_tracepoint_args *ctx)
{
	uint64_t pointer = ctx->args[1];
	struct kmt_control *control;
	uint32_t size;
	int64_t left;

	if (pointer <= KMT_ZERO_SIZE_PTR)
		return 0;
	size = cache_size(ctx->args[2]);
	control = find_control();
	if (!control)
		return 0;
	count_up(&control->counted.cache_alloc, 1);
	count_up(&control->counted.cache_alloc_bytes, size);
	left = *(volatile int64_t *)&control->until_sample - size;
	if (left <= 0)
		return record_cache_alloc(ctx, true);
	*(volatile int64_t *)&control->until_sample = left;
	if (!size)
		__sync_fetch_and_add(&control->unsized, 1);
	return mark_of(pointer) ? record_cache_alloc(ctx, false) : 0;
}

SEC("raw_tp/kfree")
int kfree_profile(struct bpf_raw_tracepoint_args *ctx)
{
	uint64_t pointer = ctx->args[1];
	struct kmt_control *control;

	if (pointer <= KMT_ZERO_SIZE_PTR)
		return 0;
	control = find_control();
	if (!control)
		return 0;
	count_up(&control->counted.kfree, 1);
	forget_large(control, pointer);
	return mark_of(pointer) ? record_kfree(ctx) : 0;
}

SEC("raw_tp/kmem_cache_free")
int kmem_cache_free_profile(struct bpf_raw_tracepoint_args *ctx)
{
	uint64_t pointer = ctx->args[1];
	struct kmt_control *control;

	if (pointer <= KMT_ZERO_SIZE_PTR)
		return 0;
	control = find_control();
	if (!control)
		return 0;
	count_up(&control->counted.cache_free, 1);
	return mark_of(pointer) ? record_cache_free(ctx) : 0;
}

#endif
#endif
