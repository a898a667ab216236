// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A capture is cut off and damaged at every byte of every file. Reading it never crashes, and does
 * not count records of damaged packets.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "capture/merge.h"
#include "capture/pack/apply.h"
#include "live/stats/type_stats.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#define EVENTS 11
#define STRIDE 9 /* not a multiple of 8: each byte of a field, and each bit */

static int set_up_hostile(void **state)
{
	static const char slabinfo[] = "slab 900000 dentry 70 84\nslab 900000 a\\x20b 1 2\n"
				       "slab 2000000000 dentry 71 84\n";
	static const char memory[] = "statm 12 1000 5 4 3 2 1\ngone 12 9000\nreading 999 1001\n";
	static const char stacks[] = "stack a1 1 0 ffffffff81000010 ffffffff81001020\n"
				     "stack a2 1 12 401000\n";
	static const char cgroups[] = "cgroup 1 0 /\ncgroup 7 0 /a\ncgroup 8 2000 /a/b\n"
				      "member 10 0 7\nmember 10 2500 8\nprocess 11 3 8\ngone 8 9\n";
	static const char heap[] =
		"heap 1 2\ncache 0x4000 192 192 0 dentry\n"
		"slab 0 0x123000 4096 21 0f\nend 1\nheap 3 2000000000\n"
		"cache 0x4000 192 192 0 dentry\nslab 0 0x123000 4096 21 -\nend 1\n";
	static const char tracks[] =
		"read kfence 5\ntrack kfence 2 180 10 20 7 190 dentry f+0x1/0x2\\x20[m] g+0x1/0x2\n";
	static const char allocinfo[] = "read 5\nline -512 3 a.c:12 f m\nread 7\n"
					"inexact 64 1 b.c:13 f\n";
	static const char where[] =
		"read 5 4096\nowner free 1024 64\nread 7 4096\nowner slab 5 0\n";

	*state = scratch_capture_file("sites.trace");
	scratch_put(*state, "kernel/tracks", tracks);
	scratch_put(*state, "kernel/allocinfo", allocinfo);
	scratch_put(*state, "kernel/where", where);
	scratch_put(*state, "kernel/cgroups", cgroups);
	scratch_put(*state, "kernel/stacks", stacks);
	scratch_put(*state, "kernel/slabinfo", slabinfo);
	scratch_put(*state, "kernel/heap", heap);
	scratch_put(*state, "kernel/process_memory", memory);
	return 0;
}

static int setup_packed(void **state)
{
	const char *directory = *state = scratch_capture_file("sites.trace");
	struct capture capture;
	struct convert convert;

	assert_int_equal(capture_open(&capture, directory), 0);
	assert_int_equal(convert_init(&convert, false), 0);
	assert_int_equal(apply_in_place(&convert, &capture), 0);
	assert_int_equal(convert.changed, 3); /* the packets with records */
	convert_deinit(&convert);
	capture_close(&capture);
	return 0;
}

/* The number of records in the capture; -1: the capture is refused, with a message. */
static int read_capture(const char *directory, uint64_t *damaged)
{
	struct type_stats type_stats;
	const struct analysis_settings settings = {
		.lifetimes = true,
		.findings = true,
		.observers = { { type_stats_on_transition, &type_stats } },
		.observer_count = 1,
	};
	struct analysis analysis;
	struct capture capture;
	int recorded = -1;

	if (capture_open(&capture, directory)) {
		assert_true(capture.error.text[0]);
		return -1;
	}
	assert_int_equal(type_stats_init(&type_stats, &capture, NULL), 0);
	assert_int_equal(type_stats_slabinfo(&type_stats, slabinfo_at(&capture.slabinfo, 1000000),
					     slabinfo_at(&capture.slabinfo, UINT64_MAX)),
			 0);
	if (!analysis_run(&analysis, &capture, &settings)) {
		recorded = (int)analysis.loss.recorded;
		*damaged = analysis.damaged_bytes;
		analysis_deinit(&analysis);
	} else {
		assert_true(capture.error.text[0]);
	}
	for (size_t i = 0; i < type_stats.count; i++) {
		assert_true(type_stats.types[i].numfrees <= type_stats.types[i].numallocs);
		assert_true(type_stats.types[i].memfreed <= type_stats.types[i].memalloced);
	}
	type_stats_deinit(&type_stats);
	capture_close(&capture);
	return recorded;
}

static void reads_all_records(void **state)
{
	uint64_t damaged;

	assert_int_equal(read_capture(*state, &damaged), EVENTS);
	assert_int_equal(damaged, 0);
}

/*
 * Cuts the file at every STRIDE-th byte, and flips one bit of it; $KMEMTRACE_STRIDE is the distance
 * of these bytes. After each change it calls check with the number of records that can be read.
 */
static void damage_each_byte(const char *directory, const char *name,
			     void (*check)(int recorded, uint64_t damaged, bool cut))
{
	char *path = scratch_path(directory, name);
	uint64_t stride = scratch_setting("KMEMTRACE_STRIDE", STRIDE), damaged = 0;
	unsigned char *bytes;
	int recorded;
	size_t size;

	assert_int_not_equal(stride, 0);
	bytes = scratch_read(path, &size);
	for (size_t i = 0; i < size; i += stride) {
		unsigned char bit = 1 << (i * 5 + i / 8) % 8;

		scratch_write(path, bytes, i);
		recorded = read_capture(directory, &damaged);
		check(recorded, damaged, true);
		bytes[i] ^= bit;
		scratch_write(path, bytes, size);
		recorded = read_capture(directory, &damaged);
		check(recorded, damaged, false);
		bytes[i] ^= bit;
	}
	scratch_write(path, bytes, size);
	assert_int_equal(read_capture(directory, &damaged), EVENTS);
	free(bytes);
	free(path);
}

/* A damaged packet loses its records only. A packet has at most 5. */
static void check_stream(int recorded, uint64_t damaged, bool cut)
{
	if (cut)
		assert_in_range(recorded, 0, EVENTS);
	else if (recorded == EVENTS)
		assert_int_equal(damaged, 112); /* a packet without records */
	else
		assert_in_range(recorded, EVENTS - 5, EVENTS - 1);
	if (!cut)
		assert_true(damaged >= 112);
}

static void survives_damaged_streams(void **state)
{
	damage_each_byte(*state, "cpu0", check_stream);
	damage_each_byte(*state, "cpu1", check_stream);
}

/* The metadata is refused, or all records are read. */
static void check_metadata(int recorded, uint64_t damaged, bool cut)
{
	(void)cut;
	assert_true(recorded == -1 || recorded == EVENTS);
	assert_true(recorded == -1 || !damaged);
}

static void check_table(int recorded, uint64_t damaged, bool cut)
{
	(void)cut;
	assert_int_equal(recorded, EVENTS);
	assert_int_equal(damaged, 0);
}

static void survives_damaged_metadata(void **state)
{
	damage_each_byte(*state, "metadata", check_metadata);
}

static void survives_damaged_tables(void **state)
{
	damage_each_byte(*state, "kernel/status", check_table);
	damage_each_byte(*state, "kernel/symbols", check_table);
	damage_each_byte(*state, "kernel/caches", check_table);
	damage_each_byte(*state, "kernel/tasks", check_table);
	damage_each_byte(*state, "kernel/topology", check_table);
	damage_each_byte(*state, "kernel/gfp", check_table);
	damage_each_byte(*state, "kernel/slabinfo", check_table);
	damage_each_byte(*state, "kernel/process_memory", check_table);
	damage_each_byte(*state, "kernel/heap", check_table);
	damage_each_byte(*state, "kernel/tracks", check_table);
	damage_each_byte(*state, "kernel/allocinfo", check_table);
	damage_each_byte(*state, "kernel/where", check_table);
	damage_each_byte(*state, "kernel/stacks", check_table);
	damage_each_byte(*state, "kernel/cgroups", check_table);
}

/* Each file is replaced by random bytes, one file after the other. */
static void survives_random_bytes(void **state)
{
	static const char *const names[] = {
		"cpu0",		  "kernel/status",   "kernel/symbols",	"kernel/caches",
		"kernel/tasks",	  "kernel/gfp",	     "kernel/slabinfo", "kernel/process_memory",
		"cpu1",		  "kernel/topology", "metadata",	"kernel/stacks",
		"kernel/cgroups", "kernel/heap",     "kernel/tracks",	"kernel/allocinfo",
		"kernel/where"
	};
	unsigned char bytes[5000];
	uint64_t damaged;

	srand(7);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *path = scratch_path(*state, names[i]);

		for (size_t j = 0; j < sizeof(bytes); j++)
			bytes[j] = (unsigned char)rand();
		scratch_write(path, bytes, sizeof(bytes));
		assert_in_range(read_capture(*state, &damaged) + 1, 0, EVENTS + 1);
		free(path);
	}
	assert_int_equal(read_capture(*state, &damaged), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_all_records, set_up_hostile,
						scratch_tear_down),
		cmocka_unit_test_setup_teardown(survives_damaged_streams, set_up_hostile,
						scratch_tear_down),
		cmocka_unit_test_setup_teardown(reads_all_records, setup_packed, scratch_tear_down),
		cmocka_unit_test_setup_teardown(survives_damaged_streams, setup_packed,
						scratch_tear_down),
		cmocka_unit_test_setup_teardown(survives_damaged_metadata, set_up_hostile,
						scratch_tear_down),
		cmocka_unit_test_setup_teardown(survives_damaged_tables, set_up_hostile,
						scratch_tear_down),
		cmocka_unit_test_setup_teardown(survives_random_bytes, set_up_hostile,
						scratch_tear_down),
	};

	return cmocka_run_group_tests_name("hostile", tests, NULL, NULL);
}
