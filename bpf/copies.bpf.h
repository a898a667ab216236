/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copies of the programs, for kernels that preempt a task in a tracepoint (7.x). While a preempted
 * task is in a program, the kernel skips that program for all other tasks on the CPU. So each
 * tracepoint has several equal programs there: a later copy records the events for which the
 * kernel skipped the earlier copies. A task may be preempted, and may move to another CPU, between
 * two copies of one event.
 *
 * The copy that records an event marks it first (marks.bpf.h). A later copy records an event only
 * if it finds no mark of it. A copy that finds no room for a mark leaves the event to the last
 * copy, which records without a mark. So no event is recorded twice, and an event is skipped only
 * if the kernel skipped all copies, or a copy could not mark it and the kernel skipped the last
 * copy.
 *
 * Where the kernel has fprobe, front programs (front.bpf.h) record nearly all events, and copies
 * record the rest. With 64 threads on two CPUs the kernel skips all copies for 10 to 30 percent of
 * the events; with front programs, it skips some hundred events in a million.
 *
 * Later copies of a tracepoint record nothing until one of them has found a mark: on a kernel that
 * passes each program its own copy of the arguments, each event would be recorded several times.
 *
 * Without front programs: skipped = runs of first copies that the kernel skipped + deferred -
 * events recorded by later copies.
 *
 * Between its event number and its tag, a copy is not preempted: the records of a preempted
 * task would hold up the ring, and would have times before those of later records.
 */
#ifndef BPF_COPIES_BPF_H
#define BPF_COPIES_BPF_H

#ifdef KMT_WITH_COPIES

extern void bpf_preempt_disable(void) __ksym __weak;
extern void bpf_preempt_enable(void) __ksym __weak;

/*
 * Called by copy number n of a tracepoint. Returns true if it must record the event; then event is
 * set.
 */
static __always_inline bool copy_records(struct event_context *event, enum kmt_copied_kind kind,
					 const uint32_t n, struct bpf_raw_tracepoint_args *ctx)
{
	uint64_t distance = mark_distance(ctx), id = mark_id(ctx->args[0], ctx->args[1], kind);
	bool last = n == last_copy;

	if (n == 1) {
		if (front_enabled && front_has_recorded(event, kind, ctx, id))
			return false;
		if (!find_context_by_stack(event, ctx))
			return false;
		if (mark_event(distance, id, preempt_count_base()))
			return true;
		__sync_fetch_and_add(&event->control->deferred, 1);
		return false;
	}
	if (traced_tgid && !find_traced_task(event))
		return false;
	if (is_marked(distance, id, last)) {
		if (!totals.copy_matched[kind])
			totals.copy_matched[kind] = 1;
		return false;
	}
	if (!totals.copy_matched[kind] ||
	    (!last && !mark_event(distance, id, preempt_count_base())) || !find_cpu(event))
		return false;
	find_traced_task(event);
	if (kind < KMT_COPIED_FREES)
		__sync_fetch_and_add(&event->control->from_backup, 1);
	else
		__sync_fetch_and_add(&event->control->from_copies, 1);
	return true;
}

/* (call_site, ptr) */
static __always_inline int copy_kfree(struct bpf_raw_tracepoint_args *ctx, const uint32_t n)
{
	struct event_context event;

	if (!copy_records(&event, KMT_COPIED_KFREE, n, ctx))
		return 0;
	bpf_preempt_disable();
	emit_free(&event, n == 1 ? KMT_KFREE : KMT_BACKUP_KFREE, ctx, 0);
	bpf_preempt_enable();
	return 0;
}

/* (call_site, ptr, cache) */
static __always_inline int copy_cache_free(struct bpf_raw_tracepoint_args *ctx, const uint32_t n)
{
	struct event_context event;

	if (n == 1 && !front_enabled)
		forget_cache(ctx->args[1]);
	if (!copy_records(&event, KMT_COPIED_CACHE_FREE, n, ctx))
		return 0;
	if (n > 1 || front_enabled)
		forget_cache(ctx->args[1]);
	announce_cache(ctx->args[2], ctx->args[1], true);
	bpf_preempt_disable();
	emit_free(&event, n == 1 ? KMT_CACHE_FREE : KMT_BACKUP_CACHE_FREE, ctx, ctx->args[2]);
	bpf_preempt_enable();
	return 0;
}

/* (call_site, ptr, bytes_req, bytes_alloc, gfp_flags, node) */
static __always_inline int copy_kmalloc(struct bpf_raw_tracepoint_args *ctx, const uint32_t n)
{
	struct kmt_record sizes = {};
	struct event_context event;

	if (!copy_records(&event, KMT_COPIED_KMALLOC, n, ctx))
		return 0;
	sizes.requested = size_saturated(ctx->args[2]);
	sizes.allocated = size_saturated(ctx->args[3]);
	bpf_preempt_disable();
	emit_allocation(ctx, &event, KMT_KMALLOC, ctx->args[0], ctx->args[1], ctx->args[4],
			ctx->args[5], sizes.cache, sizes.allocated);
	bpf_preempt_enable();
	return 0;
}

/* (call_site, ptr, cache, gfp_flags, node) */
static __always_inline int copy_cache_alloc(struct bpf_raw_tracepoint_args *ctx, const uint32_t n)
{
	struct event_context event;

	if (!copy_records(&event, KMT_COPIED_CACHE_ALLOC, n, ctx))
		return 0;
	announce_cache(ctx->args[2], ctx->args[1], false);
	bpf_preempt_disable();
	emit_allocation(ctx, &event, KMT_CACHE_ALLOC, ctx->args[0], ctx->args[1], ctx->args[3],
			ctx->args[4], ctx->args[2], cache_size(ctx->args[2]));
	bpf_preempt_enable();
	return 0;
}

/* The programs of copy n, named as attach_plan.programs. */
#define COPY(n)                                                       \
	SEC("raw_tp/kfree")                                           \
	int kfree_##n(struct bpf_raw_tracepoint_args *ctx)            \
	{                                                             \
		return copy_kfree(ctx, n);                            \
	}                                                             \
	SEC("raw_tp/kmem_cache_free")                                 \
	int kmem_cache_free_##n(struct bpf_raw_tracepoint_args *ctx)  \
	{                                                             \
		return copy_cache_free(ctx, n);                       \
	}                                                             \
	SEC("raw_tp/kmalloc")                                         \
	int kmalloc_##n(struct bpf_raw_tracepoint_args *ctx)          \
	{                                                             \
		return copy_kmalloc(ctx, n);                          \
	}                                                             \
	SEC("raw_tp/kmem_cache_alloc")                                \
	int kmem_cache_alloc_##n(struct bpf_raw_tracepoint_args *ctx) \
	{                                                             \
		return copy_cache_alloc(ctx, n);                      \
	}

COPY(1)
COPY(2)
COPY(3)
COPY(4)
_Static_assert(KMT_COPIES == 4, "all copies are here");

#endif
#endif
