// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Looks at each live object now and then: which process holds how much of each pair, how old the
 * objects are and how large. This costs nothing for an event, and time for each live object: so
 * the scans take at most 1 % of the time.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/array.h"
#include "base/cpu_time.h"
#include "live/stats/details.h"

#define SCAN_EVERY 1000000000ULL /* ns, at least */
#define SCAN_SHARE 100
#define HELD_MAX 65536 /* pairs with a process that are counted */
#define NOT_COUNTED (OBJECT_FREED | OBJECT_OWN | OBJECT_LEFT_OUT | OBJECT_PREWINDOW)

/* The results of the scan that runs. */
struct scan {
	struct details *details;
	struct details_scan *found;
	struct hash_map by_key; /* of held: the pair and the process */
	uint32_t last; /* index in held, + 1, of the last object: the next is often equal */
	uint64_t now;
};

static int add_held(struct scan *scan, uint32_t pair, uint32_t process, uint32_t bytes)
{
	struct details_scan *found = scan->found;
	uint64_t key = (uint64_t)pair << 32 | process;
	struct details_held *held = scan->last ? &found->held[scan->last - 1] : NULL;
	uint32_t index;

	if (!held || held->pair != pair || held->process != process) {
		index = hash_map_find(&scan->by_key, key);
		if (index == HASH_MAP_NONE) {
			if (found->held_count == HELD_MAX)
				return 0;
			held = array_grow(found->held, found->held_count, sizeof(*held));
			if (!held)
				return -ENOMEM;
			found->held = held;
			index = (uint32_t)found->held_count++;
			held[index] = (struct details_held){ pair, process, 0, 0 };
			if (hash_map_add(&scan->by_key, key, index))
				return -ENOMEM;
		}
		held = &found->held[index];
		scan->last = index + 1;
	}
	held->objects++;
	held->bytes += bytes;
	return 0;
}

static int add_object(struct scan *scan, const struct slab_object *object)
{
	struct details *details = scan->details;
	const struct task_tally *task = task_tallies_of(&details->tasks, object);
	int64_t pair = tallies_find(details->tallies, object->group, object->cache);
	struct details_live *live;

	/* the pair of a counted object has been known since the object was allocated */
	if (pair < 0 || (size_t)pair >= scan->found->pair_count)
		return pair < 0 ? (int)pair : 0;
	live = &scan->found->pairs[pair];
	live->least = live->objects ? MIN(live->least, object->requested) : object->requested;
	live->most = MAX(live->most, object->requested);
	live->objects++;
	live->requested += object->requested;
	live->ages.counts[tally_lifetime_class(scan->now > object->time ? scan->now - object->time
									: 0)]++;
	return add_held(scan, (uint32_t)pair, task->owners[DETAILS_PROCESS], object->allocated);
}

static int add_all(struct scan *scan, const struct object_table *objects)
{
	int err = 0;

	for (size_t i = 0; i < objects->used && !err; i++) {
		const struct slab_object *object = slab_object(objects, i);

		if (object->address && !(object->flags & NOT_COUNTED))
			err = add_object(scan, object);
	}
	return err;
}

static int compare_held(const void *left, const void *right)
{
	const struct details_held *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	if (a->pair != b->pair)
		return a->pair < b->pair ? -1 : 1;
	return (a->process > b->process) - (a->process < b->process);
}

void details_scan_deinit(struct details_scan *scan)
{
	free(scan->pairs);
	free(scan->held);
}

int details_scan_live(struct details *details, const struct analysis *analysis, uint64_t now)
{
	struct details_scan found = { .time = details->taken };
	struct scan scan = { .details = details, .found = &found, .now = details->taken };
	uint64_t begin = thread_cpu_time(), used;
	int err;

	if (details->only_stacks || now < details->scan.next)
		return 0;
	err = hash_map_init(&scan.by_key);
	if (err)
		return err;
	found.pairs = array_grow_zeroed(NULL, &found.pair_count, details->tallies->count + 1,
					sizeof(*found.pairs));
	err = found.pairs ? add_all(&scan, &analysis->objects) : -ENOMEM;
	hash_map_deinit(&scan.by_key);
	if (err) {
		details_scan_deinit(&found);
		return err;
	}
	if (found.held_count)
		qsort(found.held, found.held_count, sizeof(*found.held), compare_held);
	used = thread_cpu_time() - begin;
	found.next = now + MAX(SCAN_EVERY, used * SCAN_SHARE);
	details_scan_deinit(&details->scan);
	details->scan = found;
	return 0;
}
