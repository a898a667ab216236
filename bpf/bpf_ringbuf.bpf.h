/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A BPF ring buffer for each CPU, for kernels without BPF_FETCH atomics. No program can take an
 * event number there. kmemtraced numbers the records as it takes them out, in the order in which
 * they were reserved, and leaves out the numbers of the events lost between them. A record stores
 * the number of lost events before it, instead of its event number.
 */
#ifndef BPF_BPF_RINGBUF_BPF_H
#define BPF_BPF_RINGBUF_BPF_H

static __always_inline void commit(struct kmt_record *record, uint64_t tag)
{
	record->tag = tag;
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
}

/* The bytes that kmemtraced has not taken out yet, as a number of records without a stack. */
static __always_inline uint64_t slots_waiting(const struct event_context *event)
{
	void *map = bpf_map_lookup_elem(&rings, &event->cpu);

	return map ? bpf_ringbuf_query(map, BPF_RB_AVAIL_DATA) / KMT_BUFFERED_RECORD : 0;
}

/* NULL: the ring has no room. */
static __always_inline struct kmt_record *take_slot(struct event_context *event, uint32_t *sequence,
						    uint32_t slots_of_ring)
{
	struct kmt_control *control = event->control;
	struct kmt_record *record;
	void *map;

	__sync_fetch_and_add(&control->sequence, 1);
	map = find_ring_map(event);
	if (!map)
		return NULL;
	record = bpf_ringbuf_reserve(map, sizeof(*record), 0);
	if (record)
		*sequence = *(volatile uint64_t *)&control->lost;
	return record;
}

/*
 * Takes room for an event and, before it, for its stack: kmemtraced takes two records out of it,
 * and numbers both. NULL: the ring has no room, and the event has a number.
 */
static __always_inline struct kmt_record *take_stack_and_slot(struct event_context *event,
							      uint32_t *sequence,
							      uint32_t slots_of_ring,
							      struct kmt_record **stack)
{
	struct kmt_control *control = event->control;
	void *map = find_ring_map(event);
	struct kmt_record *taken;

	if (!map)
		goto no_room;
	taken = bpf_ringbuf_reserve(map, (KMT_STACK_WORDS + KMT_RECORD_WORDS) * KMT_WORD, 0);
	if (!taken) /* one test only: 5.10 takes a second for one that may find NULL */
		goto no_room;
	__sync_fetch_and_add(&control->sequence, 2);
	*stack = taken;
	*sequence = *(volatile uint64_t *)&control->lost;
	return (struct kmt_record *)((uint64_t *)taken + KMT_STACK_WORDS);

no_room:
	__sync_fetch_and_add(&control->sequence, 1);
	return NULL;
}

static __always_inline void commit_stack_and_event(struct kmt_record *stack, uint64_t stack_tag,
						   struct kmt_record *event, uint64_t event_tag)
{
	event->tag = event_tag;
	commit(stack, stack_tag); /* of both: they were taken at once */
}

#endif
