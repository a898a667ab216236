// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A list of a capture: every counter, at any time, in repeated queries, and lost events. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "tests/unit/fake_source.h"
#include "tests/unit/scratch.h"

#define MALLOC ALLOCATOR_MALLOC
#define UMA ALLOCATOR_UMA

/* The common part of all captures here. */
#define TABLES                                          \
	"begin 1ms\n"                                   \
	"cpu 0 node 0\n"                                \
	"cpu 1 node 1\n"                                \
	"cpu 5 node 1\n"                                \
	"has kmalloc-8\n"                               \
	"has kmalloc-96\n"                              \
	"has kmalloc-128\n"                             \
	"cache dentry 0xffff888003c41a00 192 200\n"     \
	"cache maple_node 0xffff888003c41b00 256 256\n" \
	"alias maple_node names_cache,pool_workqueue\n" \
	"slab 1ms dentry 100 120\n"                     \
	"slab 1s dentry 102 130\n"                      \
	"symbol 0xffffffff81000000 alloc_fdtable\n"     \
	"symbol 0xffffffff81000400 free_fdtable\n"      \
	"symbol 0xffffffff81000800 d_alloc\n"           \
	"symbol 0xffffffffc0000000 plant_grow plant\n"

#define EVENTS                                                           \
	"alloc 1100us 0 0xffff888001000000 100/128 alloc_fdtable+0x10\n" \
	"alloc 1200us 0 0xffff888001000080 96/96 alloc_fdtable+0x40\n"   \
	"calloc 1300us 1 0xffff888002000000 dentry d_alloc+0x20\n"       \
	"alloc 1400us 1 0xffff888001000100 5/8 plant_grow+0x8\n"         \
	"free 1500us 1 0xffff888001000000 free_fdtable+0x10\n"           \
	"calloc 1600us 1 0xffff8880020000c0 dentry d_alloc+0x20\n"       \
	"cfree 1700us 0 0xffff888002000000 dentry d_alloc+0x90\n"        \
	"alloc 1800us 0 0 100/128 plant_grow+0x8\n"                      \
	"cfree 1900us 0 0xffff888002009000 dentry d_alloc+0x90\n"        \
	"free 2000us 0 0xffff888001000080 free_fdtable+0x10\n"           \
	"calloc 2100us 1 0xffff888003000000 maple_node d_alloc+0x30\n"   \
	"alloc 2200us 1 0xffff888004000000 3/8 0xffffffff90000000\n"     \
	"end 2s\n"

struct use {
	char *directory;
	struct memstat_capture *capture;
	struct memory_type_list *list;
};

static struct use *use_text(const char *text)
{
	struct use *use = calloc(1, sizeof(*use));

	assert_non_null(use);
	use->directory = scratch_capture(text);
	use->capture = memstat_capture_open(use->directory);
	assert_non_null(use->capture);
	use->list = memstat_mtl_alloc();
	return use;
}

static void use_end(struct use *use)
{
	memstat_capture_close(use->capture);
	memstat_mtl_free(use->list);
	scratch_remove(use->directory);
	free(use);
}

static int set_up_memstat_capture(void **state)
{
	*state = use_text(TABLES EVENTS);
	return 0;
}

static int tear_down_memstat_capture(void **state)
{
	use_end(*state);
	return 0;
}

static const struct memory_type *find_used_type(const struct use *use, int allocator,
						const char *name)
{
	const struct memory_type *type = memstat_mtl_find(use->list, allocator, name);

	if (!type)
		fail_msg("no type %s", name);
	return type;
}

static void expect_walk(const struct use *use, const char *expected)
{
	char *walk = fake_walk(use->list);

	assert_string_equal(walk, expected);
	free(walk);
}

static void test_types(void **state)
{
	struct use *use = *state;
	const struct memory_type *function;

	assert_int_equal(memstat_kvm_all(use->list, use->capture), 0);
	fake_expect(use->list, "alloc_fdtable",
		    "malloc:alloc_fdtable sizemask 6 memalloced 224 memfreed 224 numallocs 2 "
		    "numfrees 2 xdomain 1; 0: memalloced 224 memfreed 96 numallocs 2 numfrees 1 "
		    "sizemask 6; 1: memfreed 128 numfrees 1");
	fake_expect(use->list, "plant_grow [plant]",
		    "malloc:plant_grow [plant] sizemask 1 memalloced 8 numallocs 1 bytes 8 count 1 "
		    "failures 1; 1: memalloced 8 numallocs 1 sizemask 1");
	/* a call site without a symbol */
	fake_expect(use->list, "0xffffffff90000000",
		    "malloc:0xffffffff90000000 sizemask 1 memalloced 8 numallocs 1 bytes 8 count "
		    "1; 1: memalloced 8 numallocs 1 sizemask 1");
	fake_expect(use->list, "dentry",
		    "uma:dentry size 192 rsize 200 memalloced 384 memfreed 192 numallocs 2 "
		    "numfrees 1 bytes 192 count 1 free 28 xdomain 1 kegfree 28; 0: memfreed 192 "
		    "numfrees 1; 1: memalloced 384 numallocs 2");
	fake_expect(use->list, "kmalloc-8",
		    "uma:kmalloc-8 size 8 rsize 8 memalloced 16 numallocs 2 bytes 16 count 2; 1: "
		    "memalloced 16 numallocs 2");
	fake_expect(use->list, "kmalloc-128",
		    "uma:kmalloc-128 size 128 rsize 128 memalloced 128 memfreed 128 numallocs 1 "
		    "numfrees 1 failures 1 xdomain 1; 0: memalloced 128 numallocs 1; 1: memfreed "
		    "128 numfrees 1");
	assert_ptr_equal(find_used_type(use, UMA, "pool_workqueue"),
			 find_used_type(use, UMA, "maple_node"));
	function = find_used_type(use, MALLOC, "alloc_fdtable");
	assert_int_equal(memstat_mtl_cpus(use->list), 6);
	assert_int_equal(memstat_malloc_zone_get_count(), 3);
	assert_int_equal(memstat_malloc_zone_get_size(1), 96);
	assert_true(memstat_malloc_zone_used(function, 2));
	assert_false(memstat_malloc_zone_used(function, 0));

	memstat_mtl_set_base(use->list, 1);
	assert_int_equal(memstat_kvm_uma(use->list, use->capture), 0);
	assert_int_equal(memstat_get_numallocs(find_used_type(use, UMA, "dentry")), 102);
	assert_int_equal(memstat_get_numfrees(find_used_type(use, UMA, "dentry")), 2);
}

static void test_order(void **state)
{
	struct use *use = *state;

	assert_int_equal(memstat_kvm_malloc(use->list, use->capture), 0);
	expect_walk(use, "malloc:0xffffffff90000000 malloc:plant_grow [plant] "
			 "malloc:alloc_fdtable");
	assert_int_equal(memstat_kvm_uma(use->list, use->capture), 0);
	expect_walk(use, "uma:maple_node uma:kmalloc-8 uma:dentry uma:kmalloc-96 uma:kmalloc-128 "
			 "malloc:0xffffffff90000000 malloc:plant_grow [plant] "
			 "malloc:alloc_fdtable");
	memstat_mtl_free(use->list);
	use->list = memstat_mtl_alloc();
	assert_int_equal(memstat_kvm_all(use->list, use->capture), 0);
	expect_walk(use, "uma:maple_node uma:kmalloc-8 uma:dentry uma:kmalloc-96 uma:kmalloc-128 "
			 "malloc:0xffffffff90000000 malloc:plant_grow [plant] "
			 "malloc:alloc_fdtable");
}

/* Time 0 is the begin of the capture; events at the time itself are not included. */
static void test_moments(void **state)
{
	static const struct {
		uint64_t at, time;
		unsigned int fdtable, dentry, kegfree;
	} points[] = {
		{ 0, 1000000, 0, 0, 20 },
		{ 100000, 1100000, 0, 0, 20 },
		{ 100001, 1100001, 1, 0, 20 },
		{ 350000, 1350000, 2, 1, 20 },
		{ 2000000, 3000000, 0, 1, 20 },
		{ 400000, 1400000, 2, 1, 20 },
		{ 998999999, 999999999, 0, 1, 20 },
		{ 999000000, 1000000000, 0, 1, 28 },
		{ 1998999999, 1999999999, 0, 1, 28 },
		{ 1999000000, 2000000000, 0, 1, 28 },
		{ 5000000000, 2000000001, 0, 1, 28 },
		{ UINT64_MAX - 1, 2000000001, 0, 1, 28 },
		{ MEMSTAT_CAPTURE_END, 2000000001, 0, 1, 28 },
		{ 550000, 1550000, 1, 1, 20 },
	};
	struct use *use = *state;
	const struct memory_type *fdtable, *dentry;

	assert_int_equal(memstat_kvm_all(use->list, use->capture), 0);
	assert_int_equal(memstat_mtl_time(use->list), 2000000001);
	fdtable = find_used_type(use, MALLOC, "alloc_fdtable");
	dentry = find_used_type(use, UMA, "dentry");
	for (size_t i = 0; i < sizeof(points) / sizeof(*points); i++) {
		assert_int_equal(memstat_capture_at(use->capture, points[i].at), 0);
		assert_int_equal(memstat_kvm_all(use->list, use->capture), 0);
		assert_int_equal(memstat_mtl_time(use->list), points[i].time);
		assert_int_equal(memstat_mtl_begin(use->list), 1000000);
		assert_int_equal(memstat_get_count(fdtable), points[i].fdtable);
		assert_int_equal(memstat_get_count(dentry), points[i].dentry);
		assert_int_equal(memstat_get_kegfree(dentry), points[i].kegfree);
		/* its name and sizes stay */
		assert_string_equal(memstat_get_name(dentry), "dentry");
		assert_int_equal(memstat_get_size(dentry), 192);
	}
}

/* A new list has the caches of slabinfo, and no other types whose first event is later. */
static void test_types_appear(void **state)
{
	struct use *use = *state;

	memstat_capture_at(use->capture, 0);
	assert_int_equal(memstat_kvm_all(use->list, use->capture), 0);
	expect_walk(use, "uma:dentry");
	assert_int_equal(memstat_get_numallocs(find_used_type(use, UMA, "dentry")), 0);
	memstat_capture_at(use->capture, 250000);
	assert_int_equal(memstat_kvm_all(use->list, use->capture), 0);
	expect_walk(use, "uma:kmalloc-96 uma:kmalloc-128 malloc:alloc_fdtable uma:dentry");
	memstat_capture_at(use->capture, 350000);
	assert_int_equal(memstat_kvm_all(use->list, use->capture), 0);
	expect_walk(use, "uma:kmalloc-96 uma:kmalloc-128 malloc:alloc_fdtable uma:dentry");
}

/* Without an event, a cache is found with its sizes and counters of 0; a base is in both units. */
static void test_caches_without_events(void **state)
{
	struct use *use = use_text(TABLES "slab 1ms idle 40 50 object=24 size=32\n"
					  "slab 1s idle 41 51\n" EVENTS);

	(void)state;
	assert_int_equal(memstat_kvm_uma(use->list, use->capture), 0);
	fake_expect(use->list, "idle", "uma:idle size 24 rsize 32 free 10 kegfree 10");
	memstat_mtl_set_base(use->list, 1);
	assert_int_equal(memstat_kvm_uma(use->list, use->capture), 0);
	fake_expect(use->list, "idle",
		    "uma:idle size 24 rsize 32 memalloced 960 numallocs 40 bytes 960 count 40 free "
		    "10 kegfree 10");
	use_end(use);
}

static void expect_lost(const char *text, uint64_t lost)
{
	struct use *use = use_text(text);

	assert_int_equal(memstat_kvm_all(use->list, use->capture), 0);
	assert_int_equal(memstat_mtl_lost(use->list, ALLOCATOR_ANY), lost);
	use_end(use);
}

static void test_lost(void **state)
{
	(void)state;
	expect_lost(TABLES EVENTS, 0);
	expect_lost(TABLES EVENTS "lose 0 3\n"
				  "free 2300us 0 0 free_fdtable\n",
		    3);
	expect_lost(TABLES EVENTS "lose 1 3\n"
				  "skip 20\n"
				  "raw 2400us 1 200\n",
		    24);
	/* the sum overflows */
	expect_lost(TABLES EVENTS "lose 0 3\n"
				  "free 2300us 0 0 free_fdtable\n"
				  "skip 18446744073709551614\n",
		    MEMSTAT_LOST_UNKNOWN);
	expect_lost(TABLES EVENTS "skip 20\n"
				  "complete repaired\n",
		    20);
}

/* A capture that its writer did not finish has counters, and an error. */
static void test_cut_off(void **state)
{
	struct use *use = use_text(TABLES EVENTS "complete no\n");

	(void)state;
	for (int i = 0; i < 2; i++) {
		errno = 0;
		assert_int_equal(memstat_kvm_all(use->list, use->capture), -1);
		assert_int_equal(errno, EIO);
		assert_int_equal(memstat_mtl_geterror(use->list), MEMSTAT_ERROR_KVM_SHORTREAD);
		assert_string_equal(memstat_mtl_errortext(use->list),
				    memstat_capture_errortext(use->capture));
		assert_non_null(
			strstr(memstat_mtl_errortext(use->list), "its writer did not finish it"));
		assert_int_equal(memstat_mtl_lost(use->list, ALLOCATOR_ANY), MEMSTAT_LOST_UNKNOWN);
		assert_int_equal(memstat_get_numallocs(find_used_type(use, UMA, "dentry")), 2);
		assert_int_equal(memstat_mtl_time(use->list), 2000000001);
	}
	use_end(use);
}

static void put_file(const struct use *use, const struct use *from, const char *name)
{
	char *source = scratch_path(from->directory, name);
	char *target = scratch_path(use->directory, name);
	unsigned char *bytes;
	size_t size;

	bytes = scratch_read(source, &size);
	scratch_write(target, bytes, size);
	free(bytes);
	free(source);
	free(target);
}

/* A capture that is being written is not cut, and the next query sees more. */
static void test_grows(void **state)
{
	struct use *use = use_text(TABLES "alloc 1100us 0 0xffff888001000000 9/16 d_alloc+1\n"
					  "complete no\n");
	struct use *later = use_text(TABLES EVENTS "complete no\n");
	char *metadata = scratch_path(use->directory, "metadata");
	int lock = open(metadata, O_RDONLY);

	(void)state;
	assert_true(lock >= 0);
	assert_int_equal(flock(lock, LOCK_EX), 0);
	errno = 0;
	assert_int_equal(memstat_kvm_all(use->list, use->capture), 0);
	assert_int_equal(errno, 0);
	assert_int_equal(memstat_mtl_lost(use->list, ALLOCATOR_ANY), MEMSTAT_LOST_UNKNOWN);
	assert_int_equal(memstat_get_count(find_used_type(use, MALLOC, "d_alloc")), 1);
	assert_int_equal(memstat_mtl_time(use->list), 1100001);

	put_file(use, later, "cpu0");
	put_file(use, later, "cpu1");
	assert_int_equal(memstat_kvm_all(use->list, use->capture), 0);
	assert_int_equal(memstat_get_numallocs(find_used_type(use, MALLOC, "alloc_fdtable")), 2);
	assert_int_equal(memstat_mtl_time(use->list), 2000000001);
	close(lock);
	assert_int_equal(memstat_kvm_all(use->list, use->capture), -1);
	assert_int_equal(memstat_mtl_geterror(use->list), MEMSTAT_ERROR_KVM_SHORTREAD);
	free(metadata);
	use_end(later);
	use_end(use);
}

/* A handle stays with its capture when the program changes its directory. */
static void test_another_in_its_place(void **state)
{
	struct use *use = *state, *other = use_text(TABLES EVENTS);
	char *path = use->directory, *away;

	assert_true(asprintf(&away, "%s.away", path) > 0);
	assert_int_equal(memstat_kvm_all(use->list, use->capture), 0);
	assert_int_equal(rename(path, away), 0);
	assert_int_equal(memstat_kvm_all(use->list, use->capture), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(memstat_mtl_geterror(use->list), MEMSTAT_ERROR_DATAERROR);
	assert_int_equal(rename(other->directory, path), 0);
	assert_int_equal(memstat_kvm_all(use->list, use->capture), -1);
	assert_int_equal(errno, ESTALE);
	assert_non_null(strstr(memstat_mtl_errortext(use->list), "another capture"));
	assert_int_equal(rename(path, other->directory), 0);
	assert_int_equal(rename(away, path), 0);
	assert_int_equal(memstat_kvm_all(use->list, use->capture), 0);
	assert_int_equal(memstat_mtl_geterror(use->list), MEMSTAT_ERROR_DATAERROR);
	free(away);
	use_end(other);
}

static void test_elsewhere(void **state)
{
	struct use *use = *state;
	struct memstat_capture *capture;
	char *before = getcwd(NULL, 0);

	assert_int_equal(chdir(use->directory), 0);
	capture = memstat_capture_open(".");
	assert_non_null(capture);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(memstat_kvm_all(use->list, capture), 0);
	memstat_capture_close(capture);
	assert_int_equal(chdir(before), 0);
	free(before);
}

static void test_without_symbols(void **state)
{
	struct use *use = *state;
	char *symbols = scratch_path(use->directory, "kernel/symbols");

	assert_int_equal(unlink(symbols), 0);
	assert_int_equal(memstat_kvm_malloc(use->list, use->capture), 0);
	assert_int_equal(memstat_get_numallocs(find_used_type(use, MALLOC, "0xffffffff81000010")),
			 1);
	free(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_types, set_up_memstat_capture,
						tear_down_memstat_capture),
		cmocka_unit_test_setup_teardown(test_order, set_up_memstat_capture,
						tear_down_memstat_capture),
		cmocka_unit_test_setup_teardown(test_moments, set_up_memstat_capture,
						tear_down_memstat_capture),
		cmocka_unit_test_setup_teardown(test_types_appear, set_up_memstat_capture,
						tear_down_memstat_capture),
		cmocka_unit_test(test_caches_without_events),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_grows),
		cmocka_unit_test_setup_teardown(test_another_in_its_place, set_up_memstat_capture,
						tear_down_memstat_capture),
		cmocka_unit_test_setup_teardown(test_elsewhere, set_up_memstat_capture,
						tear_down_memstat_capture),
		cmocka_unit_test_setup_teardown(test_without_symbols, set_up_memstat_capture,
						tear_down_memstat_capture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
