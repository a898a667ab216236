// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Slab caches by address and time, and their aliases. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "kernel/caches.h"

static const char *name_at(const struct caches *caches, uint64_t address, uint64_t time)
{
	const struct cache *cache = caches_find(caches, address, time);

	return cache ? cache->name : "none";
}

static void address_is_reused_by_another_cache(void **state)
{
	struct caches caches;

	(void)state;
	assert_int_equal(caches_parse(&caches, "cache ffff8880000a0000 100 60 64 first\n"
					       "gone ffff8880000a0000 200\n"
					       "later 1 2 3\n"
					       "cache 0xffff8880000a0000 300 120 128 second\n"
					       "cache 1000 0 8 8 low\n"
					       "gone 1000 50\n"
					       "gone 2000 50\n"),
			 0);
	assert_int_equal(caches.count, 3);
	assert_string_equal(name_at(&caches, 0xffff8880000a0000, 0), "first");
	assert_string_equal(name_at(&caches, 0xffff8880000a0000, 200), "first");
	assert_string_equal(name_at(&caches, 0xffff8880000a0000, 201), "second");
	assert_string_equal(name_at(&caches, 0xffff8880000a0000, CACHE_FOREVER), "second");
	assert_string_equal(name_at(&caches, 0x1000, 50), "low");
	assert_string_equal(name_at(&caches, 0x1000, 51), "none");
	assert_string_equal(name_at(&caches, 0x2000, 1), "none");
	assert_int_equal(caches.list[1].object_size, 60);
	assert_int_equal(caches.list[1].size, 64);
	assert_int_equal(caches.list[1].until, 200);
	assert_true(caches.list[2].until == CACHE_FOREVER);
	caches_deinit(&caches);
	assert_null(caches_find(&caches, 0x1000, 0));
}

static void cache_ends_where_another_begins(void **state)
{
	struct caches caches;

	(void)state;
	/* out of order, the second cache twice */
	assert_int_equal(caches_parse(&caches, "cache a0 300 8 8 second\n"
					       "cache a0 100 8 8 first\n"
					       "cache a0 350 8 8 second\n"),
			 0);
	assert_int_equal(caches.count, 2);
	assert_int_equal(caches.list[0].until, 300);
	assert_string_equal(name_at(&caches, 0xa0, 299), "first");
	assert_string_equal(name_at(&caches, 0xa0, 300), "second");
	caches_deinit(&caches);
}

static void caches_of_one_name_share_aliases(void **state)
{
	struct caches caches;

	(void)state;
	assert_int_equal(caches_parse(&caches, "alias dup one,two\n"
					       "cache a0 0 8 8 dup\n"
					       "cache b0 0 8 8 alone\n"
					       "cache c0 0 8 8 dup\n"
					       "alias dup two,three,one\n"
					       "alias empty\n"
					       "alias other four\n"
					       "cache d0 0 8 8 empty\n"),
			 0);
	assert_string_equal(caches_find(&caches, 0xa0, 0)->aliases, "one,two,three");
	assert_string_equal(caches_find(&caches, 0xc0, 0)->aliases, "one,two,three");
	assert_null(caches_find(&caches, 0xb0, 0)->aliases);
	assert_null(caches_find(&caches, 0xd0, 0)->aliases);
	caches_deinit(&caches);
}

static void written_caches_are_parsed(void **state)
{
	const struct cache odd = {
		.address = UINT64_MAX,
		.since = UINT64_MAX - 1,
		.object_size = UINT32_MAX,
		.size = 7,
		.name = "a b\\x41\n\xc3\xa9",
	};
	struct caches caches;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	assert_int_equal(caches_write_cache(file, &odd), 0);
	assert_int_equal(caches_write_alias(file, odd.name, "c d,e"), 0);
	fflush(file);
	assert_string_equal(text, "cache 0xffffffffffffffff 18446744073709551614 4294967295 7 "
				  "a\\x20b\\x5cx41\\x0a\\xc3\\xa9\n"
				  "alias a\\x20b\\x5cx41\\x0a\\xc3\\xa9 c\\x20d,e\n");
	assert_int_equal(caches_write_gone(file, odd.address, UINT64_MAX - 1), 0);
	fclose(file);
	assert_int_equal(caches_parse(&caches, text), 0);
	assert_int_equal(caches.count, 1);
	assert_string_equal(caches.list[0].name, odd.name);
	assert_string_equal(caches.list[0].aliases, "c d,e");
	assert_true(caches.list[0].since == odd.since);
	assert_true(caches.list[0].until == UINT64_MAX - 1);
	caches_deinit(&caches);
	free(text);
}

static void damaged_caches_are_skipped(void **state)
{
	struct caches caches;

	(void)state;
	assert_int_equal(caches_parse(&caches,
				      "cache\ncache x 1 2 3 a\ncache 1 99999999999999999999 "
				      "2 3 b\ncache 1 1 4294967296 3 c\ncache 1 1 1 -1 d\n"
				      "gone 1\ngone\nalias\n\n\ncache 1 1 1"),
			 0);
	assert_int_equal(caches.count, 0);
	caches_deinit(&caches);
	assert_int_equal(caches_parse(&caches, ""), 0);
	caches_deinit(&caches);
}

static void knows_kmalloc_caches(void **state)
{
	struct caches caches;

	(void)state;
	assert_int_equal(caches_parse(&caches, "cache 1000 0 8 8 kmalloc-8\n"), 0);
	assert_true(caches_has_kmalloc(&caches, "kmalloc-cg-8")); /* unknown */
	caches_deinit(&caches);
	assert_int_equal(caches_parse(&caches, "kmalloc kmalloc-8\nkmalloc dma-kmalloc-1k\n"
					       "kmalloc kmalloc-8\nkmalloc cut"),
			 0);
	assert_int_equal(caches.kmalloc_count, 2); /* the repeated and the cut line do not count */
	assert_true(caches_has_kmalloc(&caches, "kmalloc-8"));
	assert_true(caches_has_kmalloc(&caches, "dma-kmalloc-1k"));
	assert_false(caches_has_kmalloc(&caches, "kmalloc-cg-8"));
	assert_false(caches_has_kmalloc(&caches, "cut"));
	caches_deinit(&caches);
	/* with slab debugging, an object of 64 bytes takes as much as one of 192 without */
	assert_int_equal(caches_parse(&caches,
				      "kmalloc kmalloc-192 192 192\nkmalloc kmalloc-64 64 192\n"
				      "kmalloc kmalloc-cg-64 64 192\nkmalloc kmalloc-96\n"
				      "kmalloc kmalloc-32 200 192\n"
				      "debug kmalloc-64 128 ZU\ndebug cut\n"),
			 0);
	assert_string_equal(caches_find_kmalloc(&caches, "kmalloc", 64)->text, "kmalloc-64");
	assert_string_equal(caches_find_kmalloc(&caches, "kmalloc", 65)->text, "kmalloc-192");
	assert_string_equal(caches_find_kmalloc(&caches, "kmalloc-cg", 8)->text, "kmalloc-cg-64");
	assert_null(caches_find_kmalloc(&caches, "kmalloc", 193));
	assert_int_equal(caches_find_debug(&caches, "kmalloc-64")->bytes, 128);
	assert_string_equal(caches_find_debug(&caches, "kmalloc-64")->flags, "ZU");
	assert_null(caches_find_debug(&caches, "kmalloc-192"));
	caches_deinit(&caches);
	assert_true(caches_is_kmalloc("kmalloc-rcl-8k") && caches_is_kmalloc("dma-kmalloc-8"));
	assert_false(caches_is_kmalloc("kmalloc") || caches_is_kmalloc("my-kmalloc-8"));
}

static void knows_reclaimable_caches(void **state)
{
	static const char text[] = "reclaim_account dentry 1\n"
				   "reclaim_account a\\x20b 0\n"
				   "reclaim_account twice 0\nreclaim_account twice 0\n"
				   /* three caches of one name, one after another */
				   "reclaim_account other 0\nreclaim_account other 1\n"
				   "reclaim_account other 0\nreclaim_account other 0\n"
				   "reclaim_account kmalloc-rcl-8 0\n"
				   "reclaim_account\nreclaim_account none\nreclaim_account none x\n"
				   "reclaim_account none 2\nreclaim_account cut 1";
	struct caches caches;

	(void)state;
	assert_int_equal(caches_parse(&caches, text), 0);
	assert_int_equal(caches.reclaim_count, 5);
	assert_int_equal(caches_find_reclaim(&caches, "dentry"), CACHE_RECLAIMABLE);
	assert_int_equal(caches_find_reclaim(&caches, "a b"), CACHE_UNRECLAIMABLE);
	assert_int_equal(caches_find_reclaim(&caches, "twice"), CACHE_UNRECLAIMABLE);
	assert_int_equal(caches_find_reclaim(&caches, "other"), CACHE_RECLAIM_UNKNOWN);
	assert_int_equal(caches_find_reclaim(&caches, "none"), CACHE_RECLAIM_UNKNOWN);
	assert_int_equal(caches_find_reclaim(&caches, "cut"), CACHE_RECLAIM_UNKNOWN);
	/* the line counts, not the name */
	assert_int_equal(caches_find_reclaim(&caches, "kmalloc-rcl-8"), CACHE_UNRECLAIMABLE);
	assert_int_equal(caches_find_reclaim(&caches, "kmalloc-rcl-16"), CACHE_RECLAIMABLE);
	assert_int_equal(caches_find_reclaim(&caches, "kmalloc-cg-16"), CACHE_UNRECLAIMABLE);
	caches_deinit(&caches);
	assert_int_equal(caches_parse(&caches, ""), 0);
	assert_int_equal(caches_find_reclaim(&caches, "dentry"), CACHE_RECLAIM_UNKNOWN);
	caches_deinit(&caches);
}

/* Lines "kmalloc" of so many names, each `times` times. */
static char *kmalloc_lines(int names, int times)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	for (int i = 0; i < times; i++)
		for (int name = 0; name < names; name++)
			fprintf(file, "kmalloc kmalloc-%d 8 16\n", name);
	fclose(file);
	return text;
}

/* Each piece of a set repeats the lines; and each allocation is compared with all of them. */
static void kmalloc_caches_are_few(void **state)
{
	char *text = kmalloc_lines(1024, 3);
	struct caches caches;

	(void)state;
	assert_int_equal(caches_parse(&caches, text), 0);
	assert_int_equal(caches.kmalloc_count, 1024);
	assert_true(caches_has_kmalloc(&caches, "kmalloc-0"));
	assert_true(caches_has_kmalloc(&caches, "kmalloc-1023"));
	caches_deinit(&caches);
	free(text);
	text = kmalloc_lines(1025, 1);
	assert_int_equal(caches_parse(&caches, text), -EFBIG);
	assert_int_equal(caches.kmalloc_count, 0);
	free(text);
}

/* Caches of one name with more aliases than fit: the time must be linear in the text. */
static void hostile_aliases_are_bounded(void **state)
{
	size_t space = 4 << 20, used = 0;
	char *text = malloc(space);
	struct caches caches;

	(void)state;
	assert_non_null(text);
	for (int i = 0; i < 20000; i++) {
		used += snprintf(text + used, space - used, "cache %x 0 8 8 same\n", i + 16);
		used += snprintf(text + used, space - used, "alias same alias_%d,,alias_%d\n", i,
				 i);
	}
	assert_int_equal(caches_parse(&caches, text), 0);
	assert_int_equal(caches.count, 20000);
	assert_in_range(strlen(caches.list[0].aliases), 3900, 4095);
	assert_ptr_equal(caches.list[0].aliases, caches.list[19999].aliases);
	caches_deinit(&caches);
	free(text);
}

/* A line that is cut off may have lost digits of its last number. */
static void text_may_be_cut_off_anywhere(void **state)
{
	static const char *const texts[] = {
		"cache 0xffff888100 100 640 6",
		"cache 0xffff888100 100 640 640 nam",
		"cache 0xffff888100 100 640 640\n",
		"cache 0xffff888100 100 640 6cache 0xffff888200 100 640 640 other\n",
	};
	struct caches caches;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(caches_parse(&caches, texts[i]), 0);
		assert_int_equal(caches.count, 0);
		caches_deinit(&caches);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(address_is_reused_by_another_cache),
		cmocka_unit_test(cache_ends_where_another_begins),
		cmocka_unit_test(caches_of_one_name_share_aliases),
		cmocka_unit_test(written_caches_are_parsed),
		cmocka_unit_test(damaged_caches_are_skipped),
		cmocka_unit_test(knows_kmalloc_caches),
		cmocka_unit_test(knows_reclaimable_caches),
		cmocka_unit_test(kmalloc_caches_are_few),
		cmocka_unit_test(hostile_aliases_are_bounded),
		cmocka_unit_test(text_may_be_cut_off_anywhere),
	};

	return cmocka_run_group_tests_name("caches", tests, NULL, NULL);
}
