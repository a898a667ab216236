// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The parts of a comparison: names of code, which rows are matched, conditions, what is certain. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "report/diff/condition.h"
#include "report/diff/match.h"
#include "report/diff/name.h"
#include "report/diff/student.h"

static void expect_stripped(const char *text, const char *expected)
{
	char *stripped = diff_name_strip(text);

	assert_string_equal(stripped, expected);
	free(stripped);
}

static void test_suffixes(void **state)
{
	(void)state;
	expect_stripped("alloc_file", "alloc_file");
	expect_stripped("alloc_file.isra.0", "alloc_file");
	expect_stripped("getname_flags.part.0.cold [vfs]", "getname_flags [vfs]");
	expect_stripped("f.constprop.12.isra.3;g.llvm.987;h.lto_priv.0", "f;g;h");
	expect_stripped("f.cold.7", "f");
	expect_stripped("krealloc_noprof", "krealloc");
	/* these are no suffixes */
	expect_stripped("f.isra.", "f.isra.");
	expect_stripped("f.colder", "f.colder");
	expect_stripped("a_noprofile", "a_noprofile");
	expect_stripped(".cold", ".cold");
}

static void expect_cut(const char *text, const char *expected, bool known, uint64_t offset,
		       uint64_t size)
{
	struct diff_offset place;
	char *cut = diff_name_cut_offset(text, &place);

	assert_string_equal(cut, expected);
	assert_int_equal(place.known, known);
	assert_int_equal(place.offset, offset);
	assert_int_equal(place.size, size);
	free(cut);
}

static void test_offsets(void **state)
{
	(void)state;
	expect_cut("f+0x1f/0x190 [ext4]", "f [ext4]", true, 0x1f, 0x190);
	expect_cut("f+0x1f", "f", true, 0x1f, 0);
	expect_cut("0xffffffff81000000", "0xffffffff81000000", false, 0, 0);
	expect_cut("f+0x", "f+0x", false, 0, 0);
}

static bool is_site(const char *name, const char *site)
{
	struct diff_name wanted;

	diff_name_set(&wanted, name, (int)strlen(name));
	return diff_name_is_site(&wanted, site);
}

static void test_names_of_sites(void **state)
{
	(void)state;
	assert_true(is_site("f", "f+0x1f/0x190 [ext4]"));
	assert_true(is_site("f [ext4]", "f.isra.0+0x1f/0x190 [ext4]"));
	assert_true(is_site("function:f.cold", "f+0x1f/0x190"));
	assert_true(is_site("f+0x1f", "f+0x1f/0x190"));
	assert_false(is_site("f+0x1e", "f+0x1f/0x190"));
	assert_false(is_site("f", "fg+0x1f/0x190"));
	assert_false(is_site("f [xfs]", "f+0x1f/0x190 [ext4]"));
}

static void add_site(struct diff_side *side, const char *function, uint64_t offset, uint64_t size,
		     const char *cache, double allocations)
{
	struct diff_row *row = diff_side_add(side);

	row->keys[0] = strdup(function);
	row->match = strdup(function);
	row->has_offset = size;
	row->offset = offset;
	row->size = size;
	row->cache = cache ? strdup(cache) : NULL;
	row->figures->histories[DIFF_ALLOCATIONS].changes[0] = allocations;
}

/* Compares the pairs with a text as "f+10=f+20 f+30= =g+1": A=B, and "~" for the nearest offset. */
static void expect_pairs(struct diff_side *a, struct diff_side *b, const char *expected)
{
	struct diff_pairs pairs;
	char text[400] = "";
	size_t used = 0;

	assert_int_equal(diff_match(&pairs, a, b), 0);
	for (size_t i = 0; i < pairs.count; i++) {
		const struct diff_pair *pair = &pairs.list[i];

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s", i ? " " : "");
		if (pair->a)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s+%u",
						 pair->a->match, (unsigned int)pair->a->offset);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s",
					 pair->how == DIFF_BY_OFFSET ? "~" : "=");
		if (pair->b)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s+%u",
						 pair->b->match, (unsigned int)pair->b->offset);
	}
	assert_string_equal(text, expected);
	diff_pairs_deinit(&pairs);
	diff_side_deinit(a);
	diff_side_deinit(b);
}

static void test_match_names(void **state)
{
	struct diff_side a = { 0 }, b = { 0 };

	(void)state;
	add_site(&a, "only_a", 0, 0, NULL, 1);
	add_site(&a, "both", 0, 0, NULL, 1);
	add_site(&b, "only_b", 0, 0, NULL, 1);
	add_site(&b, "both", 0, 0, NULL, 1);
	expect_pairs(&a, &b, "both+0=both+0 only_a+0= =only_b+0");
}

/* Two specialised copies of one function are one row. */
static void test_match_merges(void **state)
{
	struct diff_side a = { .slices = 1 }, b = { .slices = 1 };
	struct diff_pairs pairs;

	(void)state;
	add_site(&a, "f", 0, 0, "kmalloc-64", 3);
	add_site(&a, "f", 0, 0, "kmalloc-128", 4);
	add_site(&b, "f", 0, 0, "kmalloc-64", 5);
	assert_int_equal(diff_match(&pairs, &a, &b), 0);
	assert_int_equal(pairs.count, 1);
	assert_true(diff_figures_value(pairs.list[0].a->figures, DIFF_ALLOCATIONS, 1) == 7);
	assert_null(pairs.list[0].a->cache);
	diff_pairs_deinit(&pairs);
	diff_side_deinit(&a);
	diff_side_deinit(&b);
}

/* In another kernel, sites of a function keep their order and their caches. */
static void test_match_offsets(void **state)
{
	struct diff_side a = { .kernel = 1 }, b = { .kernel = 2 };

	(void)state;
	add_site(&a, "f", 10, 100, "kmalloc-64", 1);
	add_site(&a, "f", 30, 100, "kmalloc-64", 1);
	add_site(&a, "f", 50, 100, "dentry", 1);
	add_site(&b, "f", 14, 110, "kmalloc-64", 1);
	add_site(&b, "f", 34, 110, "kmalloc-64", 1);
	add_site(&b, "f", 90, 110, "dentry", 1);
	expect_pairs(&a, &b, "f+10~f+14 f+30~f+34 f+50~f+90");
}

/* One site more: the nearest are matched, as shares of the function. */
static void test_match_nearest(void **state)
{
	struct diff_side a = { .kernel = 1 }, b = { .kernel = 2 };

	(void)state;
	add_site(&a, "f", 20, 100, NULL, 1);
	add_site(&a, "f", 80, 100, NULL, 1);
	add_site(&b, "f", 40, 200, NULL, 1);
	add_site(&b, "f", 90, 200, NULL, 1);
	add_site(&b, "f", 158, 200, NULL, 1);
	expect_pairs(&a, &b, "f+20~f+40 f+80~f+158 =f+90");
}

static void test_match_other_cache(void **state)
{
	struct diff_side a = { .kernel = 1 }, b = { .kernel = 2 };

	(void)state;
	add_site(&a, "f", 20, 100, "dentry", 1);
	add_site(&b, "f", 22, 104, "filp", 1);
	expect_pairs(&a, &b, "f+20= =f+22");
}

/* Equal sizes and offsets are the same site, even if a nearer order would match more. */
static void test_match_equal_first(void **state)
{
	struct diff_side a = { .kernel = 1 }, b = { .kernel = 2 };

	(void)state;
	add_site(&a, "f", 20, 100, NULL, 1);
	add_site(&a, "f", 40, 100, NULL, 1);
	add_site(&b, "f", 40, 100, NULL, 1);
	add_site(&b, "f", 60, 100, NULL, 1);
	expect_pairs(&a, &b, "f+40=f+40 f+20~f+60");
}

/* In the same kernel, another offset is another call. */
static void test_match_same_kernel(void **state)
{
	struct diff_side a = { .kernel = 7 }, b = { .kernel = 7 };

	(void)state;
	add_site(&a, "f", 20, 100, NULL, 1);
	add_site(&b, "f", 22, 100, NULL, 1);
	expect_pairs(&a, &b, "f+20= =f+22");
}

static void expect_condition(const char *text, enum diff_figure figure, const char *name,
			     double factor, double more)
{
	struct diff_condition condition;
	struct diff_condition_error error;

	assert_int_equal(diff_condition_parse(&condition, text, &error), 0);
	assert_int_equal(condition.figure, figure);
	assert_string_equal(condition.name.text, name);
	assert_true(fabs(condition.factor - factor) < 1e-9);
	assert_true(condition.more == more);
}

static void expect_wrong(const char *text, size_t column)
{
	struct diff_condition condition;
	struct diff_condition_error error;

	assert_int_equal(diff_condition_parse(&condition, text, &error), -EINVAL);
	assert_int_equal(error.column, column);
}

static void test_conditions(void **state)
{
	(void)state;
	expect_condition("live > +10%", DIFF_LIVE, "", 1.1, 0);
	expect_condition(" peak>2.5% ", DIFF_PEAK, "", 1.025, 0);
	expect_condition("objects(dentry) > +100", DIFF_LIVE_OBJECTS, "dentry", 1, 100);
	expect_condition("allocated(cache:odd (name)) > +1M", DIFF_ALLOCATED, "odd (name)", 1,
			 1048576);
	expect_condition("allocations > +400%", DIFF_ALLOCATIONS, "", 5, 0);
	expect_wrong("", 1);
	expect_wrong("lives > +10%", 1);
	expect_wrong("live() > +10%", 6);
	expect_wrong("live(dentry > +10%", 5);
	expect_wrong("live < 10%", 6);
	expect_wrong("live >", 7);
	expect_wrong("live > -10%", 8);
	expect_wrong("live > 1e3%", 8);
	expect_wrong("live > 10% and more", 12);
}

static void expect_t(double t, double freedom, double probability)
{
	assert_true(fabs(student_two_sided(t, freedom) - probability) < 5e-6);
	assert_true(fabs(student_quantile(probability, freedom) - t) < t * 1e-3);
}

/* Values of printed tables. */
static void test_student(void **state)
{
	(void)state;
	expect_t(12.7062, 1, 0.05);
	expect_t(2.2281, 10, 0.05);
	expect_t(3.6460, 30, 0.001);
	expect_t(1.95996, 1e7, 0.05);
	assert_true(fabs(student_two_sided(0, 5) - 1) < 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_suffixes),	  cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_names_of_sites),	  cmocka_unit_test(test_match_names),
		cmocka_unit_test(test_match_merges),	  cmocka_unit_test(test_match_offsets),
		cmocka_unit_test(test_match_nearest),	  cmocka_unit_test(test_match_other_cache),
		cmocka_unit_test(test_match_equal_first), cmocka_unit_test(test_match_same_kernel),
		cmocka_unit_test(test_conditions),	  cmocka_unit_test(test_student),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
