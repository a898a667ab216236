// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The weights of sampled objects, and the variances of their sums. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "analysis/estimate.h"
#include "base/hash.h"

#define OBJECT_BYTES_LEAST 8 /* kmalloc-8 */
#define Z 1.959964	     /* of the normal distribution: 95 % lie within */

static uint64_t to_integer(double number)
{
	return number < 0x1p64 ? (uint64_t)number : UINT64_MAX;
}

int estimates_init(struct estimates **estimates, const struct status_sampling *sampling)
{
	*estimates = calloc(1, sizeof(**estimates));
	if (!*estimates)
		return -ENOMEM;
	(*estimates)->interval = sampling->interval;
	(*estimates)->interval_most = MAX(sampling->interval, sampling->interval_most);
	(*estimates)->is_profile = sampling->is_profile;
	return 0;
}

void estimates_deinit(struct estimates *estimates)
{
	if (!estimates)
		return;
	free(estimates->groups);
	free(estimates->caches);
	free(estimates);
}

uint16_t estimates_note_interval(struct estimates *estimates, const struct stack_sample *sample)
{
	uint64_t interval = estimates->interval;
	unsigned int doublings = 0;

	while (sample && interval > 1 && interval < sample->interval &&
	       doublings < OBJECT_DOUBLINGS >> OBJECT_DOUBLINGS_SHIFT) {
		interval *= 2;
		doublings++;
	}
	if (interval > estimates->interval_most)
		estimates->interval_most = interval;
	return (uint16_t)(doublings << OBJECT_DOUBLINGS_SHIFT);
}

double estimate_weight(const struct estimates *estimates, const struct slab_object *object)
{
	unsigned int doublings = object->flags >> OBJECT_DOUBLINGS_SHIFT;

	/* an object of unknown size counts once */
	if (estimates->interval <= 1 || !object->allocated)
		return 1;
	return -1 / expm1(-ldexp((double)object->allocated / (double)estimates->interval,
				 -(int)doublings));
}

double estimate_sample_weight(const struct slab_object *object, uint32_t interval)
{
	if (interval <= 1 || !object->allocated)
		return 1;
	return -1 / expm1(-((double)object->allocated / interval));
}

struct object_weight estimate_weigh(const struct slab_object *object, double weight)
{
	double whole = floor(weight);
	uint32_t random = hash_address(object->time, object->address);

	return (struct object_weight){
		.objects = (uint64_t)whole + ((double)random < (weight - whole) * 0x1p32),
		.requested = to_integer(weight * object->requested + 0.5),
		.allocated = to_integer(weight * object->allocated + 0.5),
	};
}

struct object_weight estimate_object(const struct estimates *estimates,
				     const struct slab_object *object)
{
	return estimate_weigh(object, estimate_weight(estimates, object));
}

static void add_live_sample(struct variance *variance, double objects, double bytes)
{
	variance->live_objects += objects;
	variance->live += bytes;
	variance->live_samples++;
}

static void add_sample(struct variance *variance, double objects, double bytes)
{
	variance->allocations += objects;
	variance->allocated += bytes;
	variance->samples++;
	add_live_sample(variance, objects, bytes);
}

static void end_sample(struct variance *variance, double objects, double bytes)
{
	variance->live_samples--;
	/* the sums are not exact */
	variance->live_objects = variance->live_samples ? variance->live_objects - objects : 0;
	variance->live = variance->live_samples ? variance->live - bytes : 0;
}

static int grow_variances(struct variance **list, size_t *count, size_t needed)
{
	size_t space = needed + needed / 2;
	struct variance *more;

	if (needed <= *count)
		return 0;
	more = reallocarray(*list, space, sizeof(**list));
	if (!more)
		return -ENOMEM;
	memset(more + *count, 0, (space - *count) * sizeof(*more));
	*list = more;
	*count = space;
	return 0;
}

double estimate_object_variance(const struct estimates *estimates, const struct slab_object *object)
{
	double weight = estimate_weight(estimates, object);
	double fraction = weight - floor(weight);

	/* of the sample, and of the rounding */
	return weight * (weight - 1) + fraction * (1 - fraction);
}

double estimate_bytes_variance(const struct estimates *estimates, const struct slab_object *object)
{
	double weight = estimate_weight(estimates, object);

	return weight * (weight - 1) * object->allocated * object->allocated;
}

static void find_variances(const struct estimates *estimates, const struct slab_object *object,
			   double *objects, double *bytes)
{
	*objects = estimate_object_variance(estimates, object);
	*bytes = estimate_bytes_variance(estimates, object);
}

static void note_size(struct estimates *estimates, uint32_t size)
{
	if (!size)
		return;
	estimates->size_most = MAX(estimates->size_most, size);
	if (!estimates->size_least || estimates->size_least > size)
		estimates->size_least = size;
}

void estimates_skip(struct estimates *estimates, uint32_t size)
{
	if (!estimates->is_profile)
		note_size(estimates, size);
}

static int add_object(struct analysis *analysis, const struct slab_object *object,
		      void (*add_to)(struct variance *variance, double objects, double bytes))
{
	struct estimates *estimates = analysis->estimates;
	double objects, bytes;

	if (grow_variances(&estimates->groups, &estimates->group_count,
			   (size_t)object->group + 1) ||
	    grow_variances(&estimates->caches, &estimates->cache_count, (size_t)object->cache + 1))
		return -ENOMEM;
	note_size(estimates, object->allocated);
	find_variances(estimates, object, &objects, &bytes);
	add_to(&estimates->total, objects, bytes);
	add_to(&estimates->groups[object->group], objects, bytes);
	add_to(&estimates->caches[object->cache], objects, bytes);
	return 0;
}

int estimates_add(struct analysis *analysis, const struct slab_object *object)
{
	return add_object(analysis, object, add_sample);
}

int estimates_add_initial(struct analysis *analysis, const struct slab_object *object)
{
	return add_object(analysis, object, add_live_sample);
}

void estimates_end(struct analysis *analysis, const struct slab_object *object)
{
	struct estimates *estimates = analysis->estimates;
	double objects, bytes;

	find_variances(estimates, object, &objects, &bytes);
	end_sample(&estimates->total, objects, bytes);
	end_sample(&estimates->groups[object->group], objects, bytes);
	end_sample(&estimates->caches[object->cache], objects, bytes);
}

struct variance estimates_of_group(const struct estimates *estimates, size_t group)
{
	return group < estimates->group_count ? estimates->groups[group] : (struct variance){ 0 };
}

struct variance estimates_of_cache(const struct estimates *estimates, size_t cache)
{
	return cache < estimates->cache_count ? estimates->caches[cache] : (struct variance){ 0 };
}

double estimate_hidden(const struct estimates *estimates)
{
	double interval = (double)estimates->interval, sum = 0;

	if (!estimates->interval || estimates->interval_most <= estimates->interval)
		return 0;
	for (; interval <= (double)estimates->interval_most; interval *= 2)
		sum += interval * interval;
	return Z * Z * sqrt(sum);
}

/* A score interval is from the value + shift - reach to the value + shift + reach. */
struct score {
	double shift, reach;
};

static struct score find_score(double value, double variance)
{
	struct score score = { 0 };

	if (value <= 0)
		return score;
	score.shift = Z * Z * variance / value / 2;
	score.reach = sqrt(Z * Z * variance + score.shift * score.shift);
	return score;
}

struct estimate_range estimate_range(uint64_t estimate, double variance,
				     const struct estimate_margin *margin)
{
	static const struct estimate_margin none;
	struct score score = find_score((double)estimate, variance), above;
	double low, half;

	margin = margin ? margin : &none;
	above = find_score(margin->above, margin->above_variance);
	low = (double)estimate + score.shift - score.reach - margin->below;
	half = hypot(hypot(score.shift + score.reach, above.shift + above.reach), margin->hidden);
	return (struct estimate_range){
		.low = low > 0 ? to_integer(low) : 0,
		.high = to_integer(ceil((double)estimate + margin->above + half)),
	};
}

/* The exact count, without the part that the samples show for sure. */
static double find_gap(double counted, uint64_t estimate, double variance)
{
	return fmax(counted - (double)estimate_range(estimate, variance, NULL).low, 0);
}

void estimates_set_lost(struct estimates *estimates, uint64_t lost, uint64_t lost_before,
			const struct estimate_counted *counted)
{
	estimates->lost =
		(struct estimate_lost){ (double)lost, (double)lost_before, INFINITY, INFINITY };
	if (!counted)
		return;
	estimates->lost.objects_most =
		find_gap(counted->objects, counted->objects_found, estimates->total.allocations);
	estimates->lost.bytes_most =
		find_gap(counted->bytes, counted->bytes_found, estimates->total.allocated);
}

/*
 * one: the most that a lost record stands for. most: an upper limit of all lost allocations of the
 * piece together. If it is the lower one, it is used, and has no variance.
 */
static struct estimate_margin find_margin(const struct estimates *estimates, enum estimate_of of,
					  double one, double most)
{
	bool is_events = of == ESTIMATE_EVENTS || of == ESTIMATE_CHOSEN;
	double now, before, sampled;

	/* a lost free lets an object get old */
	if (of == ESTIMATE_ALLOCATED && estimates->counts_at_end)
		of = ESTIMATE_LIVE;
	one *= is_events ? 2 : 1;
	sampled = now = estimates->lost.now * one;
	before = estimates->lost.before * one;
	if (!is_events && now > most) {
		now = most;
		sampled = 0;
	}
	if (of != ESTIMATE_ALLOCATED) {
		now += before;
		sampled += before;
	}
	return (struct estimate_margin){
		.above = now,
		.above_variance = estimates->is_profile && estimates->interval > 1 ? sampled * one
										   : 0,
		.below = of == ESTIMATE_LIVE || of == ESTIMATE_CHOSEN
				 ? estimates->lost.now * one + before
				 : 0,
	};
}

struct estimate_margin estimate_margin_bytes(const struct estimates *estimates, enum estimate_of of)
{
	double one = estimates->size_most;
	struct estimate_margin margin;

	if (estimates->is_profile && estimates->interval > 1)
		one += (double)estimates->interval_most;
	margin = find_margin(estimates, of, one, estimates->lost.bytes_most);
	margin.hidden = estimate_hidden(estimates);
	return margin;
}

static struct estimate_margin margin_objects(const struct estimates *estimates, enum estimate_of of)
{
	double least = estimates->size_least ? estimates->size_least : OBJECT_BYTES_LEAST, one = 1;

	if (estimates->is_profile && estimates->interval > 1)
		one += (double)estimates->interval_most / least;
	return find_margin(estimates, of, one, estimates->lost.objects_most);
}

struct estimate_range estimate_range_bytes(const struct estimates *estimates, uint64_t bytes,
					   double variance, enum estimate_of of)
{
	struct estimate_margin margin = estimate_margin_bytes(estimates, of);

	if (!bytes && estimates->interval > 1 && margin.hidden <= 0)
		margin.hidden = Z * Z * (double)estimates->interval;
	return estimate_range(bytes, variance, &margin);
}

struct estimate_range estimate_range_objects(const struct estimates *estimates, uint64_t objects,
					     uint64_t bytes, double variance, enum estimate_of of)
{
	double density = (double)objects / (double)bytes;
	struct estimate_margin margin = margin_objects(estimates, of);
	struct estimate_range range;

	if (bytes)
		margin.hidden = estimate_hidden(estimates) * density;
	range = estimate_range(objects, variance, &margin);
	if (!objects)
		range.high = estimate_range_bytes(estimates, 0, 0, of).high / OBJECT_BYTES_LEAST;
	return range;
}
