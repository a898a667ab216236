// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The text of --metrics: which rows are shown, that sums are right, and that no counter decreases,
 * whatever rows come and go.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/estimate.h"
#include "base/text.h"
#include "live/stats/metrics.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#define FUNCTIONS 12
#define CACHES 3

static const struct metrics_facts facts = {
	.version = "1.0",
	.kernel_release = "6.1",
	.begin = 1.5,
	.update = 2.5,
	.missing = { .recorded = 7, .unobserved = 2 },
	.cpu_seconds = 0.25,
	.resident = 4096,
	.capture = 48,
};

/* Function i has the address 0x1000 * (i + 1); f10 and f11 are in module m. */
struct scene {
	char *folder;
	struct capture capture;
	struct group groups[FUNCTIONS + 1];
	struct analysis_cache caches[CACHES];
	struct analysis analysis;
	struct metrics metrics;
};

static void open_metrics_scene(struct scene *scene, size_t top)
{
	char symbols[4096] = "", *path;
	size_t used = 0;

	memset(scene, 0, sizeof(*scene));
	for (int i = 0; i <= FUNCTIONS; i++) {
		scene->groups[i] = (struct group){ .key = 0x1000 * ((uint64_t)i + 1) };
		used += (size_t)snprintf(symbols + used, sizeof(symbols) - used, "%08x t f%d%s\n",
					 0x1000 * (i + 1), i, i >= 10 ? "\t[m]" : "");
	}
	scene->folder = scratch_directory();
	path = scratch_path(scene->folder, "symbols");
	scratch_write(path, symbols, used);
	assert_int_equal(symbols_load(&scene->capture.symbols, path), 0);
	free(path);
	for (int i = 0; i < CACHES; i++)
		snprintf(scene->caches[i].name, sizeof(scene->caches[i].name), "cache%d", i);
	scene->analysis = (struct analysis){ .groups = scene->groups,
					     .group_count = FUNCTIONS + 1,
					     .caches = scene->caches,
					     .cache_count = CACHES };
	assert_int_equal(metrics_init(&scene->metrics, &scene->capture, top), 0);
}

static void close_metrics_scene(struct scene *scene)
{
	metrics_deinit(&scene->metrics);
	symbols_deinit(&scene->capture.symbols);
	scratch_remove(scene->folder);
}

/* Objects of 10 bytes. */
static void count_small_objects(struct scene *scene, uint32_t group, uint32_t cache,
				uint32_t allocations, uint32_t frees)
{
	const struct tally tally = { .group = group, .cache = cache };
	const struct tally_count counts = { .allocations = allocations,
					    .frees = frees,
					    .allocated = 10 * (uint64_t)allocations,
					    .freed = 10 * (uint64_t)frees };

	assert_int_equal(metrics_add_tally(&scene->metrics, &scene->analysis, &tally, &counts), 0);
}

static char *choose_and_write(struct scene *scene, const struct metrics_facts *with)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	assert_int_equal(metrics_choose(&scene->metrics, &scene->analysis), 0);
	assert_int_equal(metrics_write(&scene->metrics, &scene->analysis, with, file), 0);
	assert_int_equal(text_close(file, &text), 0);
	return text;
}

/* The value of a series; -1: it is not in the text. */
static int64_t value_of(const char *text, const char *series)
{
	size_t length = strlen(series);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, series, length) && line[length] == ' ')
			return (int64_t)strtoull(line + length, NULL, 10);
	}
	return -1;
}

static void assert_value(const char *text, const char *series, int64_t value)
{
	if (value_of(text, series) != value)
		fail_msg("%s is %" PRId64 ", not %" PRId64, series, value_of(text, series), value);
}

/* The lines of one metric, without its comments. */
static void assert_rows(const char *text, const char *metric, const char *expected)
{
	char rows[4096] = "";
	size_t length = strlen(metric);

	for (const char *line = text; *line; line = strchr(line, '\n') + 1)
		if (!strncmp(line, metric, length) && line[length] == '{')
			strncat(rows, line + length,
				(size_t)(strchr(line, '\n') - line) - length + 1);
	assert_string_equal(rows, expected);
}

static void values_of_labels_are_escaped(void **state)
{
	char text[100] = "";
	FILE *file = fmemopen(text, sizeof(text), "w");

	(void)state;
	assert_non_null(file);
	metrics_write_label(file, "a b{}=,\"c\"\\d\n\t\x7f\xc3\xa4");
	fclose(file);
	assert_string_equal(text, "a b{}=,\\\"c\\\"\\\\d\\\\x0a\\\\x09\\\\x7f\\\\xc3\\\\xa4");
}

static void each_row_has_its_counts(void **state)
{
	struct scene scene;
	char *text;

	(void)state;
	open_metrics_scene(&scene, 50);
	count_small_objects(&scene, 0, 0, 5, 2);
	count_small_objects(&scene, 0, 1, 1, 0);
	count_small_objects(&scene, 10, 1, 4, 4);
	text = choose_and_write(&scene, &facts);
	assert_rows(text, "kmemtrace_function_live_bytes",
		    "{function=\"f0\",module=\"kernel\"} 40\n"
		    "{function=\"f10\",module=\"m\"} 0\n"
		    "{function=\"(other)\",module=\"(other)\"} 0\n");
	assert_rows(text, "kmemtrace_function_allocated_objects_total",
		    "{function=\"f0\",module=\"kernel\"} 6\n"
		    "{function=\"f10\",module=\"m\"} 4\n"
		    "{function=\"(other)\",module=\"(other)\"} 0\n");
	assert_rows(text, "kmemtrace_cache_live_objects",
		    "{cache=\"cache0\"} 3\n{cache=\"cache1\"} 1\n{cache=\"(other)\"} 0\n");
	assert_rows(text, "kmemtrace_cache_freed_bytes_total",
		    "{cache=\"cache0\"} 20\n{cache=\"cache1\"} 40\n{cache=\"(other)\"} 0\n");
	assert_value(text, "kmemtrace_live_bytes", 40);
	assert_value(text, "kmemtrace_live_objects", 4);
	assert_value(text, "kmemtrace_allocated_bytes_total", 100);
	assert_value(text, "kmemtrace_freed_objects_total", 6);
	assert_value(text, "kmemtrace_figures_whole", 1);
	assert_null(strstr(text, "kmemtrace_audit_"));
	assert_value(text, "kmemtrace_figures_estimated", 0);
	assert_value(text, "kmemtrace_build_info{version=\"1.0\",kernel_release=\"6.1\"}", 1);
	assert_non_null(strstr(text, "\n# TYPE kmemtrace_cache_live_bytes gauge\n"));
	assert_non_null(strstr(text, "\n# TYPE kmemtrace_lost_events_total counter\n"));
	assert_null(strstr(text, "live_low_bytes"));
	free(text);
	close_metrics_scene(&scene);
}

static void missing_events_make_figures_incomplete(void **state)
{
	struct metrics_facts some;
	struct scene scene;
	char *text;

	(void)state;
	open_metrics_scene(&scene, 50);
	for (int i = 0; i < 4; i++) {
		some = facts;
		some.missing.lost = i == 0;
		some.missing.skipped = i == 1;
		some.missing.uncounted = i == 2;
		some.missing.names_lost = i == 3;
		text = choose_and_write(&scene, &some);
		assert_value(text, "kmemtrace_figures_whole", 0);
		free(text);
	}
	close_metrics_scene(&scene);
}

/* Rows that were among the first stay, as many as the first are. */
static void rows_stay_when_others_overtake_them(void **state)
{
	static const char metric[] = "kmemtrace_function_allocated_objects_total";
	struct scene scene;
	char *text;

	(void)state;
	open_metrics_scene(&scene, 1);
	count_small_objects(&scene, 0, 0, 10, 0);
	count_small_objects(&scene, 1, 0, 5, 0);
	text = choose_and_write(&scene, &facts);
	assert_rows(text, metric,
		    "{function=\"f0\",module=\"kernel\"} 10\n"
		    "{function=\"(other)\",module=\"(other)\"} 5\n");
	free(text);

	/* f1 is shown from now on: what came before stays with the others */
	count_small_objects(&scene, 1, 0, 10, 0);
	text = choose_and_write(&scene, &facts);
	assert_rows(text, metric,
		    "{function=\"f0\",module=\"kernel\"} 10\n"
		    "{function=\"f1\",module=\"kernel\"} 10\n"
		    "{function=\"(other)\",module=\"(other)\"} 5\n");
	assert_value(text, "kmemtrace_function_live_objects{function=\"f1\",module=\"kernel\"}",
		     15);
	assert_value(text,
		     "kmemtrace_function_live_objects{function=\"(other)\",module=\"(other)\"}", 0);
	free(text);

	/* f2 replaces f0, which has the least */
	count_small_objects(&scene, 2, 0, 100, 0);
	count_small_objects(&scene, 0, 0, 3, 0);
	text = choose_and_write(&scene, &facts);
	assert_rows(text, metric,
		    "{function=\"f1\",module=\"kernel\"} 10\n"
		    "{function=\"f2\",module=\"kernel\"} 100\n"
		    "{function=\"(other)\",module=\"(other)\"} 8\n");
	assert_value(text, "kmemtrace_replaced_rows_total{by=\"function\"}", 1);
	free(text);

	/* f0 comes back and goes on where it stopped */
	count_small_objects(&scene, 0, 0, 200, 0);
	text = choose_and_write(&scene, &facts);
	assert_rows(text, metric,
		    "{function=\"f0\",module=\"kernel\"} 210\n"
		    "{function=\"f2\",module=\"kernel\"} 100\n"
		    "{function=\"(other)\",module=\"(other)\"} 8\n");
	assert_value(text, "kmemtrace_allocated_objects_total", 328);
	free(text);
	close_metrics_scene(&scene);
}

static void addresses_are_not_published(void **state)
{
	struct scene scene;
	char *text;

	(void)state;
	open_metrics_scene(&scene, 50);
	/* below all symbols; two of them are one row */
	scene.groups[FUNCTIONS].key = 0x10;
	scene.groups[FUNCTIONS - 1].key = 0x20;
	snprintf(scene.caches[2].name, sizeof(scene.caches[2].name), "0xffff888012345678");
	count_small_objects(&scene, FUNCTIONS, 2, 2, 0);
	count_small_objects(&scene, FUNCTIONS - 1, 2, 3, 0);
	text = choose_and_write(&scene, &facts);
	assert_rows(text, "kmemtrace_function_live_objects",
		    "{function=\"(unknown)\",module=\"(unknown)\"} 5\n"
		    "{function=\"(other)\",module=\"(other)\"} 0\n");
	assert_rows(text, "kmemtrace_cache_live_objects",
		    "{cache=\"(unknown)\"} 5\n{cache=\"(other)\"} 0\n");
	assert_null(strstr(text, "0x"));
	free(text);
	close_metrics_scene(&scene);
}

static void names_without_room_count_with_the_others(void **state)
{
	const size_t many = METRICS_ROWS_MAX + 10;
	struct scene scene;
	char *text;

	(void)state;
	open_metrics_scene(&scene, METRICS_ROWS_MAX);
	scene.analysis.caches = calloc(many, sizeof(*scene.analysis.caches));
	assert_non_null(scene.analysis.caches);
	scene.analysis.cache_count = many;
	for (size_t i = 0; i < many; i++) {
		struct analysis_cache *cache = &scene.analysis.caches[i];

		snprintf(cache->name, sizeof(cache->name), "many%zu", i);
		count_small_objects(&scene, 0, (uint32_t)i, 1, 0);
	}
	text = choose_and_write(&scene, &facts);
	assert_value(text, "kmemtrace_cache_live_objects{cache=\"many0\"}", 1);
	assert_value(text, "kmemtrace_cache_live_objects{cache=\"(other)\"}", 10);
	assert_value(text, "kmemtrace_cache_allocated_objects_total{cache=\"(other)\"}", 10);
	free(text);
	free(scene.analysis.caches);
	close_metrics_scene(&scene);
}

/* The values of one series in the texts so far. */
struct series {
	char name[200];
	uint64_t last;
};

struct history {
	struct series list[100];
	size_t count;
};

static struct series *series_of(struct history *history, const char *line, size_t length)
{
	for (size_t i = 0; i < history->count; i++)
		if (strlen(history->list[i].name) == length &&
		    !strncmp(history->list[i].name, line, length))
			return &history->list[i];
	assert_true(history->count < 100 && length < sizeof(history->list[0].name));
	memcpy(history->list[history->count].name, line, length);
	return &history->list[history->count++];
}

/* Checks one metric of functions in a text; returns the sum of the increases of its rows. */
static uint64_t check_increases(struct history *history, const char *text, const char *metric,
				size_t rows_max)
{
	uint64_t sum = 0;
	size_t rows = 0;

	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		size_t length = strcspn(line, " \n");
		uint64_t value = strtoull(line + length, NULL, 10);
		struct series *series;

		if (strncmp(line, metric, strlen(metric)) != 0)
			continue;
		series = series_of(history, line, length);
		if (value < series->last)
			fail_msg("%s went from %" PRIu64 " to %" PRIu64, series->name, series->last,
				 value);
		sum += value - series->last;
		series->last = value;
		rows++;
	}
	assert_true(rows <= rows_max);
	return sum;
}

/* The live numbers of all rows are the total; so are the increases of their counters. */
static void no_counter_decreases(void **state)
{
	static const char counter[] = "kmemtrace_function_allocated_bytes_total{";
	uint64_t seed = scratch_setting("KMEMTRACE_SEED", 1), total = 0, live[FUNCTIONS] = { 0 };
	struct history counters = { 0 };
	struct scene scene;

	(void)state;
	open_metrics_scene(&scene, 2);
	for (int round = 0; round < 500; round++) {
		uint64_t live_sum = 0;
		struct history now = { 0 };
		char *text;

		for (int i = 0; i < 20; i++) {
			uint32_t group, allocations, frees;

			seed = seed * 6364136223846793005 + 1442695040888963407;
			group = (uint32_t)(seed >> 33) % FUNCTIONS;
			allocations = (uint32_t)(seed >> 40) % 100;
			frees = (uint32_t)((seed >> 20) % (live[group] + allocations + 1));
			count_small_objects(&scene, group, group % CACHES, allocations, frees);
			live[group] += allocations;
			live[group] -= frees;
			total += 10 * (uint64_t)allocations;
		}
		for (int i = 0; i < FUNCTIONS; i++)
			live_sum += live[i];
		text = choose_and_write(&scene, &facts);
		total -= check_increases(&counters, text, counter, 5);
		assert_int_equal(total, 0);
		assert_int_equal(check_increases(&now, text, "kmemtrace_function_live_objects{", 5),
				 live_sum);
		assert_value(text, "kmemtrace_live_objects", (int64_t)live_sum);
		free(text);
	}
	assert_true(scene.metrics.tables[METRICS_FUNCTION].replaced > 0);
	close_metrics_scene(&scene);
}

static void estimates_have_intervals(void **state)
{
	const struct status_sampling sampling = { .interval = 1000, .interval_most = 1000 };
	struct slab_object object = { .allocated = 100, .address = 0x1000, .time = 5 };
	const struct event event = { 0 };
	struct transition transition = { .outcome = OUTCOME_ALLOCATED,
					 .object = &object,
					 .event = &event };
	struct estimate_range range;
	struct object_weight weight;
	struct scene scene;
	char *text;

	(void)state;
	open_metrics_scene(&scene, 1);
	assert_int_equal(estimates_init(&scene.analysis.estimates, &sampling), 0);
	assert_int_equal(metrics_on_transition(&scene.metrics, &scene.analysis, &transition), 0);
	assert_int_equal(estimates_add(&scene.analysis, &object), 0);
	weight = estimate_object(scene.analysis.estimates, &object);
	assert_true(weight.objects > 1);
	range = estimate_range_bytes(scene.analysis.estimates, weight.allocated,
				     scene.analysis.estimates->total.live, ESTIMATE_LIVE);
	text = choose_and_write(&scene, &facts);
	assert_value(text, "kmemtrace_figures_estimated", 1);
	assert_value(text, "kmemtrace_live_bytes", (int64_t)weight.allocated);
	assert_value(text, "kmemtrace_cache_live_objects{cache=\"cache0\"}",
		     (int64_t)weight.objects);
	assert_value(text, "kmemtrace_live_low_bytes", (int64_t)range.low);
	assert_value(text, "kmemtrace_live_high_bytes", (int64_t)range.high);
	assert_value(text, "kmemtrace_cache_live_low_bytes{cache=\"cache0\"}", (int64_t)range.low);
	assert_value(text, "kmemtrace_function_live_high_bytes{function=\"f0\",module=\"kernel\"}",
		     (int64_t)range.high);
	/* no sample: up to so many bytes may be live */
	assert_value(text, "kmemtrace_cache_live_low_bytes{cache=\"(other)\"}", 0);
	assert_value(text, "kmemtrace_cache_live_high_bytes{cache=\"(other)\"}", 3842);
	free(text);
	transition.outcome = OUTCOME_FREED;
	assert_int_equal(metrics_on_transition(&scene.metrics, &scene.analysis, &transition), 0);
	estimates_end(&scene.analysis, &object);
	text = choose_and_write(&scene, &facts);
	assert_value(text, "kmemtrace_live_bytes", 0);
	assert_value(text, "kmemtrace_freed_bytes_total", (int64_t)weight.allocated);
	free(text);
	estimates_deinit(scene.analysis.estimates);
	close_metrics_scene(&scene);
}

static void other_transitions_are_counted(void **state)
{
	const struct event event = { 0 };
	struct transition transition = { .group = GROUP_NONE, .cache = CACHE_NONE };
	struct slab_object object = { .allocated = 8 };
	struct scene scene;
	char *text;

	(void)state;
	open_metrics_scene(&scene, 50);
	transition.outcome = OUTCOME_FAILED;
	assert_int_equal(metrics_on_transition(&scene.metrics, &scene.analysis, &transition), 0);
	transition.outcome = OUTCOME_UNMATCHED;
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			metrics_on_transition(&scene.metrics, &scene.analysis, &transition), 0);
	/* a missed free is a free */
	transition = (struct transition){ .outcome = OUTCOME_ALLOCATED,
					  .object = &object,
					  .event = &event };
	assert_int_equal(metrics_on_transition(&scene.metrics, &scene.analysis, &transition), 0);
	transition.outcome = OUTCOME_MISSED;
	assert_int_equal(metrics_on_transition(&scene.metrics, &scene.analysis, &transition), 0);
	assert_int_equal(scene.metrics.total.missed, 1);
	transition.outcome = OUTCOME_MISSED_FREE_MATCHED;
	assert_int_equal(metrics_on_transition(&scene.metrics, &scene.analysis, &transition), 0);
	text = choose_and_write(&scene, &facts);
	assert_value(text, "kmemtrace_failed_allocations_total", 1);
	assert_value(text, "kmemtrace_unmatched_frees_total", 2);
	assert_value(text, "kmemtrace_allocated_objects_total", 1);
	assert_value(text, "kmemtrace_freed_objects_total", 1);
	assert_value(text, "kmemtrace_missed_frees", 0);
	assert_value(text, "kmemtrace_live_bytes", 0);
	free(text);
	/* an object of before counts as an allocation, for what is live */
	transition = (struct transition){ .outcome = OUTCOME_INITIAL, .object = &object };
	assert_int_equal(metrics_on_transition(&scene.metrics, &scene.analysis, &transition), 0);
	text = choose_and_write(&scene, &facts);
	assert_value(text, "kmemtrace_allocated_objects_total", 2);
	assert_value(text, "kmemtrace_live_bytes", 8);
	free(text);
	close_metrics_scene(&scene);
}

/* Of two caches b, 3 of 8 objects are given out, in two slabs; of a none; c has no slab. */
static void shows_the_memory_of_slabs(void **state)
{
	struct heap_readings readings;
	struct scene scene;
	char *text;

	(void)state;
	open_metrics_scene(&scene, 1);
	text = choose_and_write(&scene, &facts);
	assert_null(strstr(text, "slab_bytes"));
	free(text);
	assert_int_equal(heap_readings_parse(&readings,
					     "heap 1 2\ncache 0x1000 1024 1024 0 a\n"
					     "cache 0x2000 2048 2048 0 b\ncache 0x3000 8 8 0 c\n"
					     "cache 0x4000 2048 2048 0 b\n"
					     "slab 0 0x10000 4096 4 f\nslab 1 0x20000 8192 4 e\n"
					     "slab 3 0x30000 8192 4 c\nend 3\n"),
			 0);
	assert_int_equal(metrics_take_reading(&scene.metrics, &readings.list[0]), 0);
	assert_int_equal(metrics_take_reading(&scene.metrics, &readings.list[0]), 0);
	heap_readings_deinit(&readings);
	text = choose_and_write(&scene, &facts);
	assert_value(text, "kmemtrace_slab_bytes", 20480);
	assert_value(text, "kmemtrace_slab_spare_bytes", 4096);
	assert_value(text, "kmemtrace_slab_given_bytes", 6144);
	assert_value(text, "kmemtrace_slab_given_objects", 3);
	assert_rows(text, "kmemtrace_cache_slab_bytes",
		    "{cache=\"b\"} 16384\n{cache=\"(other)\"} 4096\n");
	assert_rows(text, "kmemtrace_cache_slab_given_objects",
		    "{cache=\"b\"} 3\n{cache=\"(other)\"} 0\n");
	free(text);
	close_metrics_scene(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_labels_are_escaped),
		cmocka_unit_test(each_row_has_its_counts),
		cmocka_unit_test(missing_events_make_figures_incomplete),
		cmocka_unit_test(rows_stay_when_others_overtake_them),
		cmocka_unit_test(addresses_are_not_published),
		cmocka_unit_test(names_without_room_count_with_the_others),
		cmocka_unit_test(no_counter_decreases),
		cmocka_unit_test(estimates_have_intervals),
		cmocka_unit_test(other_transitions_are_counted),
		cmocka_unit_test(shows_the_memory_of_slabs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
