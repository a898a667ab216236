// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The counters of type statistics of small traces, which can be computed by hand. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "tests/unit/fail_malloc.h"
#include "tests/unit/scratch.h"
#include "tests/unit/type_stats_scene.h"

#define CPUS "cpu 0 node 0\ncpu 1 node 1\ncpu 2 node 0\n"
#define SYMBOLS "symbol 0x1000 maker\nsymbol 0x2000 taker\nsymbol 0x3000 end\n"

static void kmalloc_and_caches(void **state)
{
	(void)state;
	/* taker() uses both; objects of a cache do not count for it as a caller of kmalloc() */
	check_types(
		"begin 5\nend 500\n" CPUS SYMBOLS "cache dentry 0xd000 192 200\n"
		"alias dentry other,more\n"
		"alloc  10 0 0x10000 100/128 maker\n"
		"alloc  20 1 0x20000 60/64   maker+8\n"
		"calloc 30 1 0x30000 dentry  taker\n"
		"alloc  40 2 0x40000 20/32   taker\n"
		"free   50 1 0x10000 taker\n"
		"cfree  60 2 0x30000 dentry taker\n"
		"cfree  70 0 0x90000 dentry taker\n"
		"free   80 0 0x80000 taker\n"
		"free   90 0 0 taker\n"
		"balloc 95 0 0x50000 dentry maker\n"
		"free   96 0 0x50000 maker\n",
		"kmalloc-128(128/128): 1-1 far 1; 0: 1-0; 1: 0-1\n"
		"maker: 2-1 192-128 0x28 far 1; 0: 1-0 128-0 0x20; 1: 1-1 64-128 0x8\n"
		"kmalloc-64(64/64): 1-0; 1: 1-0\n"
		"dentry(192/200) alias other,more: 2-2 far 1 unmatched 1; 0: 1-1; 1: 1-0; 2: 0-1\n"
		"kmalloc-32(32/32): 1-0; 2: 1-0\n"
		"taker: 1-0 32-0 0x4; 2: 1-0 32-0 0x4\n");
}

/* A free counts as on another node only if the nodes of both CPUs are known. */
static void counts_frees_on_another_node(void **state)
{
	(void)state;
	check_types("begin 5\nend 500\ncpu 0 node 0\ncpu 1 node 0\ncpu 3 node 1\n" SYMBOLS
		    "alloc 10 0 0x10000 8/8 maker\n"
		    "alloc 11 0 0x20000 8/8 maker\n"
		    "alloc 12 0 0x30000 8/8 maker\n"
		    "alloc 13 7 0x40000 8/8 maker\n"
		    "alloc 14 2 0x50000 8/8 maker\n"
		    "free  20 1 0x10000 taker\n"
		    "free  21 3 0x20000 taker\n"
		    "free  22 7 0x30000 taker\n"
		    "free  23 0 0x40000 taker\n"
		    "free  24 2 0x50000 taker\n",
		    "kmalloc-8(8/8): 5-5 far 1; 0: 3-1; 1: 0-1; 2: 1-1; 3: 0-1; 7: 1-1\n"
		    "maker: 5-5 40-40 0x1 far 1; 0: 3-1 24-8 0x1; 1: 0-1 0-8 0x0; 2: 1-1 8-8 0x1; "
		    "3: 0-1 0-8 0x0; 7: 1-1 8-8 0x1\n");
}

/* Whole pages have no slab cache and no size class; they count for the function. */
static void counts_large_and_failed_allocations(void **state)
{
	(void)state;
	check_types("begin 5\nend 500\n" SYMBOLS "cache dentry 0xd000 192 200\n"
		    "alloc  10 0 0x10000 9000/12288 maker\n"
		    "alloc  11 0 0x20000 8192/8192  maker\n"
		    "alloc  12 0 0 100/128 maker\n"
		    "alloc  13 0 0 9000/12288 taker\n"
		    "calloc 14 0 0 dentry taker\n"
		    "free   20 0 0x10000 taker\n",
		    "maker: 2-1 20480-12288 0x1000 failed 1; 0: 2-1 20480-12288 0x1000\n"
		    "kmalloc-8k(8192/8192): 1-0; 0: 1-0\n"
		    "kmalloc-128(128/128): 0-0 failed 1\n"
		    "taker: 0-0 0-0 0x0 failed 1\n"
		    "dentry(192/200): 0-0 failed 1\n");
}

/* A free that no event reported counts in total, but for no CPU. */
static void counts_missed_frees(void **state)
{
	(void)state;
	check_types("begin 5\nend 500\n" SYMBOLS "alloc 10 0 0x10000 100/128 maker\n"
		    "alloc 20 1 0x10000 50/64 taker\n"
		    "free  30 0 0x10000 maker\n"
		    "lose 0 3\n"
		    "free  40 0 0x10000 maker\n",
		    "kmalloc-128(128/128): 1-1 missed 1; 0: 1-0\n"
		    "maker: 1-1 128-128 0x20 missed 1; 0: 1-0 128-0 0x20\n"
		    "kmalloc-64(64/64): 1-1; 0: 0-1; 1: 1-0\n"
		    "taker: 1-1 64-64 0x8; 0: 0-1 0-64 0x0; 1: 1-0 64-0 0x8\n");
}

/*
 * Old kernels report some frees with a delay. The free of the first object is reported on CPU 2
 * after it was assumed missed; the free of the second object stays with the CPU of the first event.
 */
static void counts_delayed_frees(void **state)
{
	static const char first[] = "begin 5\nend 500\n" CPUS SYMBOLS
				    "ualloc 10 0 0x10000 56/64 maker\n"
				    "ualloc 20 1 0x10000 56/64 maker\n"
				    "cfree  30 1 0x10000 0 taker\n";
	char both[500];

	(void)state;
	check_types(first, "unnamed-56/64(56/64): 2-2 missed 1; 0: 1-0; 1: 1-1\n");
	snprintf(both, sizeof(both), "%scfree  40 2 0x10000 0 taker\n", first);
	check_types(both, "unnamed-56/64(56/64): 2-2 far 1; 0: 1-0; 1: 1-2\n");
}

/* No counter is wrong by more than omitted_events. */
static void counts_events_of_omitted_types(void **state)
{
	static const char text[] = "begin 5\nend 500\n" SYMBOLS "cache dentry 0xd000 192 200\n"
				   "alloc  10 0 0x10000 8/8 maker\n"
				   "alloc  11 0 0x20000 8/8 taker\n"
				   "alloc  12 0 0x30000 64/64 maker\n"
				   "alloc  13 0 0x40000 64/64 taker\n"
				   "calloc 14 0 0x50000 dentry taker\n"
				   "free   15 0 0x40000 taker\n"
				   "cfree  16 0 0x60000 dentry taker\n"
				   "alloc  17 0 0 64/64 maker\n"
				   "alloc  18 0 0x30000 8/8 maker\n"
				   "free   19 0 0 taker\n";
	struct type_stats_scene scene = { .settings.types_max = { 1, 1 } };

	(void)state;
	type_stats_scene_open(&scene, text);
	assert_types(&scene.type_stats,
		     "kmalloc-8(8/8): 3-0; 0: 3-0\n"
		     "maker: 3-1 80-64 0x9 failed 1 missed 1; 0: 3-0 80-0 0x9\n");
	assert_int_equal(scene.type_stats.omitted_events, 1 + 1 + 2 + 1 + 2 + 1 + 1 + 1);
	type_stats_scene_close(&scene);

	scene.settings = (struct type_stats_settings){ .types_max = { [TYPE_STATS_CACHE] = 2 } };
	type_stats_scene_open(&scene, text);
	assert_types(&scene.type_stats, "kmalloc-8(8/8): 3-0; 0: 3-0\n"
					"maker: 3-1 80-64 0x9 failed 1 missed 1; 0: 3-0 80-0 0x9\n"
					"taker: 2-1 72-64 0x9; 0: 2-1 72-64 0x9\n"
					"kmalloc-64(64/64): 2-2 failed 1 missed 1; 0: 2-1\n");
	assert_int_equal(scene.type_stats.omitted_events, 2);
	type_stats_scene_close(&scene);
}

/* Only types that changed since the last increment have the new generation. */
static void test_generations(void **state)
{
	struct type_stats_scene scene = { .transitions_per_generation = 2 };
	struct type_stats *type_stats = &scene.type_stats;
	const struct slabinfo_snapshot *snapshots;

	(void)state;
	type_stats_scene_open(&scene, "begin 5\nend 500\n" SYMBOLS "cache dentry 0xd000 192 200\n"
				      "slab 2 dentry 3 3\nslab 3 dentry 3 3\nslab 4 dentry 3 5\n"
				      "alloc  10 0 0x10000 8/8 maker\n"
				      "calloc 11 0 0x20000 dentry taker\n"
				      "alloc  12 0 0x30000 8/8 taker\n"
				      "alloc  13 0 0x40000 8/8 taker\n"
				      "free   14 0 0x10000 taker\n"
				      "resize 15 0 0x30000 7 taker\n");
	assert_int_equal(type_stats->generation, 3);
	assert_string_equal(type_stats->types[0].name, "kmalloc-8");
	assert_int_equal(type_stats->types[0].changed, 3);
	assert_string_equal(type_stats->types[1].name, "maker");
	assert_int_equal(type_stats->types[1].changed, 3);
	assert_string_equal(type_stats->types[2].name, "dentry");
	assert_int_equal(type_stats->types[2].changed, 1);
	assert_string_equal(type_stats->types[3].name, "taker");
	assert_int_equal(type_stats->types[3].changed, 2);

	assert_int_equal(scene.capture.slabinfo.count, 3);
	snapshots = scene.capture.slabinfo.snapshots;
	type_stats->generation = 8;
	assert_int_equal(type_stats_slabinfo(type_stats, &snapshots[0], &snapshots[0]), 0);
	assert_int_equal(type_stats->types[2].changed, 8);
	type_stats->generation = 9;
	assert_int_equal(type_stats_slabinfo(type_stats, &snapshots[0], &snapshots[1]), 0);
	assert_int_equal(type_stats->types[2].changed, 8);
	assert_int_equal(type_stats_slabinfo(type_stats, &snapshots[0], &snapshots[2]), 0);
	assert_int_equal(type_stats->types[2].changed, 9);
	assert_int_equal(type_stats->types[3].changed, 2);
	type_stats_scene_close(&scene);
}

static const char slabinfo_text[] =
	"begin 5\nend 500\n"
	"cache dentry 0xd000 192 200\ncache filp 0xd100 232 256\n"
	"cache dentry 0xd200 180 184\ncache late 0xd300 8 8\n"
	"slab 1 dentry 100 120\nslab 1 kmalloc-8 50 64\n"
	"slab 1 unused 7 9 object=24 size=32\n"
	"slab 400 dentry 110 110\nslab 400 late 5 4\nslab 400 kmalloc-8 50 90\n"
	"slab 400 filp 1 3\n"
	"calloc 10 0 0x10000 0xd000 0x1\n"
	"calloc 11 0 0x20000 0xd200 0x1\n"
	"alloc  12 0 0x30000 8/8 0x1\n"
	"calloc 13 0 0x40000 0xd100 0x1\n"
	"cfree  14 0 0x90000 0xd300 0x1\n";

static void test_slabinfo(void **state)
{
	struct type_stats_scene scene = { 0 };
	struct type_stats *type_stats = &scene.type_stats;
	const struct slabinfo_snapshot *first, *last, empty = { .time = 3 };

	(void)state;
	type_stats_scene_open(&scene, slabinfo_text);
	first = slabinfo_at(&scene.capture.slabinfo, 5);
	last = slabinfo_at(&scene.capture.slabinfo, 500);
	assert_int_equal(type_stats_slabinfo(type_stats, first, first), 0);
	assert_types(type_stats, "dentry(192/200): 1-0 base 100 free 20; 0: 1-0\n"
				 "dentry#2(180/184): 1-0; 0: 1-0\n"
				 "kmalloc-8(8/8): 1-0 free 14; 0: 1-0\n"
				 "0x1: 1-0 8-0 0x1; 0: 1-0 8-0 0x1\n"
				 "filp(232/256): 1-0; 0: 1-0\n"
				 "late(8/8): 0-0 unmatched 1\n"
				 "unused(24/32): 0-0 base 7 free 2\n");
	/* initial_count comes from the first snapshot with the cache, kegfree from the last one */
	assert_int_equal(type_stats_slabinfo(type_stats, last, last), 0);
	assert_types(type_stats, "dentry(192/200): 1-0 base 100; 0: 1-0\n"
				 "dentry#2(180/184): 1-0; 0: 1-0\n"
				 "kmalloc-8(8/8): 1-0 free 40; 0: 1-0\n"
				 "0x1: 1-0 8-0 0x1; 0: 1-0 8-0 0x1\n"
				 "filp(232/256): 1-0 base 1 free 2; 0: 1-0\n"
				 "late(8/8): 0-0 unmatched 1 base 5\n"
				 "unused(24/32): 0-0 base 7\n");
	assert_int_equal(type_stats_slabinfo(type_stats, NULL, &empty), 0);
	assert_int_equal(type_stats->types[0].initial_count, 100);
	assert_int_equal(type_stats->types[2].kegfree, 0);
	assert_int_equal(type_stats_slabinfo(type_stats, NULL, NULL), 0);
	assert_int_equal(type_stats_slabinfo(type_stats, &empty, NULL), 0);
	assert_int_equal(type_stats->types[4].initial_count, 1);
	type_stats_scene_close(&scene);
}

/*
 * Every cache of slabinfo is a type before its first event, with its sizes if they are known. Where
 * the kernel has an anonymous cache, no type keeps the objects that it had at the begin.
 */
static void slabinfo_before_types(void **state)
{
	struct analysis_cache caches[] = {
		{ .name = "dentry", .object_size = 192, .size = 192 },
		{ .name = "kmalloc-8", .object_size = 8, .size = 8, .is_kmalloc = true },
		{ .name = "unnamed-4/8", .object_size = 4, .size = 8, .is_anonymous = true },
	};
	struct analysis analysis = { .caches = caches, .cache_count = 3 };
	struct transition transition = { .outcome = OUTCOME_UNMATCHED, .group = GROUP_NONE };
	struct slabinfo_cache list[] = {
		{ .name = "dentry", .active = 100, .total = 120 },
		{ .name = "kmalloc-8", .active = 50, .total = 64, .object_size = 8, .size = 16 },
		{ .name = "unused", .active = 6, .total = 8, .object_size = 24, .size = 32 },
	};
	const struct slabinfo_snapshot snapshot = { .list = list, .count = 3 };
	struct capture capture = { 0 };
	struct type_stats type_stats;

	(void)state;
	assert_int_equal(type_stats_init(&type_stats, &capture, NULL), 0);
	assert_int_equal(type_stats_slabinfo(&type_stats, &snapshot, &snapshot), 0);
	assert_types(&type_stats, "dentry(0/0): 0-0 base 100 free 20\n"
				  "kmalloc-8(8/8): 0-0 free 14\n"
				  "unused(24/32): 0-0 base 6 free 2\n");
	for (transition.cache = 0; transition.cache < 2; transition.cache++)
		assert_int_equal(type_stats_on_transition(&type_stats, &analysis, &transition), 0);
	assert_types(&type_stats, "dentry(192/192): 0-0 unmatched 1 base 100 free 20\n"
				  "kmalloc-8(8/8): 0-0 unmatched 1 free 14\n"
				  "unused(24/32): 0-0 base 6 free 2\n");
	assert_int_equal(type_stats_on_transition(&type_stats, &analysis, &transition), 0);
	assert_types(&type_stats, "dentry(192/192): 0-0 unmatched 1 free 20\n"
				  "kmalloc-8(8/8): 0-0 unmatched 1 free 14\n"
				  "unused(24/32): 0-0 free 2\n"
				  "unnamed-4/8(4/8): 0-0 unmatched 1\n");
	type_stats_deinit(&type_stats);
}

/* Selections: events before a time, and objects of a minimum age. */
static void test_selections(void **state)
{
	static const char text[] = "begin 5\nend 500\n" SYMBOLS "alloc 10 0 0x10000 8/8 maker\n"
				   "free  20 1 0x10000 taker\n"
				   "alloc 30 0 0x20000 8/8 maker\n"
				   "alloc 40 0 0x30000 8/8 maker\n"
				   "free  45 1 0x30000 taker\n";
	struct type_stats_scene scene = { .select.before = 25 };

	(void)state;
	type_stats_scene_open(&scene, text);
	assert_types(&scene.type_stats, "kmalloc-8(8/8): 1-1; 0: 1-0; 1: 0-1\n"
					"maker: 1-1 8-8 0x1; 0: 1-0 8-0 0x1; 1: 0-1 0-8 0x0\n");
	type_stats_scene_close(&scene);
	scene.select = (struct select){ .older = 10 };
	type_stats_scene_open(&scene, text);
	assert_types(&scene.type_stats, "kmalloc-8(8/8): 2-1; 0: 2-0; 1: 0-1\n"
					"maker: 2-1 16-8 0x1; 0: 2-0 16-0 0x1; 1: 0-1 0-8 0x0\n");
	type_stats_scene_close(&scene);
}

/* A transition that has no memory for a CPU fails; earlier ones stay counted. */
static void no_memory_for_a_cpu(void **state)
{
	struct group group = { .key = 0x1 };
	struct analysis_cache cache = { .name = "kmalloc-8", .is_kmalloc = true };
	struct analysis analysis = {
		.groups = &group, .group_count = 1, .caches = &cache, .cache_count = 1
	};
	struct slab_object object = { .allocated = 8 };
	struct transition transition = { .outcome = OUTCOME_ALLOCATED, .object = &object };
	struct capture capture = { 0 };
	struct type_stats type_stats;
	bool failed;

	(void)state;
	assert_int_equal(type_stats_init(&type_stats, &capture, NULL), 0);
	assert_int_equal(type_stats_on_transition(&type_stats, &analysis, &transition), 0);
	object.cpu = 40;
	fail_after(0);
	assert_int_equal(type_stats_on_transition(&type_stats, &analysis, &transition), -ENOMEM);
	fail_never(&failed);
	assert_types(&type_stats,
		     "kmalloc-8(0/0): 1-0; 0: 1-0\n0x1: 1-0 8-0 0x0; 0: 1-0 8-0 0x0\n");
	type_stats_deinit(&type_stats);
}

static void no_memory(void **state)
{
	char *directory = scratch_capture(slabinfo_text);
	struct capture capture;
	size_t calls = 0;
	bool failed = true;

	(void)state;
	assert_int_equal(capture_open(&capture, directory), 0);
	while (failed) {
		struct type_stats type_stats;
		int err;

		fail_once_after(calls++);
		err = type_stats_init(&type_stats, &capture, NULL);
		if (!err)
			err = type_stats_slabinfo(&type_stats, capture.slabinfo.snapshots,
						  capture.slabinfo.snapshots);
		fail_never(&failed);
		assert_int_equal(err, failed ? -ENOMEM : 0);
		type_stats_deinit(&type_stats);
	}
	assert_in_range(calls, 4, 20);
	capture_close(&capture);
	scratch_remove(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kmalloc_and_caches),
		cmocka_unit_test(counts_frees_on_another_node),
		cmocka_unit_test(counts_large_and_failed_allocations),
		cmocka_unit_test(counts_missed_frees),
		cmocka_unit_test(counts_delayed_frees),
		cmocka_unit_test(counts_events_of_omitted_types),
		cmocka_unit_test(test_generations),
		cmocka_unit_test(test_slabinfo),
		cmocka_unit_test(slabinfo_before_types),
		cmocka_unit_test(test_selections),
		cmocka_unit_test(no_memory_for_a_cpu),
		cmocka_unit_test(no_memory),
	};

	return cmocka_run_group_tests_name("type_stats", tests, NULL, NULL);
}
