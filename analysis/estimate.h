/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Estimates from sampled allocations. An allocation of s bytes is sampled with the probability
 *	p = 1 - exp(-s / interval)
 * independent of all others, and so stands for w = 1 / p allocations: the sum of w, and of w * s,
 * over the samples of a group are unbiased estimates (Horvitz and Thompson, 1952) of its
 * allocations and their bytes. kmemtraced doubles and halves the interval while it samples; the
 * interval of a sample was chosen before, by earlier samples, so the estimates stay unbiased. Their
 * variances are estimated by the sums of w (w - 1) and of w (w - 1) s^2.
 *
 * Counters are integers. So w is rounded up or down at random, up with the probability of its
 * fraction: this keeps the estimate unbiased. The random number is a hash of the object, so the
 * free of an object subtracts the same as its allocation added.
 */
#ifndef ANALYSIS_ESTIMATE_H
#define ANALYSIS_ESTIMATE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis/model.h"

/* The figures that an object stands for. */
struct object_weight {
	uint64_t objects;
	uint64_t requested, allocated; /* bytes */
};

/* The variances of the estimates of a group or a cache, or of all. */
struct variance {
	double allocations, allocated; /* of the objects and the bytes that were allocated */
	double live_objects, live;
	uint64_t samples, live_samples;
};

/* Lost records, which may have been allocations or frees of any group. */
struct estimate_lost {
	double now, before; /* records: of the piece; before it began */
	/* of the piece: they are missing from the estimates at most; INFINITY: not known */
	double objects_most, bytes_most;
};

struct estimates {
	uint64_t interval;	/* bytes, the least; 1: each allocation is sampled */
	uint64_t interval_most; /* bytes: of the samples */
	bool is_profile;	/* without a record, a sample is lost, not only an event */
	bool counts_at_end;	/* an allocation is counted when it is freed, or at the end */
	uint32_t size_least, size_most; /* bytes: of sampled objects, without a profile of all */
	struct estimate_lost lost;
	struct variance total, *groups, *caches; /* by index in the analysis */
	size_t group_count, cache_count;
};

/* The parts of a figure: lost records change them in different ways. */
enum estimate_of {
	ESTIMATE_ALLOCATED, /* of allocations only */
	/* of allocations and frees: an allocation that is lost leaves its free without a sample,
	 * too */
	ESTIMATE_EVENTS,
	/* the same, chosen by what is known of their objects, as their age: a lost record may also
	 * have made a wrong choice */
	ESTIMATE_CHOSEN,
	ESTIMATE_LIVE, /* of live objects, from which a lost free takes nothing */
};

/* The value lies between these with a probability of about 95 %. */
struct estimate_range {
	uint64_t low, high;
};

/* Half of the interval, in percent of the estimate; NAN: of 0. */
static inline double estimate_error(struct estimate_range range, uint64_t estimate)
{
	return estimate ? 50 * (double)(range.high - range.low) / (double)estimate : NAN;
}

/* 0 or -ENOMEM. */
int estimates_init(struct estimates **estimates, const struct status_sampling *sampling);
void estimates_deinit(struct estimates *estimates);

/*
 * Remembers the largest interval. Returns how often the interval was doubled for the sample, as
 * OBJECT_DOUBLINGS in the flags of its object. sample NULL: not sampled.
 */
uint16_t estimates_note_interval(struct estimates *estimates, const struct stack_sample *sample);

/* The number of allocations that a sampled object stands for. */
double estimate_weight(const struct estimates *estimates, const struct slab_object *object);

/* The same of an object that was sampled with this interval. */
double estimate_sample_weight(const struct slab_object *object, uint32_t interval);

/* The figures that an object of this weight stands for. */
struct object_weight estimate_weigh(const struct slab_object *object, double weight);

struct object_weight estimate_object(const struct estimates *estimates,
				     const struct slab_object *object);

/* The variance of the number of objects that it counts for. */
double estimate_object_variance(const struct estimates *estimates,
				const struct slab_object *object);

/* The same of their bytes. */
double estimate_bytes_variance(const struct estimates *estimates, const struct slab_object *object);

/*
 * Adds an allocated object to the variances of its group and cache. 0 or -ENOMEM. estimates_end()
 * subtracts it from those of the live objects.
 */
int estimates_add(struct analysis *analysis, const struct slab_object *object);

/* The same for an object that was live at the begin: it is in no flow. */
int estimates_add_initial(struct analysis *analysis, const struct slab_object *object);
void estimates_end(struct analysis *analysis, const struct slab_object *object);

/* Of a group or a cache; all zero if it has no sample. */
struct variance estimates_of_group(const struct estimates *estimates, size_t group);
struct variance estimates_of_cache(const struct estimates *estimates, size_t cache);

/* An event that has no sample, with its bytes. Without a profile, a lost event may be as large. */
void estimates_skip(struct estimates *estimates, uint32_t size);

/*
 * Sets how many records were lost in the piece and before it began. If all events are recorded, a
 * lost one is one object, which is taken to be no larger than the largest of the others. In a
 * profile, it is a sample of s bytes, which stands for less than s + I bytes and 1 + I / s objects,
 * I being the largest interval; s is taken to be between those of the recorded samples. All lost
 * allocations together stand for at most the exact count of the piece minus the low end of the
 * estimate. counted NULL: there is no exact count.
 */
struct estimate_counted {
	double objects, bytes;		     /* counted exactly */
	uint64_t objects_found, bytes_found; /* the estimates */
};
void estimates_set_lost(struct estimates *estimates, uint64_t lost, uint64_t lost_before,
			const struct estimate_counted *counted);

/* Values for an interval besides the estimate and its variance. */
struct estimate_margin {
	double hidden;		      /* see estimate_hidden() */
	double above, above_variance; /* what lost records may have added, and its variance */
	double below;		      /* what they may have taken from the estimate */
};

/*
 * The interval of an estimate with this variance. It is the score interval of a Poisson number of
 * samples that each stand for k = variance / estimate: with z = 1.96,
 *	estimate + z^2 k / 2 -+ z sqrt(variance + z^2 k^2 / 4)
 * Unlike estimate -+ z sqrt(variance), it is right for few samples too. The upper half m
 * of the interval becomes sqrt(m^2 + n^2 + hidden^2), where n is that of all that lost records may
 * have added. margin NULL: none.
 */
struct estimate_range estimate_range(uint64_t estimate, double variance,
				     const struct estimate_margin *margin);

/*
 * 0 if the sampling interval never changed; else bytes that no sample may show: at each interval I
 * there may have been up to z^2 I bytes without a sample, however many samples there were at the
 * other intervals. The upper limits of independent parts add as the root of the sum of their
 * squares (Zou and Donner, 2008).
 */
double estimate_hidden(const struct estimates *estimates);

/* That of bytes. */
struct estimate_margin estimate_margin_bytes(const struct estimates *estimates,
					     enum estimate_of of);

/*
 * The interval of bytes, and that of objects with so many bytes, with all margins. Without a
 * sample, the true bytes are up to z^2 intervals: of more, one would have been sampled in 98 of 100
 * cases. The least object has 8 bytes.
 */
struct estimate_range estimate_range_bytes(const struct estimates *estimates, uint64_t bytes,
					   double variance, enum estimate_of of);
struct estimate_range estimate_range_objects(const struct estimates *estimates, uint64_t objects,
					     uint64_t bytes, double variance, enum estimate_of of);

#endif
