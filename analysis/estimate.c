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

uint16_t estimates_doublings(struct estimates *estimates, const struct stack_sample *sample)
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

static void add_live(struct variance *variance, double objects, double bytes)
{
	variance->live_objects += objects;
	variance->live += bytes;
	variance->live_samples++;
}

static void add(struct variance *variance, double objects, double bytes)
{
	variance->allocations += objects;
	variance->allocated += bytes;
	variance->samples++;
	add_live(variance, objects, bytes);
}

static void end(struct variance *variance, double objects, double bytes)
{
	variance->live_samples--;
	/* the sums are not exact */
	variance->live_objects = variance->live_samples ? variance->live_objects - objects : 0;
	variance->live = variance->live_samples ? variance->live - bytes : 0;
}

static int grow(struct variance **list, size_t *count, size_t needed)
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

static void note_most(struct estimates *estimates, const struct slab_object *object)
{
	double weight = estimates->is_profile ? estimate_weight(estimates, object) : 1;

	estimates->most.objects = fmax(estimates->most.objects, weight);
	estimates->most.bytes = fmax(estimates->most.bytes, weight * object->allocated);
}

static int add_object(struct analysis *analysis, const struct slab_object *object,
		      void (*add_to)(struct variance *variance, double objects, double bytes))
{
	struct estimates *estimates = analysis->estimates;
	double objects, bytes;

	if (grow(&estimates->groups, &estimates->group_count, (size_t)object->group + 1) ||
	    grow(&estimates->caches, &estimates->cache_count, (size_t)object->cache + 1))
		return -ENOMEM;
	note_most(estimates, object);
	find_variances(estimates, object, &objects, &bytes);
	add_to(&estimates->total, objects, bytes);
	add_to(&estimates->groups[object->group], objects, bytes);
	add_to(&estimates->caches[object->cache], objects, bytes);
	return 0;
}

int estimates_add(struct analysis *analysis, const struct slab_object *object)
{
	return add_object(analysis, object, add);
}

int estimates_add_initial(struct analysis *analysis, const struct slab_object *object)
{
	return add_object(analysis, object, add_live);
}

void estimates_end(struct analysis *analysis, const struct slab_object *object)
{
	struct estimates *estimates = analysis->estimates;
	double objects, bytes;

	find_variances(estimates, object, &objects, &bytes);
	end(&estimates->total, objects, bytes);
	end(&estimates->groups[object->group], objects, bytes);
	end(&estimates->caches[object->cache], objects, bytes);
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

struct estimate_range estimate_range(uint64_t estimate, double variance,
				     const struct estimate_margin *margin)
{
	static const struct estimate_margin none;
	double value = (double)estimate, shift = 0, reach = 0, low = 0;

	margin = margin ? margin : &none;
	if (estimate && variance > 0) {
		shift = Z * Z * variance / value / 2;
		reach = sqrt(Z * Z * variance + shift * shift);
	}
	if (value + shift > reach)
		low = fmax(value + shift - reach - margin->below, 0);
	return (struct estimate_range){
		.low = to_integer(low),
		.high = to_integer(
			ceil(value + hypot(shift + reach, margin->hidden) + margin->above)),
	};
}

/* What is counted exactly, without what the samples show for sure. */
static double find_gap(uint64_t counted, uint64_t estimate, double variance)
{
	uint64_t low = estimate_range(estimate, variance, NULL).low;

	return counted > low ? (double)(counted - low) : 0;
}

static struct estimate_missing times(struct estimate_missing one, double number)
{
	return (struct estimate_missing){ number * one.objects, number * one.bytes };
}

void estimates_set_lost(struct estimates *estimates, uint64_t lost, uint64_t lost_before,
			const struct estimate_counted *counted)
{
	struct estimate_missing *missing = &estimates->missing, most = estimates->most;

	if (estimates->is_profile && estimates->interval > 1) {
		most.bytes = fmax(most.bytes, (double)estimates->interval_most);
		most.objects = fmax(most.objects, 1);
	}
	*missing = times(most, (double)lost);
	estimates->missing_before = times(most, (double)lost_before);
	estimates->missing_frees = times(most, (double)lost + (double)lost_before);
	if (!counted)
		return;
	missing->bytes = fmin(missing->bytes, find_gap(counted->bytes, counted->bytes_found,
						       estimates->total.allocated));
	missing->objects = fmin(missing->objects, find_gap(counted->objects, counted->objects_found,
							   estimates->total.allocations));
}

/* A free that is lost takes nothing from a flow. */
static struct estimate_margin find_margin(double hidden, double missing, double before,
					  double frees, bool is_live)
{
	return (struct estimate_margin){ hidden, missing + (is_live ? before : 0),
					 is_live ? frees : 0 };
}

struct estimate_margin estimate_margin_bytes(const struct estimates *estimates, bool is_live)
{
	return find_margin(estimate_hidden(estimates), estimates->missing.bytes,
			   estimates->missing_before.bytes, estimates->missing_frees.bytes,
			   is_live);
}

struct estimate_range estimate_range_bytes(const struct estimates *estimates, uint64_t bytes,
					   double variance, bool is_live)
{
	struct estimate_margin margin = estimate_margin_bytes(estimates, is_live);

	if (!bytes && estimates->interval > 1 && margin.hidden <= 0)
		margin.hidden = Z * Z * (double)estimates->interval;
	return estimate_range(bytes, variance, &margin);
}

struct estimate_range estimate_range_objects(const struct estimates *estimates, uint64_t objects,
					     uint64_t bytes, double variance, bool is_live)
{
	double density = (double)objects / (double)bytes;
	struct estimate_margin margin = find_margin(0, estimates->missing.objects,
						    estimates->missing_before.objects,
						    estimates->missing_frees.objects, is_live);
	struct estimate_range range;

	if (bytes)
		margin.hidden = estimate_hidden(estimates) * density;
	range = estimate_range(objects, variance, &margin);
	if (!objects)
		range.high =
			estimate_range_bytes(estimates, 0, 0, is_live).high / OBJECT_BYTES_LEAST;
	return range;
}
