// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counting in the kernel: the parts of a key that a query needs, and events with a weight. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/estimate.h"
#include "analysis/fields/aggregate.h"
#include "analysis/fields/counted.h"
#include "analysis/fields/probe_filter.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

static uint64_t random_state = 88172645463325252;

/* The parts of a query with these expressions; UINT32_MAX: refused. */
static uint32_t parts_of(struct query *query, const char *by, const char *where, const char *sum)
{
	uint32_t parts = 0;
	int err;

	memset(query, 0, sizeof(*query));
	if (by)
		assert_int_equal(query_by(query, "--by", by), 0);
	if (where)
		assert_int_equal(query_where(query, "--where", where), 0);
	if (sum)
		assert_int_equal(query_statistic(query, "--sum", STATISTIC_SUM, sum), 0);
	err = counted_query(query, &parts);
	query_deinit(query);
	return err ? UINT32_MAX : parts;
}

static void a_key_has_what_the_query_needs(void **state)
{
	struct query query;

	(void)state;
	assert_int_equal(parts_of(&query, NULL, NULL, NULL), 0);
	assert_int_equal(parts_of(&query, "call_site", NULL, NULL), KMT_COUNT_SITE);
	assert_int_equal(parts_of(&query, "comm,uid", "pid == 7 || tid > 3", NULL),
			 KMT_COUNT_COMM | KMT_COUNT_UID | KMT_COUNT_PID | KMT_COUNT_TID |
				 KMT_COUNT_NODE);
	assert_int_equal(parts_of(&query, "cpu", NULL, "bytes_req * 2"),
			 COUNTED_CPU | KMT_COUNT_KIND | KMT_COUNT_LAST | COUNTED_NO_FREES);
	assert_int_equal(parts_of(&query, "pages_to_string(requested_node)", "gfp_flags != 0",
				  NULL),
			 KMT_COUNT_KIND | KMT_COUNT_NODE | KMT_COUNT_GFP);
}

static void history_and_time_are_refused(void **state)
{
	struct query query;

	(void)state;
	assert_int_equal(parts_of(&query, "comm,age", NULL, NULL), UINT32_MAX);
	assert_string_equal(query.error.text,
			    "--count: the field age needs a capture: record one, and "
			    "use kmemtrace-report count");
	assert_int_equal(parts_of(&query, "process", NULL, NULL), UINT32_MAX);
	assert_string_equal(query.error.text,
			    "--count: the field process needs a capture: record one, and use "
			    "kmemtrace-report count; or count by comm,pid");
	assert_int_equal(parts_of(&query, NULL, "ptr == 0", NULL), UINT32_MAX);
	assert_int_equal(parts_of(&query, NULL, NULL, "alloc_cpu"), UINT32_MAX);
}

/* Of oom_kill, task is the victim: its key has it. Other probes need no word for it. */
static void the_task_of_an_oom_kill_is_the_victim(void **state)
{
	const uint32_t task = KMT_COUNT_PID | KMT_COUNT_COMM | KMT_COUNT_NODE;
	struct query query = { 0 };
	uint32_t parts = 0;

	(void)state;
	assert_int_equal(parts_of(&query, "task", NULL, NULL), task);
	query = (struct query){ 0 };
	assert_int_equal(query_probes(&query, "--probes", "vm.oom_kill"), 0);
	assert_int_equal(query_by(&query, "--by", "task"), 0);
	assert_int_equal(counted_query(&query, &parts), 0);
	assert_int_equal(parts, task | KMT_COUNT_KIND | KMT_COUNT_VICTIM);
	query_deinit(&query);
}

/* kfree() names no type, so a count by dtmalloc's probes would lack its frees. */
static void frees_of_a_type_are_refused(void **state)
{
	struct query query = { 0 };
	uint32_t parts = 0;

	(void)state;
	assert_int_equal(query_probes(&query, "--probes", "vm.kfree"), 0);
	assert_int_equal(counted_query(&query, &parts), 0);
	assert_int_equal(parts, KMT_COUNT_KIND | KMT_COUNT_NODE);
	assert_int_equal(
		query_probes(&query, "--probes", "dtmalloc::dentry:malloc,dtmalloc:::free"), 0);
	assert_int_equal(counted_query(&query, &parts), 0);
	assert_int_equal(parts,
			 KMT_COUNT_KIND | KMT_COUNT_NODE | KMT_COUNT_OBJECT | KMT_COUNT_LAST);
	assert_int_equal(query_probes(&query, "--probes", "vm.kfree,dtmalloc::dentry:free"), 0);
	assert_int_equal(counted_query(&query, &parts), -EINVAL);
	assert_non_null(strstr(query.error.text, "the frees of one type"));
	assert_int_equal(query_probes(&query, "--probes", "dtmalloc::kmalloc-*:"), 0);
	assert_int_equal(counted_query(&query, &parts), -EINVAL);
	query_deinit(&query);
}

/* A field that needs another event, an address or the time: everything else can be counted. */
static void fields_that_cannot_be_counted(void **state)
{
	static const char *const never[] = {
		"ptr",		 "address",	    "type_numallocs",
		"type_numfrees", "type_memalloced", "type_memfreed",
		"type_count",	 "type_bytes",	    "time",
		"memory_node",	 "process",	    "cgroup",
		"container",	 "charged",	    "stack",
		"syscall",	 "user_stack",	    "age",
		"alloc_site",	 "alloc_time",	    "alloc_cpu",
		"alloc_node",	 "alloc_tid",	    "alloc_pid",
		"alloc_uid",	 "alloc_comm",	    "cross_cpu",
		"temporary",	 "missed_site",
	};
	size_t found = 0;

	(void)state;
	for (size_t i = 0; i < event_field_count; i++) {
		if (!(event_fields[i].parts & COUNTED_NEVER)) {
			assert_int_not_equal(event_fields[i].parts, 0);
			continue;
		}
		assert_in_range(found, 0, sizeof(never) / sizeof(never[0]) - 1);
		assert_string_equal(event_fields[i].name, never[found++]);
	}
	assert_int_equal(found, sizeof(never) / sizeof(never[0]));
}

static const struct capture capture;
static const struct analysis analysis = { .capture = &capture };

static void add_counted(struct aggregate *aggregate, struct value_source *source,
			uint32_t requested, uint64_t weight)
{
	const struct event event = { .id = KMT_KMALLOC, .requested = requested };
	const struct transition transition = { .outcome = OUTCOME_ALLOCATED,
					       .event = &event,
					       .group = GROUP_NONE,
					       .cache = CACHE_NONE };

	assert_true(value_source_take(source, &analysis, &transition));
	assert_int_equal(aggregate_add(aggregate, source, &transition, weight, NULL), 0);
}

static void a_weight_is_a_number_of_events(void **state)
{
	struct value_source *source = malloc(sizeof(*source));
	const struct accumulator *results;
	struct aggregate aggregate;
	struct query query = { 0 };

	(void)state;
	assert_non_null(source);
	assert_int_equal(query_where(&query, "--where", "bytes_req < 1000"), 0);
	assert_int_equal(query_statistic(&query, "--sum", STATISTIC_SUM, "bytes_req"), 0);
	assert_int_equal(query_statistic(&query, "--avg", STATISTIC_AVG, "bytes_req"), 0);
	assert_int_equal(query_statistic(&query, "--min", STATISTIC_MIN, "bytes_req"), 0);
	assert_int_equal(query_statistic(&query, "--max", STATISTIC_MAX, "bytes_req"), 0);
	assert_int_equal(query_statistic(&query, "--hist", STATISTIC_HIST, "bytes_req"), 0);
	assert_int_equal(value_source_init(source), 0);
	assert_int_equal(aggregate_init(&aggregate, &query), 0);
	assert_int_equal(query_bind(&query, source, &capture.gfp), 0);
	add_counted(&aggregate, source, 100, 3);
	add_counted(&aggregate, source, 40, 5);
	add_counted(&aggregate, source, 5000, 7);
	assert_int_equal(aggregate.events, 8);
	assert_int_equal(aggregate.excluded, 7);
	assert_int_equal(aggregate.count, 1);
	results = aggregate.groups[0]->statistics;
	assert_int_equal(results[0].number, 500);
	assert_int_equal(results[1].number, 500);
	assert_int_equal(results[1].values, 8);
	assert_int_equal(results[2].number, 40);
	assert_int_equal(results[3].number, 100);
	assert_int_equal(results[4].buckets[8], 3); /* 64 to 127 */
	assert_int_equal(results[4].buckets[7], 5); /* 32 to 63 */
	add_counted(&aggregate, source, 2, INT64_MAX);
	assert_true(results[0].overflowed);
	aggregate_deinit(&aggregate);
	value_source_deinit(source);
	query_deinit(&query);
	free(source);
}

/* The allocations of objects of 256 bytes, and the frees of every other one, in one group. */
static bool interval_holds_truth(const struct estimates *estimates, uint64_t run)
{
	const unsigned int objects = 3000;
	struct sampled_sums sums;
	struct estimate_range range;
	uint64_t events = 0;
	double variance = 0;

	assert_int_equal(sampled_sums_init(&sums, 2), 0);
	for (unsigned int i = 0; i < objects; i++) {
		struct slab_object object = { .address = 0xffff888000000000 + i * 256,
					      .time = run * objects + i,
					      .allocated = 256 };
		struct sampled_object sampled = { object.address, object.time, 0, 256 };
		uint64_t weight = estimate_object(estimates, &object).objects;

		if (scratch_random_share(&random_state) * estimate_weight(estimates, &object) > 1)
			continue;
		sampled.variance = estimate_object_variance(estimates, &object);
		for (unsigned int n = 0; n < 1 + i % 2; n++) {
			bool is_new;
			double *sum = sampled_sums_find(&sums, 7, &sampled, &is_new);

			assert_int_equal(is_new, !n);
			variance += sampled_sums_add(&sum[1], 1, &sampled);
			events += weight;
		}
	}
	sampled_sums_deinit(&sums);
	range = estimate_range(events, variance, NULL);
	return range.low <= objects + objects / 2 && objects + objects / 2 <= range.high;
}

/* An importer chooses addresses and times. */
static void sums_of_mixed_up_objects_stay_apart(void **state)
{
	const uint64_t multiplier = 0x9e3779b97f4a7c15, other = 0xffff888000001000 * multiplier;
	struct sampled_object first = { 0xffff888000000000, 1, 0, 256 };
	struct sampled_object second = { 0xffff888000001000, 0, 0, 256 };
	uint64_t hash = first.address * multiplier;
	struct sampled_sums sums;
	bool is_new;

	(void)state;
	/* the hash was this product, folded, and XOR the time */
	second.time = (hash ^ hash >> 32) ^ first.time ^ other ^ other >> 32;
	assert_int_equal(sampled_sums_init(&sums, 1), 0);
	assert_non_null(sampled_sums_find(&sums, 7, &first, &is_new));
	assert_non_null(sampled_sums_find(&sums, 7, &second, &is_new));
	assert_true(is_new);
	assert_non_null(sampled_sums_find(&sums, 7, &first, &is_new));
	assert_false(is_new);
	sampled_sums_deinit(&sums);
}

static void intervals_of_counts_hold_the_truth(void **state)
{
	const struct status_sampling sampling = { .interval = 4096 };
	struct estimates *estimates;
	unsigned int hits = 0;

	(void)state;
	assert_int_equal(estimates_init(&estimates, &sampling), 0);
	for (uint64_t run = 0; run < 1000; run++)
		hits += interval_holds_truth(estimates, run);
	print_message("[  count   ] the truth is in %.1f %% of the intervals\n", hits / 10.0);
	assert_in_range(hits, 930, 970);
	estimates_deinit(estimates);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_has_what_the_query_needs),
		cmocka_unit_test(history_and_time_are_refused),
		cmocka_unit_test(the_task_of_an_oom_kill_is_the_victim),
		cmocka_unit_test(frees_of_a_type_are_refused),
		cmocka_unit_test(fields_that_cannot_be_counted),
		cmocka_unit_test(a_weight_is_a_number_of_events),
		cmocka_unit_test(sums_of_mixed_up_objects_stay_apart),
		cmocka_unit_test(intervals_of_counts_hold_the_truth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
