/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes one record into the ring of this CPU: takes an event number, checks for room, takes slots,
 * reads the time, fills the fields, and commits the record with its tag. If the ring has no room,
 * the event is counted as lost. Never waits.
 */
#ifndef BPF_EMIT_BPF_H
#define BPF_EMIT_BPF_H

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* kmemtraced: the possible CPUs */
	__type(key, uint32_t);
	__type(value, struct kmt_control);
} controls SEC(".maps");

/*
 * The ring of each CPU: see mapped_ring.bpf.h and bpf_ringbuf.bpf.h. Behind them: the spare ring,
 * if there is one.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1); /* kmemtraced: the possible CPUs, and the spare ring */
	__type(key, uint32_t);
	__type(value, uint32_t);
} rings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, uint32_t);	 /* 0 */
	__type(value, uint32_t); /* the CPU that has taken the spare ring */
} spare_taken SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, uint32_t);	 /* tid */
	__type(value, uint64_t); /* number of its lost events */
} lost_by_task SEC(".maps");

struct kmt_totals totals;

static __always_inline void count_lost(struct kmt_control *control, uint32_t tid)
{
	uint64_t one = 1, *count;

	__sync_fetch_and_add(&control->lost, 1);
	count = bpf_map_lookup_elem(&lost_by_task, &tid);
	if (!count) {
		if (!bpf_map_update_elem(&lost_by_task, &tid, &one, BPF_NOEXIST))
			return;
		/* the table is full, or another CPU was first */
		count = bpf_map_lookup_elem(&lost_by_task, &tid);
	}
	if (count)
		__sync_fetch_and_add(count, 1);
	/* without an entry: kmemtraced finds these events by the lost events of the CPUs */
}

/* The CPU and the task of an event. */
struct event_context {
	uint64_t ids; /* process and thread */
	uint32_t cpu;
	struct kmt_control *control; /* of the CPU */
};

static __always_inline bool find_cpu(struct event_context *event)
{
	event->cpu = bpf_get_smp_processor_id();
	event->control = bpf_map_lookup_elem(&controls, &event->cpu);
	return event->control; /* there is one for each possible CPU */
}

/*
 * The ring of this CPU. A CPU that has just come online has none: its first event takes the spare
 * ring, which kmemtraced then makes the ring of this CPU, with the records that it has. NULL:
 * another CPU has taken the spare ring, or there is none.
 */
static __always_inline void *find_ring_map(struct event_context *event)
{
	uint32_t first = 0, spare = possible_cpus, *taken;
	void *map = bpf_map_lookup_elem(&rings, &event->cpu);

	if (map)
		return map;
	taken = bpf_map_lookup_elem(&spare_taken, &first);
	if (!taken) {
		bpf_map_update_elem(&spare_taken, &first, &event->cpu, BPF_NOEXIST);
		taken = bpf_map_lookup_elem(&spare_taken, &first);
	}
	return taken && *taken == event->cpu ? bpf_map_lookup_elem(&rings, &spare) : NULL;
}

/* Reads the ids of the current task. False: the task is not traced. */
static __always_inline bool find_traced_task(struct event_context *event)
{
	event->ids = bpf_get_current_pid_tgid();
	return is_traced(event->ids >> 32);
}

static __always_inline bool find_context(struct event_context *event)
{
	return find_traced_task(event) && find_cpu(event);
}

#include "bpf/context.bpf.h"

#ifdef KMT_WITHOUT_FETCH
#include "bpf/bpf_ringbuf.bpf.h"
#else
#include "bpf/mapped_ring.bpf.h"
#endif
#include "bpf/count.bpf.h"

/* bytes_40_47: the last 8 bytes of struct kmt_record, which hold the sizes or the cache. */
static __always_inline int emit(struct event_context *event, uint8_t id, uint64_t call_site,
				uint64_t pointer, uint32_t gfp, int node, uint64_t bytes_40_47)
{
	struct kmt_record header = {}, *record;
	uint32_t sequence = 0, slots = ring_slots; /* one load */

	if (!slots)
		return count_event(event, id, call_site, pointer, gfp, node, bytes_40_47);
	record = take_slot(event, &sequence, slots);
	if (!record) {
		count_lost(event->control, event->ids);
		return 0;
	}
	record->time = bpf_ktime_get_ns();
	record->pointer = pointer;
	record->call_site = call_site;
	record->task = event->ids;
	record->gfp = gfp;
	record->cache = bytes_40_47;
	header.id = id;
	header.words = KMT_RECORD_WORDS;
	header.node = kmt_node_word(node, find_kernel_context(event->control));
	header.sequence = sequence;
	commit(record, header.tag);
	return 0;
}

#endif
