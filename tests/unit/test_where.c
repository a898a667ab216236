// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The owners of the memory: the kernel's files become owners that add up, and readings are kept. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "base/text.h"
#include "kernel/where.h"

#define KIB 1024

#define MEMINFO(free)                                                              \
	"MemTotal:       100000 kB\nMemFree:        " free " kB\nBuffers:        " \
	"    1000 kB\nCached:           9000 kB\nSwapCached:         50 kB\n"      \
	"AnonPages:        7000 kB\nShmem:            2000 kB\nSlab:       "       \
	"      5000 kB\nKernelStack:       160 kB\nPageTables:        300 kB\n"    \
	"VmallocUsed:      1000 kB\nPercpu:             64 kB\n"

static const char zoneinfo[] =
	"Node 0, zone   Normal\n  pages free 1\n        managed  65536\n  pagesets\n    cpu: 0\n"
	"              count:    10\n              high:     3572\n  vm stats threshold: 4\n"
	"    cpu: 1\n              count:    15\n  vm stats threshold: 6\n";

static const char slabinfo[] =
	"slabinfo - version: 2.1\n"
	"# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables\n"
	"dentry              1000   1050    192   21    1 : tunables    0    0    0 : slabdata     50     50      0\n"
	"task_struct          290    300   9000    3    8 : tunables    0    0    0 : slabdata    100    100      0\n";

static const char vmallocinfo[] =
	"0x1-0x2   20480 dup_task_struct+0x56/0x4f0 pages=4 vmalloc N0=4\n"
	"0x1-0x2   20480 irq_init_percpu_irqstack+0xed/0x120 pages=4 vmap\n"
	"0x3-0x4 6926336 htab_map_alloc+0x2e4/0x5a0 pages=246 vmalloc vpages N0=246\n";

static uint64_t bytes_of(const struct where_reading *reading, const char *name)
{
	const struct where_owner *owner = where_find(reading, name);

	if (!owner)
		fail_msg("no owner %s", name);
	return owner->bytes;
}

static struct where_texts whole_texts(void)
{
	return (struct where_texts){ .meminfo = MEMINFO("50000"),
				     .meminfo_after = MEMINFO("49000"),
				     .zoneinfo = zoneinfo,
				     .zoneinfo_after = zoneinfo,
				     .slabinfo = slabinfo,
				     .vmallocinfo = vmallocinfo,
				     .vmstat = "nr_zspages 3\n",
				     .vmstat_after = "nr_zspages 5\n",
				     .page_size = 4096 };
}

static void test_owners(void **state)
{
	const struct where_texts texts = whole_texts();
	struct where_reading reading;
	uint64_t error, sum = 0;
	const uint64_t drift = 2 * 12 * 4096; /* the normal threshold of 256 MiB and 2 CPUs */

	(void)state;
	assert_int_equal(where_parse_proc(&reading, &texts, 7), 0);
	assert_int_equal(reading.total, 100000 * KIB);
	assert_int_equal(bytes_of(&reading, "free"), 50000 * KIB);
	assert_int_equal(bytes_of(&reading, "cpu_lists"), 25 * 4096);
	assert_int_equal(bytes_of(&reading, "file_cache"), 7000 * KIB);
	assert_int_equal(bytes_of(&reading, "shared"), 2000 * KIB);
	assert_int_equal(bytes_of(&reading, "slab_caches"), (50 + 800) * 4096);
	assert_int_equal(bytes_of(&reading, "large_kmalloc"), (5000 - 3400) * KIB);
	assert_int_equal(bytes_of(&reading, "stacks"), 160 * KIB);
	assert_int_equal(bytes_of(&reading, "vmalloc"), (1000 - 16) * KIB);
	assert_int_equal(bytes_of(&reading, "compressed"), 3 * 4096);
	assert_null(where_find(&reading, "hugetlb"));
	assert_null(where_find(&reading, "slab"));
	for (size_t i = 0; i < reading.count; i++)
		sum += reading.list[i].bytes;
	assert_int_equal(where_unexplained(&reading, &error), 100000 * KIB - sum);
	/* free changed by 1000 KiB; swap cache and percpu can be counted twice; slab is two
	 * counters */
	assert_int_equal(where_find(&reading, "free")->error, drift + 1000 * KIB);
	assert_int_equal(where_find(&reading, "large_kmalloc")->error, 2 * drift);
	assert_int_equal(error, 1000 * KIB + 2 * 4096 + 50 * KIB + 64 * KIB + 15 * drift);
	where_reading_deinit(&reading);
}

/* Without root, slabinfo and vmallocinfo cannot be read; before Linux 5.3 VmallocUsed is 0. */
static void test_less(void **state)
{
	struct where_texts texts = whole_texts();
	struct where_reading reading;

	(void)state;
	texts.slabinfo = texts.vmallocinfo = NULL;
	assert_int_equal(where_parse_proc(&reading, &texts, 7), 0);
	assert_int_equal(bytes_of(&reading, "slab"), 5000 * KIB);
	assert_null(where_find(&reading, "slab_caches"));
	assert_int_equal(bytes_of(&reading, "vmalloc"), 1000 * KIB);
	/* the stacks may be a part of it */
	assert_int_equal(where_find(&reading, "vmalloc")->error, 24 * 4096 + 160 * KIB);
	where_reading_deinit(&reading);

	texts = whole_texts();
	texts.meminfo = texts.meminfo_after =
		"MemTotal: 100 kB\nMemFree: 9 kB\nVmallocUsed: 0 kB\nKernelStack: 16 kB\n";
	assert_int_equal(where_parse_proc(&reading, &texts, 7), 0);
	assert_int_equal(bytes_of(&reading, "vmalloc"), 246 * 4096 + 4 * 4096 - 16 * KIB);
	where_reading_deinit(&reading);

	texts.meminfo = "nothing\n";
	assert_int_equal(where_parse_proc(&reading, &texts, 7), -EINVAL);
}

static void test_written(void **state)
{
	static const char text[] = "read 5 4096\nowner free 1024 64\nread 6 4096\nread 7 4096\n"
				   "owner later\\x20kind 512 0\nother 1\n";
	struct where where;
	char *written = NULL;
	uint64_t error;
	size_t size;
	FILE *file;

	(void)state;
	assert_int_equal(where_parse(&where, text), 0);
	assert_int_equal(where.count, 2);
	assert_int_equal(where_unexplained(&where.list[0], &error), 3072);
	assert_int_equal(error, 64);
	file = text_open(&written, &size);
	assert_non_null(file);
	assert_int_equal(where_write(file, &where.list[0]), 0);
	assert_int_equal(where_write(file, &where.list[1]), 0);
	assert_int_equal(text_close(file, &written), 0);
	assert_string_equal(written, "read 5 4096\nowner free 1024 64\nread 7 4096\n"
				     "owner later\\x20kind 512 0\n");
	free(written);
	where_deinit(&where);
}

static void test_refused_where(void **state)
{
	static const char *const texts[] = { "owner free 1 1\n",
					     "read 1\n",
					     "read 1 2\nowner free 1\n",
					     "read 1 2\nowner free 1 1\nowner free 1 1\n",
					     "read 1 99999999999999999999\n",
					     "read 1 2\nowner free 999999999999999999 1\n" };
	struct where where;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(where_parse(&where, texts[i]), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_owners),
		cmocka_unit_test(test_less),
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_refused_where),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
