// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Estimates against the truth: allocations of known sites are sampled as the BPF programs do it,
 * many times; the true figures lie in the stated intervals as often as stated, and the mean of the
 * estimates is the truth.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/unit.h"
#include "analysis/estimate.h"
#include "tests/unit/scratch.h"

#define INTERVAL 524288
#define SITES 20
#define LOADS 5

static uint64_t random_state = 88172645463325252;

struct site {
	uint32_t sizes[2]; /* of its allocations, in turn */
	uint32_t count;
	double freed; /* share of them */
};

/* The loads: small objects, one size, mixed sizes, large objects, all together. */
static struct site make_site(int load, int i, double factor)
{
	static const uint32_t sizes[] = { 32, 64, 96, 192, 256, 512, 1024, 4096, 8192, 65536 };
	struct site site = { .freed = i % 3 == 0 ? 0.1 : i % 3 == 1 ? 0.5 : 0.95 };
	double samples = factor * (10 + 5 * i); /* that it has on average */

	switch (load) {
	case 0:
		site.sizes[0] = site.sizes[1] = sizes[i % 4];
		break;
	case 1:
		site.sizes[0] = site.sizes[1] = 256;
		break;
	case 2:
		site.sizes[0] = sizes[i % 8];
		site.sizes[1] = sizes[(i + 3) % 8];
		break;
	case 3:
		site.sizes[0] = 65536U << (i % 6);
		site.sizes[1] = 1 << 20;
		break;
	default:
		site.sizes[0] = sizes[i % 10];
		site.sizes[1] = sizes[(i * 7) % 10];
	}
	site.count = (uint32_t)(2 * samples /
				(-expm1(-(double)site.sizes[0] / INTERVAL) -
				 expm1(-(double)site.sizes[1] / INTERVAL)));
	return site;
}

/* How the sampling interval changes. */
enum change {
	CHANGE_NONE,
	CHANGE_WITH_SAMPLES, /* up to 4 times, for all sites alike */
	CHANGE_WITH_LOAD,    /* 64 times, for the second half of the allocations */
	CHANGE_LOSES,	     /* not at all, but records are lost in the third quarter */
};

struct run {
	struct analysis analysis;
	enum change change;
	bool is_second_half, is_third_quarter;
	uint32_t interval, samples, lost;
	double left; /* bytes to the next sample */
	uint64_t time, allocated[SITES], live[SITES], objects[SITES], true_objects[SITES];
	uint64_t true_allocated[SITES], true_live[SITES];
};

static void allocate_at_site(struct run *run, const struct site *site, uint32_t group,
			     uint32_t size)
{
	struct slab_object object = { .address = 0xffff888000000000 + run->time * 64,
				      .time = run->time,
				      .requested = size,
				      .allocated = size,
				      .group = group,
				      .cache = group % 3 };
	bool is_freed = scratch_random_share(&random_state) < site->freed;
	const struct stack_sample sample = { .interval = run->interval };
	struct object_weight weight;

	run->time++;
	run->true_allocated[group] += size;
	run->true_live[group] += is_freed ? 0 : size;
	run->true_objects[group]++;
	run->left -= size;
	if (run->left > 0)
		return;
	object.flags = estimates_note_interval(run->analysis.estimates, &sample);
	run->samples++;
	if (run->change == CHANGE_WITH_SAMPLES)
		run->interval = INTERVAL << run->samples / 20 % 3;
	else if (run->change == CHANGE_WITH_LOAD && run->is_second_half)
		run->interval = INTERVAL << 6;
	run->left = -log(scratch_random_share(&random_state)) * run->interval;
	if (run->change == CHANGE_LOSES && run->is_third_quarter) {
		run->lost += 1 + is_freed;
		return;
	}
	weight = estimate_object(run->analysis.estimates, &object);
	assert_int_equal(estimates_add(&run->analysis, &object), 0);
	run->allocated[group] += weight.allocated;
	run->objects[group] += weight.objects;
	/* one in ten of these frees comes while records are lost, too */
	if (run->change == CHANGE_LOSES && is_freed && !(run->samples % 10)) {
		run->lost++;
		is_freed = false;
	}
	if (is_freed)
		estimates_end(&run->analysis, &object);
	else
		run->live[group] += weight.allocated;
}

static void begin_estimates(struct estimates **estimates, uint64_t interval)
{
	const struct status_sampling sampling = { .interval = interval };

	assert_int_equal(estimates_init(estimates, &sampling), 0);
}

static void sample_load(struct run *run, int load, enum change change)
{
	struct estimate_counted counted = { 0 };
	struct site sites[SITES];
	uint32_t most = 0;

	*run = (struct run){ .change = change,
			     .interval = INTERVAL,
			     .left = -log(scratch_random_share(&random_state)) * INTERVAL };
	begin_estimates(&run->analysis.estimates, INTERVAL);
	run->analysis.estimates->is_profile = true;
	for (int i = 0; i < SITES; i++) {
		sites[i] = make_site(load, i, change == CHANGE_WITH_SAMPLES ? 2 : 1);
		if (sites[i].count > most)
			most = sites[i].count;
	}
	for (uint32_t n = 0; n < most; n++) {
		run->is_second_half = n >= most / 2;
		run->is_third_quarter = run->is_second_half && n < most / 4 * 3;
		for (uint32_t i = 0; i < SITES; i++)
			if (n < sites[i].count)
				allocate_at_site(run, &sites[i], i, sites[i].sizes[n % 2]);
	}
	for (int i = 0; i < SITES; i++) {
		counted.objects += (double)run->true_objects[i];
		counted.bytes += (double)run->true_allocated[i];
		counted.objects_found += run->objects[i];
		counted.bytes_found += run->allocated[i];
	}
	estimates_set_lost(run->analysis.estimates, run->lost, 0, &counted);
}

static bool is_in(struct estimate_range range, uint64_t truth)
{
	return truth >= range.low && truth <= range.high;
}

/*
 * Counts the cases in which the truth is in the interval, and adds the relative errors. A site
 * without samples is in no report: it has an error, but no interval.
 */
struct score {
	unsigned int cases, hits, sites;
	double error;
};

static void add_case(struct score *score, struct estimate_range range, uint64_t estimate,
		     uint64_t truth)
{
	score->cases += estimate != 0;
	score->hits += estimate && is_in(range, truth);
	score->sites++;
	score->error += ((double)estimate - (double)truth) / (double)truth;
}

static void check_score(const char *figure, const struct score *score, double least, double most,
			bool has_bias)
{
	/* of few cases, the share is only roughly known */
	double few = score->cases < 3000 ? 4 : 0;
	double percent = 100.0 * score->hits / score->cases;
	double mean = score->error / score->sites;

	print_message("%s: the truth is in %.1f %% of %u intervals; mean error %+.4f\n", figure,
		      percent, score->cases, mean);
	assert_true(percent >= least - few && percent <= most + few);
	/* the errors of a site with 10 samples have a standard deviation of a third or more */
	assert_true(has_bias || fabs(mean) < 2 / sqrt(score->sites));
}

static void expect_truth(enum change change)
{
	const char *rounds = getenv("KMEMTRACE_ROUNDS");
	/* fewer where the interval changes: such a run may have twice as many allocations */
	int runs = (rounds ? atoi(rounds) / 25 : 8) / (change ? 4 : 1);
	struct score allocated = { 0 }, live = { 0 }, objects = { 0 };
	/* the limits are wider where the interval changes */
	double most = change ? 100 : 97;
	bool has_bias = change == CHANGE_LOSES;
	static struct run run;

	for (int load = 0; load < LOADS; load++) {
		for (int i = 0; i < runs; i++) {
			struct estimates *estimates;

			sample_load(&run, load, change);
			estimates = run.analysis.estimates;
			for (int site = 0; site < SITES; site++) {
				struct variance variance =
					estimates_of_group(estimates, (size_t)site);

				add_case(&allocated,
					 estimate_range_bytes(estimates, run.allocated[site],
							      variance.allocated,
							      ESTIMATE_ALLOCATED),
					 run.allocated[site], run.true_allocated[site]);
				add_case(&objects,
					 estimate_range_objects(
						 estimates, run.objects[site], run.allocated[site],
						 variance.allocations, ESTIMATE_ALLOCATED),
					 run.objects[site], run.true_objects[site]);
				if (run.true_live[site])
					add_case(&live,
						 estimate_range_bytes(estimates, run.live[site],
								      variance.live, ESTIMATE_LIVE),
						 run.live[site], run.true_live[site]);
			}
			estimates_deinit(estimates);
		}
	}
	check_score("allocated bytes", &allocated, 93, most, has_bias);
	check_score("live bytes", &live, 93, most, has_bias);
	/* where sizes differ much, few samples of the small ones stand for most allocations */
	check_score("allocations", &objects, 90, most, has_bias);
}

static void intervals_hold_the_truth(void **unused)
{
	(void)unused;
	expect_truth(CHANGE_NONE);
}

/* Also while the sampling interval is doubled and halved. */
static void doubled_intervals_hold_the_truth(void **unused)
{
	(void)unused;
	expect_truth(CHANGE_WITH_SAMPLES);
}

/* Also where the samples of a site came before the interval was long. */
static void intervals_that_change_with_the_load_hold_the_truth(void **unused)
{
	(void)unused;
	expect_truth(CHANGE_WITH_LOAD);
}

/* Lost records may be samples, and frees of sampled objects. */
static void lost_records_widen_the_intervals(void **unused)
{
	(void)unused;
	expect_truth(CHANGE_LOSES);
}

/* Is the difference that of rounding? */
static bool is_near(double a, double b)
{
	return fabs(a - b) <= 2;
}

/*
 * Three lost records stand for no more than three samples of the size of the others, with their
 * sampling error, however much is counted.
 */
static void few_lost_records_widen_little(void **unused)
{
	const struct slab_object object = { .address = 64, .allocated = 3 * INTERVAL };
	const struct slab_object small = { .address = 128, .allocated = INTERVAL / 4 };
	const struct estimate_counted much = { .objects = 1e6, .bytes = 0x1p40 };
	const struct estimate_counted all = { 1, 4.0 * INTERVAL, 1, 3 * INTERVAL };
	const double one = 4.0 * INTERVAL;
	const struct estimate_margin three = { .above = 3 * one,
					       .above_variance = 3 * one * one,
					       .below = 3 * one };
	struct analysis analysis = { 0 };
	struct estimate_margin margin;
	struct estimate_range range, expected = estimate_range(7, 0, &three);
	struct estimates *estimates;

	(void)unused;
	begin_estimates(&estimates, INTERVAL);
	analysis.estimates = estimates;
	estimates->is_profile = true;
	estimates_skip(estimates, 100 * INTERVAL);
	assert_int_equal(estimates_add(&analysis, &object), 0);
	assert_int_equal(estimates_add(&analysis, &small), 0);
	estimates_set_lost(estimates, 3, 0, &much);
	range = estimate_range_bytes(estimates, 7, 0, ESTIMATE_ALLOCATED);
	assert_int_equal(range.low, 7);
	assert_int_equal(range.high, expected.high);
	assert_true(range.high > 3 * one + 1.9 * sqrt(3) * one);
	assert_int_equal(estimate_range_bytes(estimates, 7, 0, ESTIMATE_LIVE).low, 0);
	/* one sample of the small objects is at most five of them */
	expected = estimate_range(1, 0,
				  &(struct estimate_margin){ .above = 15, .above_variance = 75 });
	range = estimate_range_objects(estimates, 1, INTERVAL, 0, ESTIMATE_ALLOCATED);
	assert_int_equal(range.low, 1);
	assert_int_equal(range.high, expected.high);

	/* what is counted has no room for three allocations */
	estimates_set_lost(estimates, 3, 0, &all);
	margin = estimate_margin_bytes(estimates, ESTIMATE_ALLOCATED);
	assert_true(margin.above >= INTERVAL && margin.above < 3 * one);
	assert_true(margin.above_variance == 0 && margin.below == 0);
	assert_true(is_near(estimate_margin_bytes(estimates, ESTIMATE_LIVE).above, margin.above));
	/* but for three frees */
	assert_true(is_near(estimate_margin_bytes(estimates, ESTIMATE_LIVE).below, 3 * one));
	/* and an allocation that is lost leaves its free without a sample */
	margin = estimate_margin_bytes(estimates, ESTIMATE_EVENTS);
	assert_true(is_near(margin.above, 6 * one) && margin.below == 0);
	assert_true(is_near(estimate_margin_bytes(estimates, ESTIMATE_CHOSEN).below, 6 * one));
	/* an object that is counted only when it is old may have been freed */
	estimates->counts_at_end = true;
	assert_true(is_near(estimate_margin_bytes(estimates, ESTIMATE_ALLOCATED).below, 3 * one));
	estimates->counts_at_end = false;

	/* before the piece: it changes live objects and their frees only, and the counts of the
	 * piece do not limit it */
	estimates_set_lost(estimates, 0, 3, &all);
	assert_int_equal(estimate_range_bytes(estimates, 7, 0, ESTIMATE_ALLOCATED).high, 7);
	expected = estimate_range(7, 0, &three);
	assert_int_equal(estimate_range_bytes(estimates, 7, 0, ESTIMATE_LIVE).high, expected.high);
	assert_true(estimate_range_bytes(estimates, 7, 0, ESTIMATE_EVENTS).high > expected.high);
	estimates_set_lost(estimates, 0, 0, &much);
	assert_int_equal(estimate_range_bytes(estimates, 7, 0, ESTIMATE_LIVE).high, 7);
	estimates_deinit(estimates);
}

/* Where all events are recorded, a lost one is one object, no larger than all others. */
static void a_lost_event_is_one_object(void **unused)
{
	const struct slab_object object = { .address = 64, .allocated = 3 * INTERVAL };
	struct analysis analysis = { 0 };
	struct estimate_range range;
	struct estimates *estimates;

	(void)unused;
	begin_estimates(&estimates, INTERVAL);
	analysis.estimates = estimates;
	assert_int_equal(estimates_add(&analysis, &object), 0);
	estimates_skip(estimates, 5 * INTERVAL);
	estimates_skip(estimates, 64);
	estimates_set_lost(estimates, 3, 0, NULL);
	range = estimate_range_bytes(estimates, 7, 0, ESTIMATE_ALLOCATED);
	assert_int_equal(range.high, 7 + 15 * INTERVAL);
	range = estimate_range_objects(estimates, 7, INTERVAL, 0, ESTIMATE_ALLOCATED);
	assert_int_equal(range.high, 10);
	estimates_deinit(estimates);
}

/* A hostile capture has any interval. */
static void doublings_have_limits(void **unused)
{
	const struct stack_sample most = { .interval = UINT32_MAX }, none = { .interval = 0 };
	const struct slab_object object = { .allocated = 64, .flags = 3 << OBJECT_DOUBLINGS_SHIFT };
	struct estimates *estimates;

	(void)unused;
	begin_estimates(&estimates, 1);
	assert_int_equal(estimates_note_interval(estimates, &most), 0);
	estimates_deinit(estimates);
	begin_estimates(&estimates, 64);
	assert_int_equal(estimates_note_interval(estimates, &none), 0);
	assert_int_equal(estimates_note_interval(estimates, NULL), 0);
	assert_int_equal(estimates->interval_most, 64);
	assert_true(fabs(estimate_weight(estimates, &object) - -1 / expm1(-1.0 / 8)) < 1e-9);
	assert_int_equal(estimates_note_interval(estimates, &most) >> OBJECT_DOUBLINGS_SHIFT, 26);
	assert_int_equal(estimates->interval_most, 1ULL << 32);
	estimates_deinit(estimates);
}

static void each_allocation_is_exact(void **unused)
{
	struct slab_object object = {
		.address = 64, .time = 5, .requested = 100, .allocated = 128
	};
	struct analysis analysis = { 0 };
	struct object_weight weight;

	(void)unused;
	begin_estimates(&analysis.estimates, 1);
	weight = estimate_object(analysis.estimates, &object);
	assert_int_equal(weight.objects, 1);
	assert_int_equal(weight.requested, 100);
	assert_int_equal(weight.allocated, 128);
	assert_int_equal(estimates_add(&analysis, &object), 0);
	assert_true(estimates_of_group(analysis.estimates, 0).allocated == 0);
	assert_int_equal(estimates_of_group(analysis.estimates, 0).samples, 1);
	assert_int_equal(estimates_of_group(analysis.estimates, 9).samples, 0);
	assert_int_equal(estimate_range(128, 0, NULL).low, 128);
	assert_int_equal(estimate_range(128, 0, NULL).high, 128);
	assert_int_equal(estimate_range_bytes(analysis.estimates, 0, 0, ESTIMATE_ALLOCATED).high,
			 0);
	assert_int_equal(
		estimate_range_objects(analysis.estimates, 0, 0, 0, ESTIMATE_ALLOCATED).high, 0);
	estimates_deinit(analysis.estimates);
}

/* Without samples, allocations of so many bytes are found in 98 of 100 cases. */
static void nothing_sampled_is_not_nothing(void **unused)
{
	struct estimates *estimates;
	struct estimate_range bytes, objects;

	(void)unused;
	begin_estimates(&estimates, INTERVAL);
	bytes = estimate_range_bytes(estimates, 0, 0, ESTIMATE_ALLOCATED);
	objects = estimate_range_objects(estimates, 0, 0, 0, ESTIMATE_ALLOCATED);
	assert_int_equal(bytes.low, 0);
	assert_int_equal(objects.low, 0);
	for (uint32_t size = 8; size <= 4 * INTERVAL; size *= 2) {
		const struct slab_object object = { .allocated = size };
		double missed = 1 - 1 / estimate_weight(estimates, &object);
		double count = (double)bytes.high / size;

		assert_true(pow(missed, ceil(count)) < 0.025);
		assert_true(size > INTERVAL / 8 || pow(missed, floor(count)) > 0.015);
		assert_true(count <= (double)objects.high + 1);
	}
	assert_int_equal(estimate_range_bytes(estimates, 128, 0, ESTIMATE_ALLOCATED).high, 128);
	estimates_deinit(estimates);
}

static void an_end_subtracts_what_was_added(void **unused)
{
	struct analysis analysis = { 0 };
	struct variance variance;

	(void)unused;
	begin_estimates(&analysis.estimates, INTERVAL);
	for (uint32_t i = 1; i <= 1000; i++) {
		struct slab_object object = {
			.address = i * 64, .time = i, .allocated = i * 32, .group = i % 7
		};
		struct object_weight first = estimate_object(analysis.estimates, &object), again;

		again = estimate_object(analysis.estimates, &object);
		assert_memory_equal(&first, &again, sizeof(first));
		assert_in_range(first.objects, 1, INTERVAL / (i * 32) + 2);
		assert_int_equal(estimates_add(&analysis, &object), 0);
		estimates_end(&analysis, &object);
	}
	variance = analysis.estimates->total;
	assert_int_equal(variance.samples, 1000);
	assert_int_equal(variance.live_samples, 0);
	assert_true(variance.live == 0 && variance.live_objects == 0);
	assert_true(variance.allocated > 0);
	estimates_deinit(analysis.estimates);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_allocation_is_exact),
		cmocka_unit_test(nothing_sampled_is_not_nothing),
		cmocka_unit_test(an_end_subtracts_what_was_added),
		cmocka_unit_test(intervals_hold_the_truth),
		cmocka_unit_test(doubled_intervals_hold_the_truth),
		cmocka_unit_test(intervals_that_change_with_the_load_hold_the_truth),
		cmocka_unit_test(lost_records_widen_the_intervals),
		cmocka_unit_test(few_lost_records_widen_little),
		cmocka_unit_test(a_lost_event_is_one_object),
		cmocka_unit_test(doublings_have_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
