// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* /proc/slabinfo and kernel/slabinfo: parsing, writing, and refusing other texts. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "kernel/slabinfo.h"

#define FIRST "slabinfo - version: 2.1\n"
#define SECOND                                                         \
	"# name            <active_objs> <num_objs> <objsize> "        \
	"<objperslab> <pagesperslab> : tunables <limit> <batchcount> " \
	"<sharedfactor> : slabdata <active_slabs> <num_slabs> <sharedavail>\n"
#define REST " : tunables    0    0    0 : slabdata      1      1      0\n"

static void parse_proc(struct slabinfo_snapshot *snapshot, const char *lines)
{
	char *text;

	assert_true(asprintf(&text, FIRST SECOND "%s", lines) > 0);
	assert_int_equal(slabinfo_parse_proc(snapshot, text, 77), 0);
	assert_int_equal(snapshot->time, 77);
	free(text);
}

static void assert_cache(const struct slabinfo_snapshot *snapshot, const char *name,
			 uint64_t active, uint64_t total)
{
	const struct slabinfo_cache *cache = slabinfo_find(snapshot, name);

	if (!cache)
		fail_msg("%s is not in the snapshot", name);
	assert_string_equal(cache->name, name);
	assert_int_equal(cache->active, active);
	assert_int_equal(cache->total, total);
}

static void reads_proc_slabinfo(void **state)
{
	struct slabinfo_snapshot snapshot;

	(void)state;
	parse_proc(&snapshot, "request_sock_subflow_v6      0      0    392   20    2" REST
			      "bio-312                2     12    320   12    1" REST
			      "kmalloc-8k            88     92   8192    4    8" REST
			      "kmalloc-2M             0      1 2097152   1  512" REST);
	assert_int_equal(snapshot.count, 4);
	assert_cache(&snapshot, "bio-312", 2, 12);
	assert_cache(&snapshot, "kmalloc-8k", 88, 92);
	assert_cache(&snapshot, "kmalloc-2M", 0, 1);
	assert_cache(&snapshot, "request_sock_subflow_v6", 0, 0);
	assert_null(slabinfo_find(&snapshot, "bio-31"));
	assert_null(slabinfo_find(&snapshot, ""));
	slabinfo_snapshot_deinit(&snapshot);
	assert_null(slabinfo_find(&snapshot, "bio-312"));
	slabinfo_snapshot_deinit(&snapshot);
}

/* The second line names the columns. SLAB may have further columns, and announces them in the
 * first. */
static void finds_the_columns_by_name(void **state)
{
	struct slabinfo_snapshot snapshot;

	(void)state;
	assert_int_equal(slabinfo_parse_proc(&snapshot,
					     "slabinfo - version: 2.1 (statistics)\n"
					     "# name <num_objs> <new> <active_objs> : what\n"
					     "a 30 1 20 : 5\n"
					     "b 3 1 2\n",
					     5),
			 0);
	assert_int_equal(snapshot.count, 2);
	assert_cache(&snapshot, "a", 20, 30);
	assert_cache(&snapshot, "b", 2, 3);
	slabinfo_snapshot_deinit(&snapshot);
}

/* Names may have spaces, and may be longer than struct cache.name. */
static void names_may_have_spaces(void **state)
{
	char line[700], name[201];
	struct slabinfo_snapshot snapshot;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(line, sizeof(line),
		 "two words 1 2 64 1 1" REST ":t-0001 3 4 64 1 1" REST "%s 5 6 64 1 1" REST, name);
	parse_proc(&snapshot, line);
	assert_int_equal(snapshot.count, 3);
	assert_cache(&snapshot, "two words", 1, 2);
	assert_cache(&snapshot, ":t-0001", 3, 4);
	name[63] = '\0';
	assert_cache(&snapshot, name, 5, 6);
	slabinfo_snapshot_deinit(&snapshot);
}

static void caches_of_one_name_are_added_up(void **state)
{
	struct slabinfo_snapshot snapshot;

	(void)state;
	parse_proc(&snapshot, "b 1 2 64 1 1" REST "a 9 9 9 1 1" REST "b 10 20 64 1 1" REST
			      "c 18446744073709551615 3 8 1 1" REST "c 7 3 8 1 1" REST);
	assert_int_equal(snapshot.count, 3);
	assert_cache(&snapshot, "a", 9, 9);
	assert_cache(&snapshot, "b", 11, 22);
	assert_cache(&snapshot, "c", UINT64_MAX, 6);
	slabinfo_snapshot_deinit(&snapshot);
}

static void refuses_other_formats(void **state)
{
	static const char *const texts[] = {
		"",
		"slabinfo",
		"slabinfo - version: 1.1\nkmem_cache 80 80 244 5 5 1\n",
		"slabinfo - version: 3.0\n" SECOND,
		FIRST,
		"slabinfo - version: 2.1",
		FIRST "# name <active_objs> <num_objs> : no end",
		FIRST "\n",
		FIRST "name <active_objs> <num_objs> : x\n",
		FIRST "# name <num_objs> : <active_objs>\n",
		FIRST "# name <active_objs>\n",
		FIRST "# <active_objs> <num_objs>\n",
		FIRST "# n <active_objs> <num_objs> 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct slabinfo_snapshot snapshot;

		if (slabinfo_parse_proc(&snapshot, texts[i], 1) != -EINVAL)
			fail_msg("\"%s\" was read", texts[i]);
		slabinfo_snapshot_deinit(&snapshot);
	}
}

static void hostile_lines_are_skipped(void **state)
{
	struct slabinfo_snapshot snapshot;
	char many[600] = "";

	(void)state;
	for (int i = 0; i < 80; i++)
		strcat(many, "word ");
	strcat(many, "1 2 3 4 5" REST "cut 1 2 3 4 5 : tunables 0");
	parse_proc(&snapshot,
		   "over 18446744073709551616 1 64 1 1" REST
		   "over 1 99999999999999999999999 64 1 1" REST "minus -1 1 64 1 1" REST
		   "hex 0x10 1 64 1 1" REST "tail 1x 1 64 1 1" REST "\n \n:\n: : : : : : :\n"
		   "few 1 2 3 4" REST "1 2 3 4 5" REST "good 18446744073709551615 0 64 1 1" REST);
	assert_int_equal(snapshot.count, 1);
	assert_cache(&snapshot, "good", UINT64_MAX, 0);
	slabinfo_snapshot_deinit(&snapshot);
	parse_proc(&snapshot, many);
	assert_int_equal(snapshot.count, 0);
	slabinfo_snapshot_deinit(&snapshot);
}

static char *write_moments(const struct slabinfo *slabinfo)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	for (size_t i = 0; i < slabinfo->count; i++)
		assert_int_equal(slabinfo_write(file, &slabinfo->snapshots[i]), 0);
	assert_int_equal(fclose(file), 0);
	return text;
}

static void written_readings_are_parsed(void **state)
{
	static const char text[] = "read 100 150\n"
				   "slab 100 a\\x20b 3 5\n"
				   "slab 100 dentry 10 20 7\n"
				   "slab 2000 a\\x20b 4 5\n"
				   "slab 18446744073709551615 \\x5c\\xff 0 18446744073709551615\n";
	struct slabinfo slabinfo;
	char *again;

	(void)state;
	assert_int_equal(slabinfo_parse(&slabinfo, text), 0);
	assert_int_equal(slabinfo.count, 3);
	assert_cache(&slabinfo.snapshots[0], "a b", 3, 5);
	assert_cache(&slabinfo.snapshots[0], "dentry", 10, 20);
	assert_int_equal(slabinfo.snapshots[0].until, 150);
	assert_int_equal(slabinfo_find(&slabinfo.snapshots[0], "dentry")->held, 7);
	assert_true(slabinfo_find(&slabinfo.snapshots[0], "a b")->held == SLABINFO_UNKNOWN);
	assert_int_equal(slabinfo.snapshots[1].until, 2000);
	assert_cache(&slabinfo.snapshots[1], "a b", 4, 5);
	assert_null(slabinfo_find(&slabinfo.snapshots[1], "dentry"));
	assert_cache(&slabinfo.snapshots[2], "\\\xff", 0, UINT64_MAX);
	again = write_moments(&slabinfo);
	assert_string_equal(again, text);
	free(again);
	slabinfo_deinit(&slabinfo);
	slabinfo_deinit(&slabinfo);
}

/* The sizes of a cache are those of all times, and come before or after its counters. */
static void sizes_are_parsed(void **state)
{
	static const char text[] = "sizes a\\x20b 24 32\n"
				   "slab 100 a\\x20b 3 5\n"
				   "slab 100 dentry 10 20\n"
				   "slab 200 a\\x20b 4 5\n"
				   "sizes dentry 192 200\n"
				   "sizes other 1 2\nsizes dentry 9\nsizes dentry 300 200\n"
				   "sizes dentry 1 4294967296\nsizes\nsizes dentry 7 7";
	struct slabinfo slabinfo;
	char *again;
	size_t size;
	FILE *file;

	(void)state;
	assert_int_equal(slabinfo_parse(&slabinfo, text), 0);
	assert_int_equal(slabinfo.count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(slabinfo_find(&slabinfo.snapshots[i], "a b")->object_size, 24);
		assert_int_equal(slabinfo_find(&slabinfo.snapshots[i], "a b")->size, 32);
	}
	assert_int_equal(slabinfo_find(&slabinfo.snapshots[0], "dentry")->object_size, 192);
	file = open_memstream(&again, &size);
	assert_non_null(file);
	assert_int_equal(slabinfo_write_sizes(file, &slabinfo.snapshots[0]), 0);
	slabinfo.snapshots[0].list[0].object_size = 0;
	assert_int_equal(slabinfo_write_sizes(file, &slabinfo.snapshots[0]), 0);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(again, "sizes a\\x20b 24 32\nsizes dentry 192 200\n"
				   "sizes dentry 192 200\n");
	free(again);
	slabinfo_deinit(&slabinfo);
}

static void finds_the_snapshot_of_a_time(void **state)
{
	struct slabinfo slabinfo;

	(void)state;
	assert_int_equal(slabinfo_parse(&slabinfo, ""), 0);
	assert_int_equal(slabinfo.count, 0);
	assert_null(slabinfo_at(&slabinfo, UINT64_MAX));
	slabinfo_deinit(&slabinfo);
	/* in any order */
	assert_int_equal(slabinfo_parse(&slabinfo, "slab 30 b 1 1\nslab 10 z 1 1\nslab 30 a 1 1\n"
						   "slab 20 b 2 2\n"),
			 0);
	assert_int_equal(slabinfo.count, 3);
	assert_null(slabinfo_at(&slabinfo, 9));
	assert_int_equal(slabinfo_at(&slabinfo, 10)->time, 10);
	assert_int_equal(slabinfo_at(&slabinfo, 29)->time, 20);
	assert_int_equal(slabinfo_at(&slabinfo, 30)->time, 30);
	assert_int_equal(slabinfo_at(&slabinfo, UINT64_MAX)->time, 30);
	assert_cache(slabinfo_at(&slabinfo, 30), "a", 1, 1);
	assert_cache(slabinfo_at(&slabinfo, 30), "b", 1, 1);
	slabinfo_deinit(&slabinfo);
}

static void unknown_and_damaged_lines_are_skipped(void **state)
{
	static const char text[] = "slab 1 good 2 3 more words\n"
				   "what 1 other 2 3\n"
				   "slab 1 over 18446744073709551616 3\n"
				   "slab 18446744073709551616 over 1 3\n"
				   "slab -1 minus 1 3\n"
				   "slab 1 few 2\n"
				   "slab 1 few\n"
				   "slab 1\n"
				   "slab\n"
				   "\n"
				   "read 1\n"
				   "read 2 9\n"
				   "read 1 0\n"
				   "slab 1 twice 2 3\n"
				   "slab 1 twice 20 30\n"
				   "slab 1 cut 2 3";
	struct slabinfo slabinfo;
	char line[1000], name[901];

	(void)state;
	assert_int_equal(slabinfo_parse(&slabinfo, text), 0);
	assert_int_equal(slabinfo.count, 1);
	assert_int_equal(slabinfo.snapshots[0].until, 1);
	assert_int_equal(slabinfo.snapshots[0].count, 2);
	assert_cache(&slabinfo.snapshots[0], "good", 2, 3);
	assert_cache(&slabinfo.snapshots[0], "twice", 22, 33);
	slabinfo_deinit(&slabinfo);

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(line, sizeof(line), "slab 1 %s 2 3\n", name);
	assert_int_equal(slabinfo_parse(&slabinfo, line), 0);
	name[63] = '\0';
	assert_cache(&slabinfo.snapshots[0], name, 2, 3);
	slabinfo_deinit(&slabinfo);
}

/* maple_node, filp and a cache of SLAB as Linux 6.18 would show them, with 2 CPUs and 1 node. */
static void held_objects_follow_from_the_layout(void **state)
{
	static const struct slabinfo_layout maple = { 16, 52, 32 }, filp = { 21, 120, 0 },
					    none = { 0, 7, 0 };

	(void)state;
	/* 2 * (16 + 7 slabs of 16 + 3 sheaves of 32) + 10 sheaves of 32 */
	assert_int_equal(slabinfo_held_max(&maple, 2, 1), 768);
	assert_int_equal(slabinfo_held_max(&filp, 2, 1), 2 * (21 + 12 * 21));
	assert_int_equal(slabinfo_held_max(&filp, 2, 4), 2 * (21 + 12 * 21));
	assert_int_equal(slabinfo_held_max(&none, 2, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_proc_slabinfo),
		cmocka_unit_test(finds_the_columns_by_name),
		cmocka_unit_test(names_may_have_spaces),
		cmocka_unit_test(caches_of_one_name_are_added_up),
		cmocka_unit_test(refuses_other_formats),
		cmocka_unit_test(hostile_lines_are_skipped),
		cmocka_unit_test(written_readings_are_parsed),
		cmocka_unit_test(sizes_are_parsed),
		cmocka_unit_test(finds_the_snapshot_of_a_time),
		cmocka_unit_test(held_objects_follow_from_the_layout),
		cmocka_unit_test(unknown_and_damaged_lines_are_skipped),
	};

	return cmocka_run_group_tests_name("slabinfo", tests, NULL, NULL);
}
