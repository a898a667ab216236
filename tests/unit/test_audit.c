// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The audit: which live objects the allocator's reading ends, which it leaves, and which objects it
 * knows that have no event.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "tests/unit/online_scene.h"
#include "tests/unit/scratch.h"
#include "analysis/analysis.h"
#include "analysis/heap_findings.h"

/* Objects of 64 bytes in the slab 0x100000, and of 128 in the slab 0x200000. */
#define TEXT                                                                            \
	"begin 100\nend 5000\ncpu 0 node 0\nsymbol 0x1000 f\ntask 7 7 seven\n"          \
	"cache a 0x9000 64 64\ncache b 0xa000 128 128\n"                                \
	"calloc 1000 0 0x100000 a f task=7\ncalloc 1100 0 0x100040 a f task=7\n"        \
	"calloc 1200 0 0x100080 a f task=7\ncalloc 1300 0 0x1000c0 a f task=7\n"        \
	"calloc 1400 0 0x300000 a f task=7\ncalloc 1500 0 0x200000 b f task=7\n"        \
	"cfree 1600 0 0x1000c0 a f task=7\nalloc 1700 0 0x400000 9000/16384 f task=7\n" \
	"cfree 4100 0 0x100080 a f task=7\ncalloc 4200 0 0x100100 a f task=7\n"

#define CACHES "cache 0x9000 64 64 0 a\ncache 0xa000 128 128 0 b\n"
#define FIRST "heap 200 210\n" CACHES "slab 0 0x100000 4096 64 fffefffffffffff\nend 1\n"

/*
 * At the end: of a 0x100040 is free, 0x300000 has no slab any more, 0x100080 is freed while the
 * allocator is read, and 0x100140 and 0x100180 have no event; 0x100300 was there at the begin.
 */
#define LAST                                                                  \
	"heap 4000 4300\n" CACHES "slab 0 0x100000 4096 64 a8fefffffffffff\n" \
	"slab 1 0x200000 4096 32 efffffff\nend 2\n"

struct audited {
	char *directory;
	struct capture capture;
	struct analysis analysis;
};

static void open_audited_with(struct audited *audited, const char *events, const char *heap,
			      const struct analysis_settings *settings)
{
	audited->directory = scratch_capture(events);
	if (heap)
		scratch_put(audited->directory, "kernel/heap", heap);
	assert_int_equal(capture_open(&audited->capture, audited->directory), 0);
	assert_int_equal(analysis_run(&audited->analysis, &audited->capture, settings), 0);
}

static void open_audited(struct audited *audited, const char *heap,
			 const struct analysis_settings *settings)
{
	open_audited_with(audited, TEXT, heap, settings);
}

static void close_audited(struct audited *audited)
{
	analysis_deinit(&audited->analysis);
	capture_close(&audited->capture);
	scratch_remove(audited->directory);
}

static const struct analysis_cache *find_audited_cache(const struct analysis *analysis,
						       const char *name)
{
	for (size_t i = 0; i < analysis->cache_count; i++)
		if (!strcmp(analysis->caches[i].name, name))
			return &analysis->caches[i];
	fail_msg("no cache %s", name);
	return NULL;
}

static bool is_live(const struct analysis *analysis, uint64_t address)
{
	const struct slab_object *object;
	size_t next = 0;

	while ((object = analysis_next_live(analysis, &next)))
		if (object->address == address)
			return true;
	return false;
}

static void ends_what_the_allocator_has_free(void **state)
{
	struct analysis_settings settings = { .threads = 1 };
	const struct analysis_totals *totals;
	const struct analysis_cache *cache;
	struct audited audited;

	(void)state;
	open_audited(&audited, FIRST LAST, &settings);
	totals = &audited.analysis.totals;
	assert_int_equal(audited.analysis.audit.dead, 2);
	assert_int_equal(audited.analysis.audit.dead_bytes, 128);
	assert_int_equal(totals->missed_frees, 2);
	assert_int_equal(totals->live_objects, 4);
	assert_int_equal(totals->live_objects, totals->allocations -
						       (totals->frees - totals->frees_unmatched) -
						       totals->missed_frees);
	assert_true(is_live(&audited.analysis, 0x100000));
	assert_false(is_live(&audited.analysis, 0x100040));
	assert_false(is_live(&audited.analysis, 0x300000));
	assert_true(is_live(&audited.analysis, 0x200000));
	assert_true(is_live(&audited.analysis, 0x400000)); /* whole pages, in no slab */
	assert_true(is_live(&audited.analysis, 0x100100)); /* allocated after the reading began */
	cache = find_audited_cache(&audited.analysis, "a");
	assert_int_equal(cache->missed_frees, 2);
	assert_int_equal(cache->live_objects, 2);
	assert_int_equal(cache->unjudged, 1);
	/* of 0x100000, not of 0x100100: a has unseen allocations */
	assert_int_equal(cache->maybe_others, 1);
	assert_int_equal(find_audited_cache(&audited.analysis, "b")->maybe_others, 0);
	assert_true(audited.analysis.audit.has_unseen);
	assert_int_equal(audited.analysis.audit.unseen, 2);
	assert_int_equal(audited.analysis.audit.unseen_bytes, 128);
	assert_int_equal(audited.analysis.audit.unseen_freed, 0);
	close_audited(&audited);
}

static uint64_t maybe_others(const char *events, const char *first, uint64_t *freed)
{
	struct analysis_settings settings = { .threads = 1 };
	struct audited audited;
	uint64_t others;

	open_audited_with(&audited, events, first, &settings);
	others = find_audited_cache(&audited.analysis, "b")->maybe_others;
	*freed = audited.analysis.audit.unseen_freed;
	close_audited(&audited);
	return others;
}

/* b: 0x200080 was free at the begin, 0x208000 had no slab, 0x200100 was there. */
static void counts_frees_of_unseen_objects(void **state)
{
	const char *first = "heap 200 210\n" CACHES
			    "slab 1 0x200000 4096 32 bfffffff\nend 1\n" LAST;
	uint64_t freed;

	(void)state;
	assert_int_equal(maybe_others(TEXT "cfree 4400 0 0x200080 b f task=7\n", first, &freed), 1);
	assert_int_equal(freed, 1);
	assert_int_equal(maybe_others(TEXT "cfree 4400 0 0x208000 b f task=7\n", first, &freed), 1);
	assert_int_equal(freed, 1);
	/* kfree() frees whole pages, too */
	assert_int_equal(maybe_others(TEXT "free 4400 0 0x208000 f task=7\n", first, &freed), 0);
	assert_int_equal(freed, 0);
	assert_int_equal(maybe_others(TEXT "cfree 4400 0 0x200100 b f task=7\n", first, &freed), 0);
	assert_int_equal(freed, 0);
	/* the slab was of a, when the allocator was read first */
	assert_int_equal(maybe_others(TEXT "cfree 4400 0 0x200080 b f task=7\n",
				      "heap 200 210\n" CACHES
				      "slab 0 0x200000 4096 64 -\nend 1\n" LAST,
				      &freed),
			 1);
	assert_int_equal(freed, 1);
	/* an event was lost: it can be the allocation */
	assert_int_equal(
		maybe_others(TEXT "cfree 4400 0 0x200080 b f task=7\nskip 1\n", first, &freed), 0);
	assert_int_equal(freed, 1);
}

/* Of the objects that are at least 3.9 us old, the reading ends none, and one can be another one.
 */
static void judges_objects_of_an_age(void **state)
{
	struct select select = { 0 };
	struct analysis_settings settings = { .threads = 1, .select = &select };
	const struct analysis_cache *cache;
	struct audited audited;

	(void)state;
	assert_int_equal(select_older(&select, "3900ns"), 0);
	open_audited(&audited, FIRST LAST, &settings);
	cache = find_audited_cache(&audited.analysis, "a");
	assert_int_equal(cache->live_objects, 1);
	assert_int_equal(cache->unjudged, 0);
	assert_int_equal(cache->maybe_others, 1);
	assert_int_equal(audited.analysis.audit.dead, 0);
	assert_int_equal(audited.analysis.audit.allocated, 1);
	close_audited(&audited);
}

static enum certainty certainty_of_double_free(const char *events, const char *heap)
{
	struct analysis_settings settings = { .threads = 1, .findings = true };
	enum certainty certainty = CERTAINTY_LEGAL;
	struct audited audited;

	open_audited_with(&audited, events, heap, &settings);
	for (size_t i = 0; i < heap_findings_count(audited.analysis.findings); i++) {
		const struct heap_finding *found = heap_findings_get(audited.analysis.findings, i);

		if (found->kind == FINDING_DOUBLE_FREE)
			certainty = found->certainty;
	}
	close_audited(&audited);
	return certainty;
}

/* A second free in b. Objects of b were allocated without an event, or they were not. */
static void explains_a_second_free(void **state)
{
	static const char events[] = TEXT "path slow unobserved\ncfree 3000 0 0x200000 b f task=7\n"
					  "cfree 3100 0 0x200000 b f task=7\n";

	(void)state;
	assert_int_equal(certainty_of_double_free(events, NULL), CERTAINTY_POSSIBLE);
	/* 0x200080 and 0x200100 are allocated at the end, without an event */
	assert_int_equal(certainty_of_double_free(events, FIRST
						  "heap 4000 4300\n" CACHES
						  "slab 1 0x200000 4096 32 9fffffff\nend 1\n"),
			 CERTAINTY_EXPLAINED);
	/* only a has such objects */
	assert_int_equal(certainty_of_double_free(events, FIRST
						  "heap 4000 4300\n" CACHES
						  "slab 0 0x100000 4096 64 a8fefffffffffff\n"
						  "slab 1 0x200000 4096 32 ffffffff\nend 2\n"),
			 CERTAINTY_POSSIBLE);
}

static void judges_nothing_of_an_unknown_slab(void **state)
{
	struct analysis_settings settings = { .threads = 1 };
	struct audited audited;

	(void)state;
	open_audited(
		&audited,
		"heap 4000 4300\n" CACHES
		"slab 0 0x100000 4096 64 ?\nslab 0 0x300000 4096 64 -\nslab 1 0x200000 4096 32 -\nend 3\n",
		&settings);
	assert_int_equal(audited.analysis.audit.dead, 0);
	assert_int_equal(audited.analysis.totals.live_objects, 6);
	assert_int_equal(find_audited_cache(&audited.analysis, "a")->unjudged, 3);
	assert_false(audited.analysis.audit.has_unseen);
	close_audited(&audited);
}

/* 0x100000 may be free, and those without an event too; but what is free, is. */
static void judges_less_where_a_list_was_not_read(void **state)
{
	struct analysis_settings settings = { .threads = 1 };
	const struct analysis_cache *cache;
	struct audited audited;

	(void)state;
	open_audited(&audited,
		     FIRST "heap 4000 4300\n" CACHES
			   "unsure 0\nslab 0 0x100000 4096 64 a8fefffffffffff\n"
			   "slab 1 0x200000 4096 32 efffffff\nend 2\n",
		     &settings);
	cache = find_audited_cache(&audited.analysis, "a");
	assert_int_equal(audited.analysis.audit.dead, 2);
	assert_int_equal(cache->live_objects, 2);
	assert_int_equal(cache->unjudged, 2);
	assert_int_equal(cache->maybe_others, 0);
	assert_int_equal(audited.analysis.audit.unseen, 0);
	close_audited(&audited);
}

/* An object that is live at an earlier time may have been freed since, with an event or without. */
static void says_nothing_of_an_earlier_time(void **state)
{
	struct analysis_settings settings = { .threads = 1, .end = 2000 };
	struct audited audited;

	(void)state;
	open_audited(&audited, FIRST LAST, &settings);
	assert_int_equal(audited.analysis.audit.time, 0);
	assert_int_equal(audited.analysis.totals.live_objects, 6);
	close_audited(&audited);
}

/* A piece that was cut from a longer capture can have the reading from after its own end. */
static void ignores_a_reading_after_the_end(void **state)
{
	struct analysis_settings settings = { .threads = 1 };
	struct audited audited;

	(void)state;
	open_audited(&audited, "heap 5100 5200\n" CACHES "end 0\n", &settings);
	assert_int_equal(audited.analysis.totals.live_objects, 6);
	close_audited(&audited);
	open_audited(&audited,
		     "heap 5100 5200\n" CACHES "slab 0 0x100000 4096 64 ffffffffffffffff\nend 1\n",
		     &settings);
	assert_int_equal(audited.analysis.audit.time, 0);
	assert_int_equal(audited.analysis.totals.live_objects, 6);
	close_audited(&audited);
}

static void changes_nothing_without_a_reading(void **state)
{
	struct analysis_settings settings = { .threads = 1 };
	struct audited audited;

	(void)state;
	open_audited(&audited, NULL, &settings);
	assert_int_equal(audited.analysis.audit.time, 0);
	assert_int_equal(audited.analysis.totals.live_objects, 6);
	assert_int_equal(audited.analysis.totals.missed_frees, 0);
	close_audited(&audited);
	open_audited(&audited, "heap 4000 4300\n" CACHES "end 0\n", &settings);
	assert_int_equal(audited.analysis.totals.live_objects, 6);
	close_audited(&audited);
	/* cut off: the slabs that are missing are not known to be gone */
	open_audited(&audited, "heap 4000 4300\n" CACHES "slab 1 0x200000 4096 32 -\n", &settings);
	assert_int_equal(audited.analysis.totals.live_objects, 6);
	close_audited(&audited);
}

static const struct type_stats_type *find_cache_type(const struct online_scene *scene,
						     const char *name)
{
	for (size_t i = 0; i < scene->type_stats.count; i++)
		if (scene->type_stats.types[i].kind == TYPE_STATS_CACHE &&
		    !strcmp(scene->type_stats.types[i].name, name))
			return &scene->type_stats.types[i];
	fail_msg("no cache %s", name);
	return NULL;
}

static void audit_online(struct online_scene *scene, const char *heap)
{
	struct heap_readings readings;

	assert_int_equal(heap_readings_parse(&readings, heap), 0);
	assert_int_equal(readings.count, 1);
	assert_int_equal(online_audit(scene->online, &readings.list[0]), 0);
	heap_readings_deinit(&readings);
}

/* The same objects as at the end of a capture; a later reading ends no object twice. */
static void ends_objects_while_events_come(void **state)
{
	const struct type_stats_type *type;
	struct online_scene scene;

	(void)state;
	online_scene_open_with_tallies(&scene, TEXT, 0);
	online_scene_put_before(&scene, 5000);
	online_scene_report_caches(&scene, 0, 5000);
	online_scene_take(&scene, 4500);
	audit_online(&scene, LAST);
	type = find_cache_type(&scene, "a");
	assert_int_equal(type->numallocs, 6);
	assert_int_equal(type->numfrees, 4);
	assert_int_equal(type->missed_frees, 2);
	type = find_cache_type(&scene, "b");
	assert_int_equal(type->numallocs - type->numfrees, 1);
	assert_int_equal(online_analysis(scene.online)->audit.dead, 2);
	assert_int_equal(online_analysis(scene.online)->audit.time, 4000);
	online_scene_take(&scene, 5000);
	audit_online(&scene,
		     "heap 4600 4700\n" CACHES "slab 0 0x100000 4096 64 efffffffffffffff\nend 1\n");
	type = find_cache_type(&scene, "a");
	assert_int_equal(type->numallocs - type->numfrees, 1);
	assert_int_equal(type->missed_frees, 3);
	type = find_cache_type(&scene, "b"); /* its slab is gone */
	assert_int_equal(type->numallocs - type->numfrees, 0);
	assert_int_equal(online_analysis(scene.online)->audit.dead, 4);
	online_scene_close(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_what_the_allocator_has_free),
		cmocka_unit_test(counts_frees_of_unseen_objects),
		cmocka_unit_test(explains_a_second_free),
		cmocka_unit_test(judges_objects_of_an_age),
		cmocka_unit_test(judges_nothing_of_an_unknown_slab),
		cmocka_unit_test(judges_less_where_a_list_was_not_read),
		cmocka_unit_test(says_nothing_of_an_earlier_time),
		cmocka_unit_test(ignores_a_reading_after_the_end),
		cmocka_unit_test(changes_nothing_without_a_reading),
		cmocka_unit_test(ends_objects_while_events_come),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
