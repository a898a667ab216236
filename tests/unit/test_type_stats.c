// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Type statistics of small traces, whose counters can be computed by hand. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/fail_malloc.h"
#include "tests/unit/scratch.h"
#include "stats/type_stats.h"

struct scene {
	struct capture capture;
	struct analysis analysis;
	struct type_stats type_stats;
	struct type_stats_settings settings;
	struct select select;
	const char
		*symbols; /* kernel/symbols, if the symbols of the text do not suffice; or NULL */
	uint64_t transitions, transitions_per_generation;
};

/* Counts the transitions, and increments the generation. */
static int watch(void *data, const struct analysis *analysis, const struct transition *transition)
{
	struct scene *scene = data;

	(void)analysis;
	(void)transition;
	if (scene->transitions_per_generation &&
	    scene->transitions++ % scene->transitions_per_generation == 0)
		scene->type_stats.generation++;
	return 0;
}

static void open_scene(struct scene *scene, const char *text)
{
	char *directory = scratch_capture(text), *path = scratch_path(directory, "kernel/symbols");

	if (scene->symbols)
		scratch_write(path, scene->symbols, strlen(scene->symbols));
	free(path);
	if (capture_open(&scene->capture, directory))
		fail_msg("%s", scene->capture.errmsg);
	assert_int_equal(type_stats_init(&scene->type_stats, &scene->capture, &scene->settings), 0);
	/* the directory may be removed once the analysis has read the streams */
	{
		const struct analysis_settings settings = {
			.by = GROUP_BY_FUNCTION,
			.select = &scene->select,
			.observers = { { watch, scene },
				       { type_stats_on_transition, &scene->type_stats } },
			.observer_count = 2,
		};

		if (analysis_run(&scene->analysis, &scene->capture, &settings))
			fail_msg("%s", scene->capture.errmsg);
	}
	scratch_remove(directory);
}

static void close_scene(struct scene *scene)
{
	type_stats_deinit(&scene->type_stats);
	analysis_deinit(&scene->analysis);
	capture_close(&scene->capture);
}

static void print_counters(FILE *file, bool is_function, uint64_t numallocs, uint64_t numfrees,
			   uint64_t memalloced, uint64_t memfreed, uint64_t sizemask)
{
	fprintf(file, "%" PRIu64 "-%" PRIu64, numallocs, numfrees);
	if (is_function)
		fprintf(file, " %" PRIu64 "-%" PRIu64 " 0x%" PRIx64, memalloced, memfreed,
			sizemask);
	else
		assert_true(!memalloced && !memfreed && !sizemask);
}

static void print_more(FILE *file, const char *what, uint64_t value)
{
	if (value)
		fprintf(file, " %s %" PRIu64, what, value);
}

/*
 * "name: allocs-frees", for functions with bytes and classes, for caches with "(object/size)", and
 * other counters that are not 0; then the same for each CPU with counters.
 */
static void print_type(FILE *file, const struct type_stats_type *type)
{
	bool is_function = type->kind == TYPE_STATS_FUNCTION;

	fprintf(file, "%s", type->name);
	if (!is_function)
		fprintf(file, "(%" PRIu32 "/%" PRIu32 ")", type->object_size, type->size);
	if (type->aliases)
		fprintf(file, " alias %s", type->aliases);
	fprintf(file, ": ");
	print_counters(file, is_function, type->numallocs, type->numfrees, type->memalloced,
		       type->memfreed, type->sizemask);
	print_more(file, "failed", type->failures);
	print_more(file, "far", type->xdomain);
	print_more(file, "unmatched", type->frees_unmatched);
	print_more(file, "base", type->initial_count);
	print_more(file, "free", type->kegfree);
	for (size_t i = 0; i < type->cpu_count; i++) {
		const struct type_stats_cpu *cpu = &type->cpus[i];

		if (!cpu->numallocs && !cpu->numfrees)
			continue;
		fprintf(file, "; %zu: ", i);
		print_counters(file, is_function, cpu->numallocs, cpu->numfrees, cpu->memalloced,
			       cpu->memfreed, cpu->sizemask);
	}
	fputc('\n', file);
}

static void assert_types(const struct type_stats *type_stats, const char *expected)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	for (size_t i = 0; i < type_stats->count; i++)
		print_type(file, &type_stats->types[i]);
	assert_int_equal(fclose(file), 0);
	if (strcmp(text, expected))
		fail_msg("these types:\n%sand not these:\n%s", text, expected);
	free(text);
}

static void check(const char *text, const char *expected)
{
	struct scene scene = { 0 };

	open_scene(&scene, text);
	assert_types(&scene.type_stats, expected);
	assert_int_equal(scene.type_stats.omitted_events, 0);
	close_scene(&scene);
}

#define CPUS "cpu 0 node 0\ncpu 1 node 1\ncpu 2 node 0\n"
#define SYMBOLS "symbol 0x1000 maker\nsymbol 0x2000 taker\nsymbol 0x3000 end\n"

static void kmalloc_and_caches(void **state)
{
	(void)state;
	/* taker() uses both; objects of a cache do not count for it as a caller of kmalloc() */
	check("begin 5\nend 500\n" CPUS SYMBOLS "cache dentry 0xd000 192 200\n"
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
	check("begin 5\nend 500\ncpu 0 node 0\ncpu 1 node 0\ncpu 3 node 1\n" SYMBOLS
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
	check("begin 5\nend 500\n" SYMBOLS "cache dentry 0xd000 192 200\n"
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
	check("begin 5\nend 500\n" SYMBOLS "alloc 10 0 0x10000 100/128 maker\n"
	      "alloc 20 1 0x10000 50/64 taker\n"
	      "free  30 0 0x10000 maker\n"
	      "lose 0 3\n"
	      "free  40 0 0x10000 maker\n",
	      "kmalloc-128(128/128): 1-1; 0: 1-0\n"
	      "maker: 1-1 128-128 0x20; 0: 1-0 128-0 0x20\n"
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
	check(first, "unnamed-56/64(56/64): 2-2; 0: 1-0; 1: 1-1\n");
	snprintf(both, sizeof(both), "%scfree  40 2 0x10000 0 taker\n", first);
	check(both, "unnamed-56/64(56/64): 2-2 far 1; 0: 1-0; 1: 1-2\n");
}

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
	struct scene scene = {
		.symbols = "00001000 t show\n00002000 t other\n00003000 t show\n00004000 t end\n"
			   "bf000000 t show [a]\nbf000100 t open [a]\nbf000200 t open [a]\n"
			   "bf000300 t end [a]\n"
			   "# since 500\n"
			   "bf001000 t show [a]\nbf001100 t open [a]\nbf001200 t open [a]\n"
			   "bf001300 t end [a]\nbf002000 t show [b]\nbf002100 t end [b]\n",
	};
	uint64_t numallocs = 0;

	(void)state;
	open_scene(&scene, slots);
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
	close_scene(&scene);
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
	check("begin 5\nend 500\n"
	      "cache same   0xd000 100 104\ncache same 0xd100 100 104\n"
	      "cache other  0xd200 100 104\ncache other 0xd300 200 208\ncache other 0xd400 300 "
	      "304\n"
	      "cache untold 0xd500 0 0\ncache untold 0xd600 64 64\ncache untold 0xd700 80 80\n"
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
	      "untold(64/64): 1-0 unmatched 1; 0: 1-0\n"
	      "untold#2(80/80): 1-0; 0: 1-0\n"
	      "kmalloc-64(64/64): 2-0; 0: 2-0\n"
	      "0x1: 1-0 64-0 0x8; 0: 1-0 64-0 0x8\n");
}

/* Anonymous and unknown caches, and frees that name no cache. */
static void caches_of_no_name(void **state)
{
	(void)state;
	check("begin 5\nend 500\n"
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
	struct scene scene = { 0 };
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	assert_non_null(file);
	for (unsigned int i = 0; i < 70; i++)
		fprintf(file, "cache many 0x%x %u %u\ncalloc %u 0 0x%x 0x%x 0x1\n", 0xd000 + i * 16,
			8 + i, 8 + i, 10 + i, 0x10000 + i * 256, 0xd000 + i * 16);
	assert_int_equal(fclose(file), 0);
	open_scene(&scene, text);
	assert_int_equal(scene.type_stats.count, 64);
	assert_string_equal(scene.type_stats.types[63].name, "many#64");
	assert_int_equal(scene.type_stats.omitted_events, 6);
	close_scene(&scene);
	free(text);
}

static void check_classes(const char *text, const char *expected)
{
	struct scene scene = { 0 };
	char found[1000] = "";
	size_t length = 0;

	open_scene(&scene, text);
	for (size_t i = 0; i < scene.type_stats.class_count; i++)
		length += (size_t)snprintf(found + length, sizeof(found) - length, "%s%zu",
					   i ? " " : "", scene.type_stats.class_bytes[i]);
	assert_string_equal(found, expected);
	close_scene(&scene);
}

static void size_classes(void **state)
{
	char text[4000] = "alloc 1 0 0x1000 8/8 0x1\n", *at = text + strlen(text);
	struct scene scene = { 0 };

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
	open_scene(&scene, text);
	assert_int_equal(scene.type_stats.class_count, TYPE_STATS_CLASSES_MAX);
	assert_int_equal(scene.type_stats.class_bytes[63], 512);
	assert_string_equal(scene.type_stats.types[1].name, "0x1");
	assert_int_equal(scene.type_stats.types[1].numallocs, 3);
	assert_true(scene.type_stats.types[1].sizemask == (1 | (uint64_t)1 << 63));
	close_scene(&scene);
}

/* A size between two classes belongs to the larger, as with kernels that add debug data. */
static void sizes_between_classes(void **state)
{
	(void)state;
	check("has kmalloc-64\nhas kmalloc-96\nalloc 1 0 0x1000 60/80 0x1\n"
	      "alloc 2 0 0x2000 90/120 0x1\n",
	      "kmalloc-80(80/80): 1-0; 0: 1-0\n"
	      "0x1: 2-0 200-0 0x2; 0: 2-0 200-0 0x2\n"
	      "kmalloc-120(120/120): 1-0; 0: 1-0\n");
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
	struct scene scene = { .settings.types_max = { 1, 1 } };

	(void)state;
	open_scene(&scene, text);
	assert_types(&scene.type_stats, "kmalloc-8(8/8): 3-0; 0: 3-0\n"
					"maker: 3-1 80-64 0x9 failed 1; 0: 3-0 80-0 0x9\n");
	assert_int_equal(scene.type_stats.omitted_events, 1 + 1 + 2 + 1 + 2 + 1 + 1 + 1);
	close_scene(&scene);

	scene.settings = (struct type_stats_settings){ .types_max = { [TYPE_STATS_CACHE] = 2 } };
	open_scene(&scene, text);
	assert_types(&scene.type_stats, "kmalloc-8(8/8): 3-0; 0: 3-0\n"
					"maker: 3-1 80-64 0x9 failed 1; 0: 3-0 80-0 0x9\n"
					"taker: 2-1 72-64 0x9; 0: 2-1 72-64 0x9\n"
					"kmalloc-64(64/64): 2-2 failed 1; 0: 2-1\n");
	assert_int_equal(scene.type_stats.omitted_events, 2);
	close_scene(&scene);
}

/* Only types that changed since the last increment have the new generation. */
static void generations(void **state)
{
	struct scene scene = { .transitions_per_generation = 2 };
	struct type_stats *type_stats = &scene.type_stats;
	const struct slabinfo_snapshot *snapshots;

	(void)state;
	open_scene(&scene, "begin 5\nend 500\n" SYMBOLS "cache dentry 0xd000 192 200\n"
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
	close_scene(&scene);
}

static const char slabinfo_text[] =
	"begin 5\nend 500\n"
	"cache dentry 0xd000 192 200\ncache filp 0xd100 232 256\n"
	"cache dentry 0xd200 180 184\ncache late 0xd300 8 8\n"
	"slab 1 dentry 100 120\nslab 1 kmalloc-8 50 64\nslab 1 unused 7 9\n"
	"slab 400 dentry 110 110\nslab 400 late 5 4\nslab 400 kmalloc-8 50 90\n"
	"slab 400 filp 1 3\n"
	"calloc 10 0 0x10000 0xd000 0x1\n"
	"calloc 11 0 0x20000 0xd200 0x1\n"
	"alloc  12 0 0x30000 8/8 0x1\n"
	"calloc 13 0 0x40000 0xd100 0x1\n"
	"cfree  14 0 0x90000 0xd300 0x1\n";

static void slabinfo(void **state)
{
	struct scene scene = { 0 };
	struct type_stats *type_stats = &scene.type_stats;
	const struct slabinfo_snapshot *first, *last, empty = { .time = 3 };

	(void)state;
	open_scene(&scene, slabinfo_text);
	first = slabinfo_at(&scene.capture.slabinfo, 5);
	last = slabinfo_at(&scene.capture.slabinfo, 500);
	assert_int_equal(type_stats_slabinfo(type_stats, first, first), 0);
	assert_types(type_stats, "dentry(192/200): 1-0 base 100 free 20; 0: 1-0\n"
				 "dentry#2(180/184): 1-0; 0: 1-0\n"
				 "kmalloc-8(8/8): 1-0 free 14; 0: 1-0\n"
				 "0x1: 1-0 8-0 0x1; 0: 1-0 8-0 0x1\n"
				 "filp(232/256): 1-0; 0: 1-0\n"
				 "late(8/8): 0-0 unmatched 1\n");
	/* initial_count comes from the first snapshot with the cache, kegfree from the last one */
	assert_int_equal(type_stats_slabinfo(type_stats, last, last), 0);
	assert_types(type_stats, "dentry(192/200): 1-0 base 100; 0: 1-0\n"
				 "dentry#2(180/184): 1-0; 0: 1-0\n"
				 "kmalloc-8(8/8): 1-0 free 40; 0: 1-0\n"
				 "0x1: 1-0 8-0 0x1; 0: 1-0 8-0 0x1\n"
				 "filp(232/256): 1-0 base 1 free 2; 0: 1-0\n"
				 "late(8/8): 0-0 unmatched 1 base 5\n");
	assert_int_equal(type_stats_slabinfo(type_stats, NULL, &empty), 0);
	assert_int_equal(type_stats->types[0].initial_count, 100);
	assert_int_equal(type_stats->types[2].kegfree, 0);
	assert_int_equal(type_stats_slabinfo(type_stats, NULL, NULL), 0);
	assert_int_equal(type_stats_slabinfo(type_stats, &empty, NULL), 0);
	assert_int_equal(type_stats->types[4].initial_count, 1);
	close_scene(&scene);
}

/* slabinfo that was given before the first event of a cache applies to it too. */
static void slabinfo_before_types(void **state)
{
	struct analysis_cache caches[] = {
		{ .name = "dentry", .object_size = 192, .size = 192 },
		{ .name = "kmalloc-8", .object_size = 8, .size = 8, .is_kmalloc = true },
	};
	struct analysis analysis = { .caches = caches, .cache_count = 2 };
	struct transition transition = { .outcome = OUTCOME_UNMATCHED, .group = GROUP_NONE };
	struct slabinfo_cache list[] = { { "dentry", 100, 120 }, { "kmalloc-8", 50, 64 } };
	const struct slabinfo_snapshot snapshot = { .list = list, .count = 2 };
	struct capture capture = { 0 };
	struct type_stats type_stats;

	(void)state;
	assert_int_equal(type_stats_init(&type_stats, &capture, NULL), 0);
	assert_int_equal(type_stats_slabinfo(&type_stats, &snapshot, &snapshot), 0);
	for (transition.cache = 0; transition.cache < 2; transition.cache++)
		assert_int_equal(type_stats_on_transition(&type_stats, &analysis, &transition), 0);
	assert_types(&type_stats, "dentry(192/192): 0-0 unmatched 1 base 100 free 20\n"
				  "kmalloc-8(8/8): 0-0 unmatched 1 free 14\n");
	type_stats_deinit(&type_stats);
}

/* Selections: events before a time, and objects of a minimum age. */
static void selections(void **state)
{
	static const char text[] = "begin 5\nend 500\n" SYMBOLS "alloc 10 0 0x10000 8/8 maker\n"
				   "free  20 1 0x10000 taker\n"
				   "alloc 30 0 0x20000 8/8 maker\n"
				   "alloc 40 0 0x30000 8/8 maker\n"
				   "free  45 1 0x30000 taker\n";
	struct scene scene = { .select.before = 25 };

	(void)state;
	open_scene(&scene, text);
	assert_types(&scene.type_stats, "kmalloc-8(8/8): 1-1; 0: 1-0; 1: 0-1\n"
					"maker: 1-1 8-8 0x1; 0: 1-0 8-0 0x1; 1: 0-1 0-8 0x0\n");
	close_scene(&scene);
	scene.select = (struct select){ .older = 10 };
	open_scene(&scene, text);
	assert_types(&scene.type_stats, "kmalloc-8(8/8): 2-1; 0: 2-0; 1: 0-1\n"
					"maker: 2-1 16-8 0x1; 0: 2-0 16-0 0x1; 1: 0-1 0-8 0x0\n");
	close_scene(&scene);
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
		cmocka_unit_test(names_of_functions),
		cmocka_unit_test(names_stay_when_symbols_are_reloaded),
		cmocka_unit_test(caches_of_one_name),
		cmocka_unit_test(caches_of_no_name),
		cmocka_unit_test(caches_of_too_many_sizes),
		cmocka_unit_test(size_classes),
		cmocka_unit_test(sizes_between_classes),
		cmocka_unit_test(counts_events_of_omitted_types),
		cmocka_unit_test(generations),
		cmocka_unit_test(slabinfo),
		cmocka_unit_test(slabinfo_before_types),
		cmocka_unit_test(selections),
		cmocka_unit_test(no_memory_for_a_cpu),
		cmocka_unit_test(no_memory),
	};

	return cmocka_run_group_tests_name("type_stats", tests, NULL, NULL);
}
