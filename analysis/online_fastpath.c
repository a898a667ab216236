// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The publishing thread of kmemtraced spends most of its time here. An allocation takes one search
 * in the memos, which gives its group, cache, sizes and tally at once, and one in the object table;
 * a free takes one in the object table and one for the tally.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "analysis/online_fastpath.h"

#define ALLOCATIONS (RECORD_KINDS_WITH(RECORD_ALLOCATION) & ~RECORD_KINDS_WITH(RECORD_ANONYMOUS))
#define FREES (RECORD_KINDS_WITH(RECORD_FREE) & ~RECORD_KINDS_WITH(RECORD_BACKUP))
#define NOT_FAST (OBJECT_FREED | OBJECT_OWN | OBJECT_LEFT_OUT | OBJECT_PREWINDOW | OBJECT_SAMPLED)

void online_fastpath_init(struct online_fastpath *fastpath, struct matcher *matcher,
			  struct cache_timeline *timeline, struct tallies *tallies,
			  struct task_tallies *tasks)
{
	memset(fastpath, 0, sizeof(*fastpath));
	fastpath->matcher = matcher;
	fastpath->timeline = timeline;
	fastpath->tallies = tallies;
	fastpath->tasks = tasks;
}

static inline const struct kmt_record *record_at(const struct online_packet *packet, size_t at)
{
	return (const void *)((const char *)packet->records + at);
}

/* The value that determines the cache and the sizes of an allocation. */
static inline uint64_t source_of(const struct matcher *matcher, const struct kmt_record *record)
{
	if (record->id == KMT_KMALLOC)
		return (uint64_t)record->allocated << 32 | (record->gfp & matcher->caches.choosing);
	return record->cache;
}

static inline struct online_fastpath_memo *find_memo(struct online_fastpath *fastpath,
						     uint64_t call_site, uint64_t source)
{
	uint64_t hash = (call_site ^ source) * 0x9e3779b97f4a7c15;

	return &fastpath->memos[hash >> (64 - ONLINE_FASTPATH_MEMO_BITS)];
}

/*
 * Fills in the memo of an allocation. 1; 0: the general path must take it; or -ENOMEM. The first
 * allocation of each tally goes to the observer, which then knows types in their order.
 */
static int fill_memo(struct online_fastpath *fastpath, struct online_fastpath_memo *memo,
		     const struct kmt_record *record, unsigned int cpu, uint64_t source)
{
	struct matcher *matcher = fastpath->matcher;
	size_t before = fastpath->tallies->count;
	uint32_t group = grouping_fastpath_group(&matcher->grouping, record->call_site);
	const struct cache *named = NULL;
	struct event event;
	int64_t cache, tally;

	if (group == GROUP_NONE)
		return 0;
	if (event_init(&event, record, cpu, 0)) {
		named = cache_timeline_constant(fastpath->timeline, record->cache);
		if (!named)
			return 0;
		event_set_cache(&event, named);
	}
	cache = cache_table_find(&matcher->caches, &event);
	tally = cache < 0 ? cache : tallies_find(fastpath->tallies, group, (uint32_t)cache);
	if (tally < 0 || fastpath->tallies->count != before)
		return tally < 0 ? (int)tally : 0;
	*memo = (struct online_fastpath_memo){
		.call_site = record->call_site,
		.source = source,
		.generation = fastpath->timeline->generation,
		.epoch = matcher->grouping.epoch,
		.group = group,
		.cache = (uint32_t)cache,
		.tally = (uint32_t)tally,
		.requested = event.requested,
		.allocated = event.allocated,
		.is_kmalloc = record->id == KMT_KMALLOC,
	};
	return 1;
}

/* The records of one CPU, while some of them are taken. */
struct run {
	struct online_fastpath *fastpath;
	struct matcher *matcher;
	struct object_table *objects;
	struct tally_count *counts;	   /* of the CPU */
	const struct cpu_samples *samples; /* of the CPU; NULL: not looked for */
	unsigned int cpu;
};

/* Makes room for counts of tallies that were added. 0 or -ENOMEM. */
static int renew_counts(struct run *run)
{
	run->counts = tallies_of_cpu(run->fastpath->tallies, run->cpu);
	return run->counts ? 0 : -ENOMEM;
}

/* All below return 1; 0: the general path must take the record; or -ENOMEM. */

static inline int take_allocation(struct run *run, const struct kmt_record *record, size_t slot,
				  uint32_t hash)
{
	uint64_t source = source_of(run->matcher, record);
	struct online_fastpath_memo *memo = find_memo(run->fastpath, record->call_site, source);
	struct tally_count *count;
	struct slab_object *object;
	int result;

	if (samples_may_have(run->samples, record->sequence) || record->pointer == 0 ||
	    record->pointer == KMT_ZERO_SIZE_PTR || matcher_is_own(run->matcher, record->task) ||
	    object_table_is_full(run->objects) ||
	    (run->matcher->caches.is_debugged && record->id == KMT_KMALLOC))
		return 0;
	if (memo->call_site != record->call_site || memo->source != source ||
	    memo->is_kmalloc != (record->id == KMT_KMALLOC) ||
	    memo->generation != run->fastpath->timeline->generation ||
	    memo->epoch != run->matcher->grouping.epoch) {
		result = fill_memo(run->fastpath, memo, record, run->cpu, source);
		if (result > 0)
			result = renew_counts(run) ? -ENOMEM : 1;
		if (result <= 0)
			return result;
	}
	object = object_table_insert(run->objects, slot, record->pointer, hash);
	if (!object)
		return -ENOMEM;
	object->time = record->time;
	object->task = record->task;
	object->group = memo->group;
	object->cache = memo->cache;
	object->cpu = (uint16_t)run->cpu;
	object->flags = kmt_context(record->node) ? OBJECT_IN_INTERRUPT : 0;
	object->requested = memo->is_kmalloc ? record->requested : memo->requested;
	object->allocated = memo->is_kmalloc ? record->allocated : memo->allocated;
	run->matcher->last_allocation[run->cpu] = record->pointer;
	count = &run->counts[memo->tally];
	count->allocations++;
	count->allocated += object->allocated;
	if (run->fastpath->tasks)
		task_tallies_allocated(run->fastpath->tasks, object);
	return 1;
}

static inline int take_free(struct run *run, struct slab_object *object, size_t slot, uint64_t time)
{
	struct tallies *tallies = run->fastpath->tallies;
	size_t before = tallies->count;
	struct tally_count *count;
	int64_t tally;

	if (object->flags & NOT_FAST)
		return 0;
	tally = tallies_find(tallies, object->group, object->cache);
	if (tally < 0 || (tallies->count != before && renew_counts(run)))
		return -ENOMEM;
	count = &run->counts[tally];
	count->frees++;
	count->freed += object->allocated;
	if (object->cpu != run->cpu) {
		count->cross_cpu++;
		count->other_node += tallies_other_node(tallies, object->cpu, run->cpu);
	}
	if (run->fastpath->tasks)
		task_tallies_freed(run->fastpath->tasks, object);
	if (tallies->lifetimes)
		tallies->lifetimes[tally].counts[tally_lifetime_class(time - object->time)]++;
	object_table_remove_slot(run->objects, slot, object);
	return 1;
}

static inline int take_record(struct run *run, const struct kmt_record *record, uint32_t hash)
{
	uint64_t kind = record->id < KMT_ID_END ? 1ULL << record->id : 0;
	struct slab_object *object;
	size_t slot;

	object = object_table_probe(run->objects, record->pointer, hash, &slot);
	if (kind & FREES)
		return object ? take_free(run, object, slot, record->time) : 0;
	if (kind & ALLOCATIONS)
		return object ? 0 : take_allocation(run, record, slot, hash);
	return 0;
}

/* Computes the hashes of the next records, and prefetches their slots. */
static void look_ahead(const struct object_table *objects, struct online_packet *packet)
{
	for (int i = 0; i < ONLINE_PACKET_AHEAD && packet->hashed < packet->size; i++) {
		const struct kmt_record *record = record_at(packet, packet->hashed);
		uint32_t hash = hash_address(objects->seed, record->pointer);

		object_table_prefetch(objects, hash);
		packet->hashes[packet->hashed_count++ % (2 * ONLINE_PACKET_AHEAD)] = hash;
		packet->hashed += (size_t)record->words * KMT_WORD;
	}
}

/* Takes records of the packet, up to the first that is not fast. */
static int take_records(struct run *run, struct online_packet *packet, uint64_t before)
{
	uint32_t number = packet->taken_count;
	size_t at = packet->taken, size = packet->size, next;
	const struct kmt_record *record = record_at(packet, at);
	int result = 1;

	while (record->time < before) {
		while (number + ONLINE_PACKET_AHEAD >= packet->hashed_count &&
		       packet->hashed < size)
			look_ahead(run->objects, packet);
		next = at + (size_t)record->words * KMT_WORD;
		if (next == size || record_at(packet, next)->time == record->time)
			break;
		result = take_record(run, record,
				     packet->hashes[number % (2 * ONLINE_PACKET_AHEAD)]);
		if (result <= 0)
			break;
		number++;
		at = next;
		run->fastpath->last = record->time;
		record = record_at(packet, at);
	}
	packet->taken = at;
	packet->taken_count = number;
	return result < 0 ? result : 0;
}

long online_fastpath_run(struct online_fastpath *fastpath, struct online_packet *packet,
			 uint64_t before)
{
	struct matcher *matcher = fastpath->matcher;
	struct run run = {
		.fastpath = fastpath,
		.matcher = matcher,
		.objects = &matcher->analysis->objects,
		.cpu = packet->cpu,
	};
	uint32_t first = packet->taken_count;
	int err = renew_counts(&run);

	if (matcher->analysis->settings.mark_sampled && matcher->samples.by_cpu)
		run.samples = matcher->samples.by_cpu[packet->cpu];

	/* the general path has taken records that were not looked at */
	if (packet->hashed < packet->taken) {
		packet->hashed = packet->taken;
		packet->hashed_count = packet->taken_count;
	}
	if (!err)
		err = take_records(&run, packet, before);
	return err ? err : (long)(packet->taken_count - first);
}
