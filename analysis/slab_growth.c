// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Both sides have errors. slabinfo counts held objects as active; see kernel/slabinfo.h. A free of
 * an object from before the capture counts for the cache that it names, but kfree() names none. An
 * event while /proc/slabinfo was read is in the reading or not. Each lost or skipped event may be
 * of any cache.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "analysis/missing.h"
#include "analysis/slab_growth.h"
#include "kernel/caches.h"

/*
 * Of more partial slabs the kernel estimates the free objects (since about Linux 6.10):
 * MAX_PARTIAL_TO_SCAN in mm/slub.c. A partial slab has at least one free object.
 */
#define FREE_OBJECTS_COUNTED 10000

/* The marks: each reading has a begin and an end. */
enum mark {
	MARK_BEGIN,
	MARK_BEGIN_READ,
	MARK_END,
	MARK_END_READ,
	MARKS
};

_Static_assert(MARKS <= CACHE_MARKS_MAX, "the analysis has as many marks");

const struct slabinfo_snapshot *slab_growth_first_snapshot(const struct capture *capture)
{
	const struct slabinfo *slabinfo = &capture->slabinfo;

	if (capture->checkpoint.begin)
		return slabinfo->count ? slabinfo->snapshots : NULL;
	return slabinfo_at(slabinfo, capture->status.begin);
}

const struct slabinfo_snapshot *slab_growth_last_snapshot(const struct capture *capture)
{
	const struct slabinfo *slabinfo = &capture->slabinfo;
	const struct slabinfo_snapshot *last =
		slabinfo->count ? &slabinfo->snapshots[slabinfo->count - 1] : NULL;

	/* of a piece that is read alone: events before the reading may be in the next one */
	if (last && capture->status.until && last->until > capture->status.until)
		return NULL;
	/* and events after it in the piece before, if kmemtraced ended while it began the piece */
	if (last && last->time < capture->checkpoint.begin)
		return NULL;
	return last == slab_growth_first_snapshot(capture) ? NULL : last;
}

static enum slab_growth_state find_state(const struct analysis_settings *settings,
					 const struct capture *capture)
{
	if (settings->select)
		return SLAB_GROWTH_SELECTED;
	if (settings->estimate)
		return SLAB_GROWTH_SELECTED;
	if (capture->status.traced_pid_count)
		return SLAB_GROWTH_FILTERED;
	if (!slab_growth_first_snapshot(capture) || !slab_growth_last_snapshot(capture))
		return SLAB_GROWTH_NO_NUMBERS;
	return SLAB_GROWTH_COMPARED;
}

void slab_growth_request(struct analysis_settings *settings, const struct capture *capture)
{
	const struct slabinfo_snapshot *first, *last;

	if (find_state(settings, capture) != SLAB_GROWTH_COMPARED)
		return;
	first = slab_growth_first_snapshot(capture);
	last = slab_growth_last_snapshot(capture);
	settings->mark_times[MARK_BEGIN] = first->time;
	settings->mark_times[MARK_BEGIN_READ] = first->until;
	settings->mark_times[MARK_END] = last->time;
	settings->mark_times[MARK_END_READ] = last->until;
	settings->mark_count = MARKS;
	for (size_t i = 1; i < MARKS; i++)
		if (settings->mark_times[i] < settings->mark_times[i - 1])
			settings->mark_times[i] = settings->mark_times[i - 1];
}

static struct slab_growth_cache *find_growth_row(const struct slab_growth *growth, const char *name)
{
	size_t first = 0, end = growth->count;

	while (first < end) {
		size_t middle = first + (end - first) / 2;
		int order = strcmp(growth->list[middle].name, name);

		if (!order)
			return &growth->list[middle];
		if (order < 0)
			first = middle + 1;
		else
			end = middle;
	}
	return NULL;
}

const struct slab_growth_cache *slab_growth_find(const struct slab_growth *growth, const char *name)
{
	return find_growth_row(growth, name);
}

/* Limited, so that a sum of such numbers does not overflow: they come from a file. */
static int64_t limit_number(uint64_t number)
{
	return number > (uint64_t)1 << 56 ? (int64_t)1 << 56 : (int64_t)number;
}

#define ERROR_MAX ((int64_t)1 << 60)

/* The objects that the kernel may have estimated wrongly. */
static int64_t estimated_objects(const struct slabinfo_cache *reading)
{
	uint64_t free_objects = reading->total > reading->active ? reading->total - reading->active
								 : 0;

	return free_objects > FREE_OBJECTS_COUNTED ? limit_number(free_objects) : 0;
}

static void add_growth_row(struct slab_growth *growth, const struct slabinfo_cache *first,
			   const struct slabinfo_cache *last)
{
	static const struct slabinfo_cache none = { .held = SLABINFO_UNKNOWN };
	struct slab_growth_cache *row = &growth->list[growth->count++];
	int64_t error;

	*row = (struct slab_growth_cache){ .name = last ? last->name : first->name,
					   .compared = true,
					   .low = SLAB_GROWTH_UNKNOWN,
					   .high = SLAB_GROWTH_UNKNOWN };
	first = first ? first : &none;
	last = last ? last : &none;
	row->growth = limit_number(last->active) - limit_number(first->active);
	if (last->held == SLABINFO_UNKNOWN)
		return;
	error = estimated_objects(first) + estimated_objects(last);
	/* objects that are held at the end make the growth higher, those at the begin lower */
	row->high = limit_number(MIN(last->held, last->active)) + error;
	row->low = -limit_number(MIN(last->held, first->active)) - error;
}

/* A row for each name of the two readings, which are sorted by name. */
static int add_growth_rows(struct slab_growth *growth, const struct slabinfo_snapshot *first,
			   const struct slabinfo_snapshot *last)
{
	size_t i = 0, k = 0;

	growth->list = calloc(first->count + last->count + 1, sizeof(*growth->list));
	if (!growth->list)
		return -ENOMEM;
	while (i < first->count || k < last->count) {
		int order = i == first->count  ? 1
			    : k == last->count ? -1
					       : strcmp(first->list[i].name, last->list[k].name);

		add_growth_row(growth, order <= 0 ? &first->list[i] : NULL,
			       order >= 0 ? &last->list[k] : NULL);
		i += order <= 0;
		k += order >= 0;
	}
	return 0;
}

static struct cache_count count_at(const struct analysis *analysis, enum mark mark, size_t cache)
{
	const struct cache_mark *taken = &analysis->marks[mark];

	return cache < taken->count ? taken->list[cache] : (struct cache_count){ 0 };
}

static void widen_range(struct slab_growth_cache *row, uint64_t below, uint64_t above)
{
	if (row->low == SLAB_GROWTH_UNKNOWN)
		return;
	row->low = row->low < -ERROR_MAX ? row->low : row->low - limit_number(below);
	row->high = row->high > ERROR_MAX ? row->high : row->high + limit_number(above);
}

static void add_events(struct slab_growth *growth, const struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->cache_count; i++) {
		const struct analysis_cache *cache = &analysis->caches[i];
		struct cache_count begin = count_at(analysis, MARK_BEGIN, i),
				   end = count_at(analysis, MARK_END, i),
				   begin_read = count_at(analysis, MARK_BEGIN_READ, i),
				   end_read = count_at(analysis, MARK_END_READ, i);
		uint64_t meanwhile = begin_read.allocations - begin.allocations + begin_read.frees -
				     begin.frees + end_read.allocations - end.allocations +
				     end_read.frees - end.frees;
		struct slab_growth_cache *row = find_growth_row(growth, cache->name);

		if (!row || cache->is_large || cache->is_anonymous)
			continue;
		row->size = cache->size;
		row->allocations += end.allocations - begin.allocations;
		row->frees += end.frees - begin.frees;
		row->missed_frees += end.missed_frees - begin.missed_frees;
		widen_range(row, meanwhile, meanwhile);
	}
}

/* Events between the first reading and the begin of a piece that is read alone. */
static void add_earlier_events(struct slab_growth *growth, const struct checkpoint_state *before)
{
	for (size_t i = 0; i < before->count_count; i++) {
		const struct checkpoint_count *count = &before->counts[i];
		struct slab_growth_cache *row = find_growth_row(growth, count->name);

		if (!row)
			continue;
		row->allocations += count->allocations;
		row->frees += count->frees;
		row->missed_frees += count->missed_frees;
		widen_range(row, count->meanwhile, count->meanwhile);
	}
}

/* The errors that every cache has, and caches whose events are not known. */
static void add_errors(struct slab_growth *growth, const struct analysis *analysis)
{
	const struct checkpoint_state *before = &analysis->capture->checkpoint;
	const struct cache_mark *marks = analysis->marks;
	uint64_t nameless = before->nameless_frees + marks[MARK_END_READ].nameless_frees -
			    marks[MARK_BEGIN].nameless_frees;
	const struct missing missing = missing_of_capture(analysis);
	uint64_t unknown = missing_events(&missing) + before->lost +
			   (before->skipped == STATUS_UNKNOWN ? 0 : before->skipped);

	for (size_t i = 0; i < growth->count; i++) {
		struct slab_growth_cache *row = &growth->list[i];

		/* nameless frees: less is observed than happened, so that the difference is low */
		widen_range(row, unknown + nameless, unknown);
		/* events of caches that the kernel does not name may be of any but kmalloc's */
		if ((analysis->anonymous_allocations || before->anonymous_allocations) &&
		    !caches_is_kmalloc(row->name))
			row->compared = false;
	}
}

/* "64" of "kmalloc-64". */
static const char *size_suffix(const char *name)
{
	const char *dash = strrchr(name, '-');

	return dash ? dash + 1 : "";
}

/*
 * Is the cache one of several kmalloc caches of its size that have equal events? The kernel
 * may have copies of all kmalloc caches for hardening, such as kmalloc-rnd-01-64 and msg_msg-64:
 * see cache_table.c.
 */
static bool is_copy(const struct slab_growth *growth, const char *name)
{
	size_t prefix = (size_t)(size_suffix(name) - name);
	char other[128];

	if (!strchr(name, '-'))
		return false;
	snprintf(other, sizeof(other), "kmalloc-%s", size_suffix(name));
	if (!find_growth_row(growth, other))
		return false;
	if (caches_is_kmalloc(name))
		return strncmp(name, "kmalloc-rnd-", 12) == 0;
	snprintf(other, sizeof(other), "%.*s1k", (int)prefix, name);
	if (!find_growth_row(growth, other))
		return false;
	snprintf(other, sizeof(other), "%.*s16", (int)prefix, name);
	return find_growth_row(growth, other);
}

/* Events of a copy count for a kmalloc cache of its size, so this cache may seem to shrink. */
static void add_copy(struct slab_growth *growth, const struct slab_growth_cache *copy)
{
	static const char *const prefixes[] = { "kmalloc", "kmalloc-cg", "kmalloc-rcl",
						"dma-kmalloc" };
	uint64_t shrunk = copy->growth < 0 ? (uint64_t)-copy->growth : 0;
	uint64_t grown = copy->growth > 0 ? (uint64_t)copy->growth : 0;
	struct slab_growth_cache *row;
	char name[80];

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		snprintf(name, sizeof(name), "%s-%s", prefixes[i], size_suffix(copy->name));
		row = find_growth_row(growth, name);
		if (row && copy->low == SLAB_GROWTH_UNKNOWN)
			row->low = row->high = SLAB_GROWTH_UNKNOWN;
		else if (row)
			widen_range(row, grown + (uint64_t)copy->high,
				    shrunk + (uint64_t)-copy->low);
	}
}

static void add_copies(struct slab_growth *growth)
{
	for (size_t i = 0; i < growth->count; i++) {
		struct slab_growth_cache *row = &growth->list[i];

		if (!is_copy(growth, row->name))
			continue;
		row->compared = false;
		add_copy(growth, row);
	}
}

static void find_size(struct slab_growth_cache *row, const struct analysis *analysis,
		      const struct slabinfo_snapshot *last)
{
	const struct caches *caches = &analysis->capture->caches;
	const struct slabinfo_cache *reading = slabinfo_find(last, row->name);

	for (size_t i = 0; i < caches->count && !row->size; i++)
		if (!strcmp(caches->list[i].name, row->name))
			row->size = caches->list[i].size;
	if (!row->size && reading)
		row->size = reading->size;
}

static void compare_growth_row(struct slab_growth *growth, struct slab_growth_cache *row)
{
	row->observed = row->difference = row->unobserved = SLAB_GROWTH_UNKNOWN;
	if (!row->compared) {
		row->low = row->high = SLAB_GROWTH_UNKNOWN;
		return;
	}
	row->observed = (int64_t)(row->allocations - row->frees);
	row->difference = row->growth - row->observed;
	if (row->low == SLAB_GROWTH_UNKNOWN)
		return;
	row->unobserved =
		row->difference < row->low || row->difference > row->high ? row->difference : 0;
	growth->known++;
	growth->caches += row->unobserved != 0;
	if (row->unobserved > 0)
		growth->allocations += (uint64_t)row->unobserved;
	else
		growth->frees += (uint64_t)-row->unobserved;
}

int slab_growth_init(struct slab_growth *growth, const struct analysis *analysis)
{
	const struct capture *capture = analysis->capture;
	const struct slabinfo_snapshot *first = slab_growth_first_snapshot(capture),
				       *last = slab_growth_last_snapshot(capture);
	int err;

	*growth = (struct slab_growth){ .state = find_state(&analysis->settings, capture) };
	if (growth->state == SLAB_GROWTH_COMPARED && analysis->mark_count < MARKS)
		growth->state = SLAB_GROWTH_NO_NUMBERS;
	if (growth->state != SLAB_GROWTH_COMPARED)
		return 0;
	growth->begin = first->time;
	growth->end = last->time;
	err = add_growth_rows(growth, first, last);
	if (err)
		return err;
	add_events(growth, analysis);
	add_earlier_events(growth, &capture->checkpoint);
	add_copies(growth);
	add_errors(growth, analysis);
	for (size_t i = 0; i < growth->count; i++) {
		find_size(&growth->list[i], analysis, last);
		compare_growth_row(growth, &growth->list[i]);
	}
	return 0;
}

void slab_growth_deinit(struct slab_growth *growth)
{
	free(growth->list);
	*growth = (struct slab_growth){ .state = SLAB_GROWTH_NO_NUMBERS };
}
