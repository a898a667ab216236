/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A ring in memory that kmemtraced maps, for kernels with BPF_FETCH atomics (5.12 and later). An
 * event takes a number, then slots, and at last sets the tag, which makes the record whole. The
 * ring is an array map with one huge value, so that it can lie on its CPU's own node.
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

/* words is a constant. NULL: the ring has no room. */
static __always_inline struct kmt_record *take_slots(struct event_context *event,
						     unsigned int words, uint32_t *sequence,
						     uint32_t slots_of_ring)
{
	struct kmt_control *control = event->control;
	uint64_t slot, tail;
	uint32_t first = 0;
	char *ring;
	void *map;

	*sequence = __sync_fetch_and_add(&control->sequence, 1);
	map = bpf_map_lookup_elem(&rings, &event->cpu);
	if (!map)
		return NULL; /* a CPU that has just come online */
	ring = bpf_map_lookup_elem(map, &first);
	if (!ring)
		return NULL;
	/* tail first: a change between the two reads makes the ring look fuller, never emptier */
	tail = *(volatile uint64_t *)&control->tail;
	if (*(volatile uint64_t *)&control->slots - tail >= slots_of_ring - KMT_RING_MARGIN)
		return NULL;
	if (KMT_SLOTS(words) > 1)
		__sync_fetch_and_add(&control->more_slots, KMT_SLOTS(words) - 1);
	slot = __sync_fetch_and_add(&control->slots, KMT_SLOTS(words)) & (slots_of_ring - 1);
	return (struct kmt_record *)(ring + slot * sizeof(struct kmt_record));
}

#endif
