/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A profile: records sampled allocations, with their stacks, and the frees of their objects, and
 * counts all others by CPU. An event that is not recorded makes no helper call but those that find
 * the CPU, which the kernel replaces by a few instructions where it can.
 *
 * On most kernels the programs of profile_programs.bpf.h count the events of the four tracepoints.
 * All other programs write the same counts (counted_elsewhere), with atomic operations.
 */
#ifndef BPF_PROFILE_BPF_H
#define BPF_PROFILE_BPF_H

#define LARGE_LEAST 8192 /* no kernel takes a kmalloc() of up to so many bytes from whole pages */
#define PAGE_LEAST 4096

/* That this CPU counted. */
static __always_inline uint64_t counted_events(const struct kmt_control *control)
{
	return control->counted.kmalloc + control->counted.cache_alloc + control->counted.kfree +
	       control->counted.cache_free + control->counted_elsewhere.allocations +
	       control->counted_elsewhere.frees;
}

/*
 * The second report of a large kmalloc(), from another call site (Linux 6.12 and later; see
 * analysis/repeated_kmalloc.h). It is not counted. The CPU has no event between the two reports: if
 * it has one, another CPU may have freed the object, and this is the next with its address. So an
 * interrupt or another CPU between the two reports can hide the second.
 */
static __always_inline bool is_second_report(struct kmt_control *control, uint64_t pointer,
					     uint64_t call_site, uint32_t size)
{
	uint64_t events;

	if (size <= LARGE_LEAST)
		return false;
	events = counted_events(control);
	if (control->large.pointer == pointer && control->large.call_site != call_site &&
	    control->large.events == events) {
		control->large.pointer = 0;
		return true;
	}
	control->large.pointer = pointer;
	control->large.call_site = call_site;
	control->large.events = events + 1; /* the caller counts this one */
	return false;
}

/* Called at each kfree(): later, the address may be that of another kmalloc(). */
static __always_inline void forget_large(struct kmt_control *control, uint64_t pointer)
{
	if (!(pointer & (PAGE_LEAST - 1)) && control->large.pointer == pointer)
		control->large.pointer = 0;
}

/*
 * The allocation of an address whose sampled object has no recorded free. It is recorded without a
 * stack: so readers see that the free was missed, and the object's life ends here.
 */
static __noinline int profile_address_again(struct event_context *event, struct kmt_record *about)
{
	if (!sampled_remove(about->pointer))
		return 0;
	find_traced_task(event);
	name_task(event->ids);
	return emit(event, about->id, about->call_site, about->pointer, about->gfp, about->node,
		    about->cache);
}

/* An allocation that was counted. */
static __always_inline int profile_allocation(void *ctx, struct event_context *event, bool sampled,
					      uint8_t id, uint64_t call_site, uint64_t pointer,
					      uint32_t gfp, int node, uint64_t bytes_40_47)
{
	struct kmt_record about;

	if (!sampled && !may_be_sampled(pointer))
		return 0;
	if (id == KMT_CACHE_ALLOC || id == KMT_BULK_ALLOC)
		announce_cache(bytes_40_47, pointer, false);
	about = (struct kmt_record){ .id = id,
				     .node = node,
				     .pointer = pointer,
				     .call_site = call_site,
				     .gfp = gfp,
				     .cache = bytes_40_47 };
	return sampled ? emit_sample(ctx, event, &about) : profile_address_again(event, &about);
}

static __noinline int profile_sampled_free(struct event_context *event, struct kmt_record *about)
{
	if (!sampled_remove(about->pointer))
		return 0;
	find_traced_task(event);
	name_task(event->ids);
	return emit(event, about->id, about->call_site, about->pointer, 0, KMT_NODE_ANY,
		    about->cache);
}

/* A free that was counted. */
static __always_inline int profile_free(struct event_context *event, uint8_t id, uint64_t call_site,
					uint64_t pointer, uint64_t cache)
{
	struct kmt_record about;

	if (!may_be_sampled(pointer))
		return 0;
	about = (struct kmt_record){
		.id = id, .pointer = pointer, .call_site = call_site, .cache = cache
	};
	return profile_sampled_free(event, &about);
}

/* The same two, of events that are not counted yet. */
static __always_inline int profile_allocation_elsewhere(void *ctx, struct event_context *event,
							uint8_t id, uint64_t call_site,
							uint64_t pointer, uint32_t gfp, int node,
							uint64_t bytes_40_47, uint32_t size)
{
	if (pointer <= KMT_ZERO_SIZE_PTR)
		return 0;
	if (id != KMT_KMALLOC || !is_second_report(event->control, pointer, call_site, size)) {
		__sync_fetch_and_add(&event->control->counted_elsewhere.allocations, 1);
		__sync_fetch_and_add(&event->control->counted_elsewhere.bytes, size);
	}
	return profile_allocation(ctx, event, is_sampled(event->control, pointer, size), id,
				  call_site, pointer, gfp, node, bytes_40_47);
}

static __always_inline int profile_free_elsewhere(struct event_context *event, uint8_t id,
						  uint64_t call_site, uint64_t pointer,
						  uint64_t cache)
{
	if (pointer <= KMT_ZERO_SIZE_PTR)
		return 0;
	__sync_fetch_and_add(&event->control->counted_elsewhere.frees, 1);
	if (id == KMT_KFREE || id == KMT_BACKUP_KFREE)
		forget_large(event->control, pointer);
	return profile_free(event, id, call_site, pointer, cache);
}

/* The traced task is checked only with -p: an event that is not recorded needs no task. */
static __always_inline bool profile_finds(struct event_context *event, uint64_t pointer)
{
	if (pointer <= KMT_ZERO_SIZE_PTR || (traced_tgid && !find_traced_task(event)))
		return false;
	return find_cpu(event);
}

#endif
