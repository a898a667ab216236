/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts events by key instead of recording them. kmemtraced chooses the parts of a key; the
 * verifier removes the code of the others.
 *
 * The memory of a CPU's ring is a table of slots for this CPU's events: a key has its place in one
 * of two slots, and takes it for good. This costs a third of the time that a lookup in a hash map
 * costs. A key whose slots are taken, and each key on a kernel without BPF_FETCH, is counted in the
 * map counts; if that has no room, without a group.
 *
 * Only programs of one CPU use a table, but an event may interrupt another one: an event that finds
 * a slot that is being filled takes the map. So a key may be in both, and once in the table of each
 * CPU; its count is the sum. Each event is counted once.
 */
#ifndef BPF_COUNT_BPF_H
#define BPF_COUNT_BPF_H

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 1);
	__uint(key_size, KMT_COUNT_WORDS * sizeof(uint64_t)); /* kmemtraced: of the parts */
	__uint(value_size, sizeof(struct kmt_count));
} counts SEC(".maps");

static __always_inline uint64_t count_object(uint64_t pointer)
{
	return pointer == KMT_ZERO_SIZE_PTR ? 1 : pointer ? 2 : 0;
}

static __always_inline uint64_t count_mode(uint8_t id, uint64_t bytes_40_47)
{
	return id == KMT_PAGE_FAULT || id == KMT_PAGE_FAULT_RETURN ? bytes_40_47 >> 32 & 3 : 0;
}

static __always_inline int count_in_map(struct event_context *event, const uint64_t *key)
{
	struct kmt_count *count = bpf_map_lookup_elem(&counts, key);

	if (!count) {
		struct kmt_count first = { .since = bpf_ktime_get_ns() };

		/* another CPU, or an interrupt, may have added it */
		bpf_map_update_elem(&counts, key, &first, BPF_NOEXIST);
		count = bpf_map_lookup_elem(&counts, key);
	}
	if (count)
		__sync_fetch_and_add(&count->events, 1);
	else
		__sync_fetch_and_add(&event->control->count_ungrouped, 1);
	return 0;
}

#ifndef KMT_WITHOUT_FETCH

static __always_inline bool count_is_at(const struct kmt_count_slot *slot, const uint64_t *key,
					uint32_t words)
{
#pragma unroll
	for (uint32_t i = 0; i < KMT_COUNT_WORDS; i++)
		if (i < words && slot->key[i] != key[i])
			return false;
	return slot->count.since > KMT_COUNT_BUSY;
}

static __always_inline bool count_take(struct kmt_count_slot *slot, const uint64_t *key,
				       uint32_t words)
{
	if (slot->count.since || __sync_val_compare_and_swap(&slot->count.since, 0, KMT_COUNT_BUSY))
		return false;
#pragma unroll
	for (uint32_t i = 0; i < KMT_COUNT_WORDS; i++)
		if (i < words)
			slot->key[i] = key[i];
	asm volatile("" ::: "memory");
	*(volatile uint64_t *)&slot->count.since = bpf_ktime_get_ns();
	return true;
}

static __always_inline bool count_in_table(struct event_context *event, const uint64_t *key,
					   uint32_t words)
{
	const uint32_t last_slot = count_slots - 1;
	struct kmt_count_slot *slot;
	uint64_t hash = 0;
	uint32_t first = 0;
	char *table;
	void *map;

	map = bpf_map_lookup_elem(&rings, &event->cpu);
	if (!map)
		return false; /* a CPU that has just come online */
	table = bpf_map_lookup_elem(map, &first);
	if (!table)
		return false;
#pragma unroll
	for (uint32_t i = 0; i < KMT_COUNT_WORDS; i++)
		if (i < words)
			hash = (hash ^ key[i]) * 0x9e3779b97f4a7c15ULL;
	hash >>= 32;
	slot = (struct kmt_count_slot *)(table + (hash & last_slot) * sizeof(*slot));
	if (!count_is_at(slot, key, words) && !count_take(slot, key, words)) {
		slot = (struct kmt_count_slot *)(table + ((hash ^ 1) & last_slot) * sizeof(*slot));
		if (!count_is_at(slot, key, words) && !count_take(slot, key, words))
			return false;
	}
	__sync_fetch_and_add(&slot->count.events, 1);
	return true;
}

#endif

static __always_inline int count_event(struct event_context *event, uint8_t id, uint64_t call_site,
				       uint64_t pointer, uint32_t gfp, int node,
				       uint64_t bytes_40_47)
{
	uint64_t key[KMT_COUNT_WORDS] = {};
	const uint32_t parts = count_parts;
	uint32_t words = 0;

	if (event->ids >> 32 == count_own_tgid) {
		__sync_fetch_and_add(&event->control->count_own, 1);
		return 0;
	}
	if (parts & KMT_COUNT_NODE)
		node = kmt_node_word(node, find_kernel_context(event->control));
	if (parts & KMT_COUNT_HEAD)
		key[words++] =
			(id | count_object(pointer) << 8 | count_mode(id, bytes_40_47) << 10 |
			 (uint64_t)(uint16_t)node << 16 | (uint64_t)gfp << 32) &
			count_head;
	if (parts & KMT_COUNT_SITE)
		key[words++] = call_site;
	if (parts & (KMT_COUNT_LAST | KMT_COUNT_VICTIM))
		key[words++] = parts & KMT_COUNT_LAST || id == KMT_OOM_KILL ? bytes_40_47 : 0;
	if (parts & (KMT_COUNT_TID | KMT_COUNT_PID))
		key[words++] = event->ids & count_task;
	if (parts & KMT_COUNT_UID)
		key[words++] = (uint32_t)bpf_get_current_uid_gid();
	if (parts & KMT_COUNT_COMM && words + 2 <= KMT_COUNT_WORDS) {
		bpf_get_current_comm(&key[words], 2 * sizeof(uint64_t));
		words += 2;
	}
#ifndef KMT_WITHOUT_FETCH
	if (count_in_table(event, key, words))
		return 0;
#endif
	return count_in_map(event, key);
}

#endif
