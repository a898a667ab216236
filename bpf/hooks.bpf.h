/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hooks (fentry and fexit programs) for allocations and frees that fire no tracepoint: bulk
 * allocation and free, and krealloc(). Each object gets one record.
 *
 * Programs read arguments by index, so one program serves every prototype that has the arguments
 * at these positions. The verifier does not check the types of such arguments.
 */
#ifndef BPF_HOOKS_BPF_H
#define BPF_HOOKS_BPF_H

#define CALLER_FRAMES 10
#define OWN_FRAMES 2   /* of the program and its trampoline */
#define ENTRY_BYTES 64 /* at most, from a function's address to its trampoline's return address */

/*
 * A guess at the length of the bulk allocation function. No other function within this distance
 * after its start calls the bulk free.
 */
#define BULK_ALLOC_BYTES 2048

struct bulk {
	uint64_t objects; /* address of the array */
	uint64_t call_site;
	uint64_t cache;
	uint32_t gfp;
	void *context; /* of the program */
};

static __always_inline uint64_t argument(void *context, uint32_t index)
{
	uint64_t value = 0;

	bpf_get_func_arg(context, index, &value);
	return value;
}

static __always_inline long emit_object(uint32_t index, struct bulk *bulk, bool is_allocation)
{
	struct event_context event;
	uint64_t object = 0;

	bpf_probe_read_kernel(
		&object, sizeof(object),
		(const void *)(unsigned long)(bulk->objects + index * sizeof(object)));
	if (!object || !find_context(&event))
		return 0;
	if (is_allocation)
		emit_allocation(bulk->context, &event, KMT_BULK_ALLOC, bulk->call_site, object,
				bulk->gfp, KMT_NODE_ANY, bulk->cache, cache_size(bulk->cache));
	else if (profile)
		profile_free_elsewhere(&event, KMT_BULK_FREE, bulk->call_site, object, bulk->cache);
	else
		emit(&event, KMT_BULK_FREE, bulk->call_site, object, 0, KMT_NODE_ANY, bulk->cache);
	return 0;
}

static long emit_allocated(uint32_t index, struct bulk *bulk)
{
	return emit_object(index, bulk, true);
}

static long emit_freed(uint32_t index, struct bulk *bulk)
{
	return emit_object(index, bulk, false);
}

/*
 * The call site of the hooked function. In the stack trace, the return address into the hooked
 * function, just after its entry, follows our own frames; the return address into its caller comes
 * next. An fexit program of 7.x has no such return address, since the function jumps to the
 * trampoline: there the caller follows our own frames. If the stack cannot be walked, returns the
 * function itself.
 * in_rollback: set to whether the bulk allocation is the caller.
 */
static __always_inline uint64_t find_caller(void *context, bool is_exit, bool *in_rollback)
{
	uint64_t frames[CALLER_FRAMES] = {}, function = bpf_get_func_ip(context);
	uint64_t own = totals.bulk_alloc;

	bpf_get_stack(context, frames, sizeof(frames), 0);
	for (uint32_t i = 0; i < CALLER_FRAMES - 2; i++) {
		if (frames[i] - function >= ENTRY_BYTES)
			continue;
		/* the caller is the bulk allocation, or a helper that it calls */
		*in_rollback = own && (frames[i + 1] - own < BULK_ALLOC_BYTES ||
				       frames[i + 2] - own < BULK_ALLOC_BYTES);
		return frames[i + 1] ? frames[i + 1] : function;
	}
	return is_exit && frames[OWN_FRAMES] ? frames[OWN_FRAMES] : function;
}

/*
 * Stores the address of the bulk allocation. Runs at its entry, because a bulk allocation that
 * fails frees its objects with a bulk free.
 */
SEC("fentry")
int bulk_alloc_begin(void *ctx)
{
	if (!totals.bulk_alloc)
		totals.bulk_alloc = bpf_get_func_ip(ctx);
	return 0;
}

/* (cache, gfp, size, objects) returns the number of objects; on 7.x: whether it got all of them */
SEC("fexit")
int bulk_alloc(void *ctx)
{
	struct bulk bulk = { .context = ctx };
	uint64_t count = 0;
	struct event_context event;
	bool unused;

	bpf_get_func_ret(ctx, &count);
	if (bulk_alloc_returns_bool)
		count = (uint8_t)count ? argument(ctx, 2) : 0;
	if ((int32_t)count <= 0 || !find_traced_task(&event))
		return 0;
	bulk.cache = argument(ctx, 0);
	bulk.gfp = argument(ctx, 1);
	bulk.objects = argument(ctx, 3);
	bulk.call_site = find_caller(ctx, true, &unused);
	announce_cache(bulk.cache, 0, false); /* see bulk_free() */
	bpf_loop((uint32_t)count, emit_allocated, &bulk, 0);
	return 0;
}

/* (cache or NULL, size, objects) */
SEC("fentry")
int bulk_free(void *ctx)
{
	struct bulk bulk = {};
	uint64_t count = argument(ctx, 1);
	bool in_rollback = false;
	struct event_context event;

	if (!find_traced_task(&event))
		return 0;
	bulk.cache = argument(ctx, 0);
	bulk.objects = argument(ctx, 2);
	bulk.call_site = find_caller(ctx, false, &in_rollback);
	/*
	 * A bulk allocation that fails half-way frees objects whose allocation was not recorded.
	 * Compilers often inline the start of the bulk free there and call only the rest of it,
	 * __kmem_cache_free_bulk.part.0, which has no hook; but not all do.
	 */
	if (in_rollback) {
		__sync_fetch_and_add(&totals.rollback_frees, 1);
		return 0;
	}
	/*
	 * Hooks need BTF. With BTF, announce_cache() reads the cache itself; it uses neither the
	 * object (0) nor whether the event is a free (false), which only programs without BTF need.
	 */
	if (bulk.cache)
		announce_cache(bulk.cache, 0, false);
	bpf_loop((uint32_t)count, emit_freed, &bulk, 0);
	return 0;
}

/*
 * (object, size, …). The offline analysis finds out from the size whether the object moved. An
 * fexit program would see the result, but cannot be used: the trampoline of an fexit program calls
 * the function, so the trampoline would become the recorded call site of the kmalloc() by which
 * krealloc() moves the object.
 */
SEC("fentry")
int reallocation(void *ctx)
{
	uint64_t object = argument(ctx, 0), size = argument(ctx, 1);
	struct kmt_record sizes = { .requested = size_saturated(size) };
	struct event_context event;
	bool unused;

	/* in a profile, a sampled object keeps the size that it was sampled with */
	if (profile || object <= KMT_ZERO_SIZE_PTR || !size || !find_context(&event))
		return 0;
	return emit(&event, KMT_REALLOC, find_caller(ctx, false, &unused), object,
		    argument(ctx, realloc_gfp), KMT_NODE_ANY, sizes.cache);
}

#endif
