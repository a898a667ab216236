/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A BPF ring buffer of each CPU, for kernels without atomic instructions that have a result. No
 * program can take an event number there: kmemtraced numbers the records as it takes them out, in
 * the order in which they took their room, and adds the lost events before each record. The record
 * has the count of these in place of its number.
 */
#ifndef BPF_BUFFER_BPF_H
#define BPF_BUFFER_BPF_H

static __always_inline void publish(struct kmt_record *record, uint64_t tag)
{
	record->tag = tag;
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
}

/* words is a constant. NULL: the ring has no room. */
static __always_inline struct kmt_record *take_slots(struct event_context *event,
						     unsigned int words, uint32_t *sequence)
{
	struct kmt_control *control = event->control;
	struct kmt_record *record;
	void *map;

	__sync_fetch_and_add(&control->sequence, 1);
	map = bpf_map_lookup_elem(&rings, &event->cpu);
	if (!map)
		return NULL; /* a CPU that has just come online */
	record = bpf_ringbuf_reserve(map, words * KMT_WORD, 0);
	if (record)
		*sequence = *(volatile uint64_t *)&control->lost;
	return record;
}

#endif
