/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A ring in memory that kmemtraced maps, for kernels with BPF_FETCH atomics (5.12 and later). An
 * event takes a number, then slots, and at last sets the tag, which makes the record whole. The
 * ring is an array map with one huge value, so that it can lie on its CPU's own node. ring.pml is a
 * model of it.
 */
#ifndef BPF_MAPPED_RING_BPF_H
#define BPF_MAPPED_RING_BPF_H

/* Sets the tag. The stores to the record must become visible before it. */
static __always_inline void commit(struct kmt_record *record, uint64_t tag)
{
#if defined(__TARGET_ARCH_x86) || defined(__TARGET_ARCH_s390)
	/* these CPUs keep stores in order: only the compiler could reorder them */
	asm volatile("" ::: "memory");
	*(volatile uint64_t *)&record->tag = tag;
#else
	__sync_lock_test_and_set(&record->tag, tag); /* BPF exchange: a full barrier */
#endif
}

/* The slots of this CPU's ring; NULL: it has none. */
static __always_inline char *find_ring(struct event_context *event)
{
	void *map = find_ring_map(event);
	uint32_t first = 0;

	return map ? bpf_map_lookup_elem(map, &first) : NULL;
}

/* Slots that kmemtraced has not given back. */
static __always_inline uint64_t slots_waiting(const struct event_context *event)
{
	/* tail first: a change between the two reads makes the ring look fuller, never emptier */
	uint64_t tail = *(volatile uint64_t *)&event->control->tail;

	return *(volatile uint64_t *)&event->control->slots - tail;
}

static __always_inline bool has_room(const struct event_context *event, uint32_t slots_of_ring)
{
	return slots_waiting(event) < slots_of_ring - KMT_RING_MARGIN;
}

/*
 * Takes the next numbers, and returns the first. clang makes an operation with BPF_FETCH, a full
 * barrier, if the result is used. Without it, arm64 may show kmemtraced the count of lost events
 * before the number of the lost event: then the number of an event that has no slots yet counts as
 * lost.
 */
static __always_inline uint64_t take_numbers(struct kmt_control *control, uint64_t count)
{
	uint64_t first = __sync_fetch_and_add(&control->sequence, count);

	asm volatile("" : "+r"(first)); /* uses it */
	return first;
}

/* NULL: the ring has no room. */
static __always_inline struct kmt_record *take_slot(struct event_context *event, uint32_t *sequence,
						    uint32_t slots_of_ring)
{
	struct kmt_control *control = event->control;
	uint64_t slot;
	char *ring;

	*sequence = take_numbers(control, 1);
	ring = find_ring(event);
	if (!ring || !has_room(event, slots_of_ring))
		return NULL;
	slot = __sync_fetch_and_add(&control->slots, 1) & (slots_of_ring - 1);
	return (struct kmt_record *)(ring + slot * sizeof(struct kmt_record));
}

/*
 * Takes the slots of an event and, before them, of its stack, which gets the number before that of
 * the event. NULL: the ring has no room, and the event has a number.
 */
static __always_inline struct kmt_record *take_stack_and_slot(struct event_context *event,
							      uint32_t *sequence,
							      uint32_t slots_of_ring,
							      struct kmt_record **stack)
{
	struct kmt_control *control = event->control;
	char *ring = find_ring(event);
	uint64_t slot;

	if (!ring || !has_room(event, slots_of_ring)) {
		take_numbers(control, 1);
		return NULL;
	}
	*sequence = take_numbers(control, 2) + 1;
	__sync_fetch_and_add(&control->more_slots, KMT_SLOTS(KMT_STACK_WORDS) - 1);
	slot = __sync_fetch_and_add(&control->slots, KMT_STACK_SLOTS);
	*stack = (struct kmt_record *)(ring +
				       (slot & (slots_of_ring - 1)) * sizeof(struct kmt_record));
	slot += KMT_SLOTS(KMT_STACK_WORDS);
	return (struct kmt_record *)(ring +
				     (slot & (slots_of_ring - 1)) * sizeof(struct kmt_record));
}

static __always_inline void commit_stack_and_event(struct kmt_record *stack, uint64_t stack_tag,
						   struct kmt_record *event, uint64_t event_tag)
{
	commit(stack, stack_tag);
	commit(event, event_tag);
}

#endif
