// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The names of memory types, and the size classes of kmalloc(). */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "tests/unit/scratch.h"
#include "tests/unit/type_stats_scene.h"

static const char slots[] = "begin 5\nend 5000\n"
			    "alloc 10 0 0x10000 8/8 0x1004\n"
			    "alloc 11 0 0x20000 8/8 0x2004\n"
			    "alloc 12 0 0x30000 8/8 0x3004\n"
			    "alloc 13 0 0x40000 8/8 0xbf000010\n"
			    "alloc 14 0 0x50000 8/8 0xbf000110\n"
			    "alloc 15 0 0x60000 8/8 0xbf000210\n"
			    "alloc 16 0 0x70000 8/8 0x99999999\n"
			    "alloc 900 0 0x80000 8/8 0xbf001010\n"
			    "alloc 901 0 0x90000 8/8 0xbf001110\n"
			    "alloc 902 0 0xa0000 8/8 0xbf002010\n"
			    "alloc 903 0 0xb0000 8/8 0x1008\n";

/* Functions of one name; modules; a module that was loaded again at another address. */
static void names_of_functions(void **state)
{
	struct type_stats_scene scene = {
		.symbols = "00001000 t show\n00002000 t other\n00003000 t show\n00004000 t end\n"
			   "bf000000 t show [a]\nbf000100 t open [a]\nbf000200 t open [a]\n"
			   "bf000300 t end [a]\n"
			   "# since 500\n"
			   "bf001000 t show [a]\nbf001100 t open [a]\nbf001200 t open [a]\n"
			   "bf001300 t end [a]\nbf002000 t show [b]\nbf002100 t end [b]\n",
	};
	uint64_t numallocs = 0;

	(void)state;
	type_stats_scene_open(&scene, slots);
	assert_types(&scene.type_stats, "kmalloc-8(8/8): 11-0; 0: 11-0\n"
					"show#1: 2-0 16-0 0x1; 0: 2-0 16-0 0x1\n"
					"other: 1-0 8-0 0x1; 0: 1-0 8-0 0x1\n"
					"show#2: 1-0 8-0 0x1; 0: 1-0 8-0 0x1\n"
					"show [a]: 2-0 16-0 0x1; 0: 2-0 16-0 0x1\n"
					"open#1 [a]: 2-0 16-0 0x1; 0: 2-0 16-0 0x1\n"
					"open#2 [a]: 1-0 8-0 0x1; 0: 1-0 8-0 0x1\n"
					"0x99999999: 1-0 8-0 0x1; 0: 1-0 8-0 0x1\n"
					"show [b]: 1-0 8-0 0x1; 0: 1-0 8-0 0x1\n");
	for (size_t i = 1; i < scene.type_stats.count; i++)
		numallocs += scene.type_stats.types[i].numallocs;
	assert_int_equal(numallocs, 11);
	type_stats_scene_close(&scene);
}

/* A function named by its address keeps that name; later ones have the name of the symbol. */
static void names_stay_when_symbols_are_reloaded(void **state)
{
	static const char kernel[] = "00001000 t a\n00001100 t b\n00001200 t end\n";
	static const char more[] = "00001000 t a\n00001100 t b\n00001200 t end\n# since 20\n"
				   "bf000000 t f [m]\nbf000100 t f [m]\nbf000200 t end [m]\n";
	struct group groups[] = { { .key = 0xbf000000, .first_time = 10 },
				  { .key = 0xbf000000, .first_time = 30 },
				  { .key = 0xbf000100, .first_time = 30 },
				  { .key = 0x1100, .first_time = 30 } };
	struct analysis_cache cache = { .name = "kmalloc-8", .is_kmalloc = true };
	struct analysis analysis = { .groups = groups, .caches = &cache, .cache_count = 1 };
	struct slab_object object = { .allocated = 8 };
	struct transition transition = { .outcome = OUTCOME_ALLOCATED, .object = &object };
	char *folder = scratch_directory(), *path = scratch_path(folder, "symbols");
	struct capture capture = { 0 };
	struct type_stats type_stats;

	(void)state;
	scratch_write(path, kernel, strlen(kernel));
	assert_int_equal(symbols_load(&capture.symbols, path), 0);
	assert_int_equal(type_stats_init(&type_stats, &capture, NULL), 0);
	analysis.group_count = 1;
	assert_int_equal(type_stats_on_transition(&type_stats, &analysis, &transition), 0);
	symbols_deinit(&capture.symbols);
	scratch_write(path, more, strlen(more));
	assert_int_equal(symbols_load(&capture.symbols, path), 0);
	assert_int_equal(type_stats_reload_symbols(&type_stats), 0);
	analysis.group_count = 4;
	for (transition.group = 0; transition.group < 4; transition.group++)
		assert_int_equal(type_stats_on_transition(&type_stats, &analysis, &transition), 0);
	assert_types(&type_stats, "kmalloc-8(0/0): 5-0; 0: 5-0\n"
				  "0xbf000000: 2-0 16-0 0x0; 0: 2-0 16-0 0x0\n"
				  "f#1 [m]: 1-0 8-0 0x0; 0: 1-0 8-0 0x0\n"
				  "f#2 [m]: 1-0 8-0 0x0; 0: 1-0 8-0 0x0\n"
				  "b: 1-0 8-0 0x0; 0: 1-0 8-0 0x0\n");
	type_stats_deinit(&type_stats);
	symbols_deinit(&capture.symbols);
	scratch_remove(folder);
	free(path);
}

static void caches_of_one_name(void **state)
{
	(void)state;
	check_types(
		"begin 5\nend 500\n"
		"cache same   0xd000 100 104\ncache same 0xd100 100 104\n"
		"cache other  0xd200 100 104\ncache other 0xd300 200 208\ncache other 0xd400 300 "
		"304\n"
		"cache missing 0xd500 0 0\ncache missing 0xd600 64 64\ncache missing 0xd700 80 80\n"
		"cache kmalloc-64 0xd800 64 64\n"
		"calloc 10 0 0x10000 0xd000 0x1\n"
		"calloc 11 0 0x20000 0xd100 0x1\n"
		"calloc 12 0 0x30000 0xd300 0x1\n"
		"calloc 13 0 0x40000 0xd200 0x1\n"
		"calloc 14 0 0x50000 0xd400 0x1\n"
		"cfree  15 0 0x51000 0xd500 0x1\n"
		"calloc 16 0 0x60000 0xd600 0x1\n"
		"calloc 17 0 0x70000 0xd700 0x1\n"
		"alloc  18 0 0x80000 64/64 0x1\n"
		"balloc 19 0 0x90000 0xd800 0x1\n"
		"cfree  20 0 0x40000 0xd200 0x1\n",
		"same(100/104): 2-0; 0: 2-0\n"
		"other(200/208): 1-0; 0: 1-0\n"
		"other#2(100/104): 1-1; 0: 1-1\n"
		"other#3(300/304): 1-0; 0: 1-0\n"
		"missing(64/64): 1-0 unmatched 1; 0: 1-0\n"
		"missing#2(80/80): 1-0; 0: 1-0\n"
		"kmalloc-64(64/64): 2-0; 0: 2-0\n"
		"0x1: 1-0 64-0 0x8; 0: 1-0 64-0 0x8\n");
}

/* Anonymous and unknown caches, and frees that name no cache. */
static void caches_of_no_name(void **state)
{
	(void)state;
	check_types("begin 5\nend 500\n"
		    "calloc 10 0 0x10000 0xeeee 0x1\n"
		    "ualloc 11 0 0x20000 60/64 0x1\n"
		    "free   12 0 0x30000 0x1\n"
		    "cfree  13 0 0x40000 0 0x1\n",
		    "0xeeee(0/0): 1-0; 0: 1-0\n"
		    "unnamed-60/64(60/64): 1-0; 0: 1-0\n");
}

/* More sizes of one cache name than in any kernel: further ones are omitted and counted. */
static void caches_of_too_many_sizes(void **state)
{
	struct type_stats_scene scene = { 0 };
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	assert_non_null(file);
	for (unsigned int i = 0; i < 70; i++)
		fprintf(file, "cache many 0x%x %u %u\ncalloc %u 0 0x%x 0x%x 0x1\n", 0xd000 + i * 16,
			8 + i, 8 + i, 10 + i, 0x10000 + i * 256, 0xd000 + i * 16);
	assert_int_equal(fclose(file), 0);
	type_stats_scene_open(&scene, text);
	assert_int_equal(scene.type_stats.count, 64);
	assert_string_equal(scene.type_stats.types[63].name, "many#64");
	assert_int_equal(scene.type_stats.omitted_events, 6);
	type_stats_scene_close(&scene);
	free(text);
}

static void check_classes(const char *text, const char *expected)
{
	struct type_stats_scene scene = { 0 };
	char found[1000] = "";
	size_t length = 0;

	type_stats_scene_open(&scene, text);
	for (size_t i = 0; i < scene.type_stats.class_count; i++)
		length += (size_t)snprintf(found + length, sizeof(found) - length, "%s%zu",
					   i ? " " : "", scene.type_stats.class_bytes[i]);
	assert_string_equal(found, expected);
	type_stats_scene_close(&scene);
}

static void size_classes(void **state)
{
	char text[4000] = "alloc 1 0 0x1000 8/8 0x1\n", *at = text + strlen(text);
	struct type_stats_scene scene = { 0 };

	(void)state;
	check_classes("alloc 1 0 0x1000 8/8 0x1\n",
		      "8 16 32 64 96 128 192 256 512 1024 2048 4096 8192");
	check_classes("has kmalloc-2k\nhas kmalloc-cg-1k\nhas dma-kmalloc-64\nhas kmalloc-rcl-96\n"
		      "has kmalloc-64\nhas kmalloc-rnd-05-16\nhas kmalloc-1M\nhas kmalloc-\n"
		      "has kmalloc-5G\nhas kmalloc-99999999999\nhas kmalloc-4194304k\n"
		      "has kmalloc-0\nhas kmalloc-x\nhas kmalloc-12kk\nhas dentry-24\n"
		      "alloc 1 0 0x1000 8/8 0x1\n",
		      "16 64 96 1024 2048 1048576");
	/* the smallest have bits, larger ones do not */
	for (unsigned int i = 100; i-- > 0;)
		at += sprintf(at, "has kmalloc-%u\n", 8 + 8 * i);
	sprintf(at, "alloc 2 0 0x2000 512/512 0x1\nalloc 3 0 0x3000 520/520 0x1\n");
	type_stats_scene_open(&scene, text);
	assert_int_equal(scene.type_stats.class_count, TYPE_STATS_CLASSES_MAX);
	assert_int_equal(scene.type_stats.class_bytes[63], 512);
	assert_string_equal(scene.type_stats.types[1].name, "0x1");
	assert_int_equal(scene.type_stats.types[1].numallocs, 3);
	assert_true(scene.type_stats.types[1].sizemask == (1 | (uint64_t)1 << 63));
	type_stats_scene_close(&scene);
}

/* A size between two classes belongs to the larger, as with kernels that add debug data. */
static void sizes_between_classes(void **state)
{
	(void)state;
	check_types("has kmalloc-64\nhas kmalloc-96\nalloc 1 0 0x1000 60/80 0x1\n"
		    "alloc 2 0 0x2000 90/120 0x1\n",
		    "kmalloc-80(80/80): 1-0; 0: 1-0\n"
		    "0x1: 2-0 200-0 0x2; 0: 2-0 200-0 0x2\n"
		    "kmalloc-120(120/120): 1-0; 0: 1-0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_functions),
		cmocka_unit_test(names_stay_when_symbols_are_reloaded),
		cmocka_unit_test(caches_of_one_name),
		cmocka_unit_test(caches_of_no_name),
		cmocka_unit_test(caches_of_too_many_sizes),
		cmocka_unit_test(size_classes),
		cmocka_unit_test(sizes_between_classes),
	};

	return cmocka_run_group_tests_name("type_stats names", tests, NULL, NULL);
}
