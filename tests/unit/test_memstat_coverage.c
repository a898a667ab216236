// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Missed frees, coverage and unobserved paths in libmemstat, for both sources. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/memstat/memstat.h"
#include "live/stats/stats_file_layout.h"
#include "tests/unit/fixture.h"
#include "tests/unit/hand_type_stats.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

/* The names of a list's or a type's unobserved paths, separated by spaces. */
#define assert_paths(function, of, expected)               \
	do {                                               \
		char names[200] = "";                      \
		for (size_t n = 0; function(of, n); n++) { \
			strcat(names, n ? " " : "");       \
			strcat(names, function(of, n));    \
		}                                          \
		assert_string_equal(names, expected);      \
	} while (0)

#define CAPTURE                                                \
	"begin 1us\n"                                          \
	"path kmalloc observed\n"                              \
	"path kmem_cache_alloc_bulk unobserved no hook\n"      \
	"path krealloc-in-place unobserved no hook\n"          \
	"path kfree_nolock unobserved no tracepoint\n"         \
	"path a_later_one unobserved\n"                        \
	"symbol 0xffffffff81000000 maker\n"                    \
	"cache dentry 0xffff888003c41a00 192 200\n"            \
	"calloc 10us 0 0xffff888002000000 dentry maker+0x20\n" \
	"calloc 20us 0 0xffff888002000000 dentry maker+0x20\n" \
	"cfree 30us 0 0xffff888002000000 dentry maker+0x90\n"  \
	"calloc 40us 0 0xffff888002001000 dentry maker+0x20\n" \
	"cfree 50us 0 0xffff888002001000 dentry maker+0x90\n"  \
	"cfree 55us 0 0xffff888002009000 dentry maker+0x90\n"  \
	"calloc 56us 0 0xffff888002001000 dentry maker+0x20\n" \
	"cfree 57us 0 0xffff888002001000 dentry maker+0x90\n"  \
	"alloc 60us 0 0xffff888001000000 8/8 maker+0x10\n"     \
	"end 100us\n"

/* 4 objects: the free of the first was missed, those of the others were observed. */
static void test_capture(void **state)
{
	char *directory = scratch_capture(CAPTURE);
	struct memstat_capture *opened = memstat_capture_open(directory);
	struct memory_type_list *list = memstat_mtl_alloc();
	const struct memory_type *dentry, *kmalloc, *maker;

	(void)state;
	assert_int_equal(memstat_mtl_knows_paths(list), 0);
	assert_null(memstat_mtl_unobserved(list, 0));
	assert_int_equal(memstat_mtl_missedfrees(list, ALLOCATOR_ANY), 0);
	assert_int_equal(memstat_kvm_all(list, opened), 0);
	dentry = memstat_mtl_find(list, ALLOCATOR_UMA, "dentry");
	kmalloc = memstat_mtl_find(list, ALLOCATOR_UMA, "kmalloc-8");
	maker = memstat_mtl_find(list, ALLOCATOR_MALLOC, "maker");
	assert_int_equal(memstat_get_numfrees(dentry), 4);
	assert_int_equal(memstat_get_missedfrees(dentry), 1);
	assert_true(memstat_get_coverage(dentry) == 75);
	assert_int_equal(memstat_get_missedfrees(maker), 0);
	assert_true(memstat_get_coverage(maker) == 100);
	assert_int_equal(memstat_mtl_missedfrees(list, ALLOCATOR_UMA), 1);
	assert_int_equal(memstat_mtl_missedfrees(list, ALLOCATOR_MALLOC), 0);
	assert_int_equal(memstat_mtl_missedfrees(list, ALLOCATOR_ANY), 1);
	assert_true(memstat_mtl_coverage(list, ALLOCATOR_UMA) == 75);
	assert_true(memstat_mtl_coverage(list, ALLOCATOR_MALLOC) == 100);
	assert_true(memstat_mtl_coverage(list, ALLOCATOR_ANY) == 75);
	assert_int_equal(memstat_mtl_knows_paths(list), 1);
	assert_paths(memstat_mtl_unobserved, list,
		     "kmem_cache_alloc_bulk krealloc-in-place kfree_nolock a_later_one");
	assert_paths(memstat_get_unobserved, dentry,
		     "kmem_cache_alloc_bulk kfree_nolock a_later_one");
	assert_paths(memstat_get_unobserved, kmalloc, "krealloc-in-place kfree_nolock a_later_one");
	assert_paths(memstat_get_unobserved, maker, "krealloc-in-place kfree_nolock a_later_one");
	/* a base changes numfrees, and not the coverage */
	memstat_mtl_set_base(list, 1);
	assert_int_equal(memstat_kvm_uma(list, opened), 0);
	assert_true(memstat_get_coverage(dentry) == 75);
	memstat_mtl_free(list);
	memstat_capture_close(opened);
	scratch_remove(directory);
}

static void capture_without_paths(void **state)
{
	char *directory = scratch_capture("begin 1us\nalloc 60us 0 0xffff888001000000 8/8 0x1\n");
	char *path = scratch_path(directory, "kernel/status"), *at;
	struct memory_type_list *list = memstat_mtl_alloc();
	struct memstat_capture *opened;
	unsigned char *text;
	size_t size;

	(void)state;
	/* lines with unknown keys are skipped */
	text = scratch_read(path, &size);
	while ((at = memmem(text, size, "\nobserved", 9)))
		at[1] = 'x';
	scratch_write(path, text, size);
	opened = memstat_capture_open(directory);
	assert_int_equal(memstat_kvm_all(list, opened), 0);
	assert_int_equal(memstat_mtl_knows_paths(list), 0);
	assert_null(memstat_mtl_unobserved(list, 0));
	assert_null(memstat_get_unobserved(memstat_mtl_first(list), 0));
	free(text);
	free(path);
	memstat_mtl_free(list);
	memstat_capture_close(opened);
	scratch_remove(directory);
}

static struct memory_type_list *make_query(void)
{
	struct memory_type_list *list = memstat_mtl_alloc();

	if (memstat_sysctl_all(list, 0))
		fail_msg("%s", memstat_mtl_errortext(list));
	return list;
}

/* Overwrites a part of the file, as a version that does not know this part would have left it. */
static void clear_part(const char *path, uint64_t offset, size_t bytes)
{
	static const char zero[64];
	int file = open(path, O_WRONLY);

	assert_true(file >= 0);
	assert_int_equal(pwrite(file, zero, bytes, (off_t)offset), bytes);
	close(file);
}

/* The unobserved paths may change; a file of an older version has neither them nor missed frees. */
static void test_published(void **state)
{
	static const char *const texts[] = { "kfree_nolock,kmalloc,kmalloc_nolock,kmem_cache_alloc,"
					     "kmem_cache_free,sheaf-prefill,"
					     "sheaf-return",
					     "", "sheaf-return" };
	static const char *const expected[] = {
		"kfree_nolock kmalloc kmalloc_nolock kmem_cache_alloc "
		"kmem_cache_free sheaf-prefill sheaf-return",
		"", "sheaf-return"
	};
	static const char *const of_cache[] = { "kfree_nolock kmem_cache_alloc kmem_cache_free "
						"sheaf-prefill sheaf-return",
						"", "sheaf-return" };
	char *directory = scratch_directory(), *path = scratch_path(directory, "memstat");
	struct type_stats type_stats;
	struct stats_file_layout layout;
	struct stats_snapshot snapshot = { .time = 1 };
	struct memory_type_list *list = NULL;
	struct stats_file *file;

	(void)state;
	assert_int_equal(setenv("KMEMTRACE_MEMSTAT", path, 1), 0);
	file = hand_stats_file_create(path);
	hand_type_stats_init(&type_stats);
	hand_type_stats_change(&type_stats,
			       hand_type_stats_add(&type_stats, TYPE_STATS_CACHE, "a", 1), 2);
	for (size_t i = 0; i < 3; i++) {
		snapshot.time++;
		snapshot.paths = texts[i];
		stats_file_write(file, &type_stats, &snapshot);
		memstat_mtl_free(list);
		list = make_query();
		assert_int_equal(memstat_mtl_knows_paths(list), 1);
		assert_paths(memstat_mtl_unobserved, list, expected[i]);
		assert_paths(memstat_get_unobserved, memstat_mtl_first(list), of_cache[i]);
	}
	assert_int_equal(memstat_get_numfrees(memstat_mtl_first(list)), 14);
	assert_int_equal(memstat_get_missedfrees(memstat_mtl_first(list)), 4);
	assert_true(memstat_mtl_coverage(list, ALLOCATOR_UMA) == 100 * 10 / 14.0);
	memstat_mtl_free(list);

	stats_file_layout(&layout, 2, 8);
	clear_part(path, offsetof(struct stats_file_head, type_more_bytes), 8);
	clear_part(path, stats_file_slot_at(&layout, 3) + sizeof(struct stats_file_slot),
		   sizeof(struct stats_file_slot_more));
	list = make_query();
	assert_int_equal(memstat_get_numfrees(memstat_mtl_first(list)), 14);
	assert_true(memstat_get_missedfrees(memstat_mtl_first(list)) == MEMSTAT_MISSED_UNKNOWN);
	assert_true(memstat_get_coverage(memstat_mtl_first(list)) == MEMSTAT_COVERAGE_UNKNOWN);
	assert_true(memstat_mtl_missedfrees(list, ALLOCATOR_ANY) == MEMSTAT_MISSED_UNKNOWN);
	assert_true(memstat_mtl_coverage(list, ALLOCATOR_ANY) == MEMSTAT_COVERAGE_UNKNOWN);
	assert_int_equal(memstat_mtl_knows_paths(list), 0);
	memstat_mtl_free(list);
	hand_type_stats_deinit(&type_stats);
	stats_file_remove(file);
	free(path);
	scratch_remove(directory);
}

static void test_null_type(void **state)
{
	(void)state;
	assert_int_equal(memstat_get_missedfrees(NULL), 0);
	assert_true(memstat_get_coverage(NULL) == 0);
	assert_null(memstat_get_unobserved(NULL, 0));
	assert_int_equal(memstat_mtl_missedfrees(NULL, ALLOCATOR_ANY), 0);
	assert_true(memstat_mtl_coverage(NULL, ALLOCATOR_ANY) == 0);
	assert_null(memstat_mtl_unobserved(NULL, 0));
	assert_int_equal(memstat_mtl_knows_paths(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_capture),
		cmocka_unit_test(capture_without_paths),
		cmocka_unit_test(test_published),
		cmocka_unit_test(test_null_type),
	};

	return cmocka_run_group_tests_name("memstat_coverage", tests, NULL, NULL);
}
