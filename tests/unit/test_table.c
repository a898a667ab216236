// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tables of a report: keys, directions, ties, the cut. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "report/table.h"

static const struct column columns[] = {
	{ .key = "name", .type = COLUMN_TEXT },
	{ .key = "count", .type = COLUMN_NUMBER },
	{ .key = "share", .type = COLUMN_DECIMAL },
	{ .key = "address", .type = COLUMN_HEX },
};

static void add(struct table *table, const char *name, uint64_t count, double share,
		uint64_t address)
{
	struct cell *row = table_add(table);

	assert_non_null(row);
	row[0].text = strdup(name);
	row[1].number = count;
	row[2].decimal = share;
	row[3].number = address;
}

static int setup(void **state)
{
	struct table *table = calloc(1, sizeof(*table));

	table_init(table, columns, 4);
	table->tie = 3;
	add(table, "d", 1, 0.5, 40);
	add(table, "b", 7, 0.25, 30);
	add(table, "a", 7, 0.75, 20);
	add(table, "c", UINT64_MAX, 0.5, 10);
	*state = table;
	return 0;
}

static int teardown(void **state)
{
	table_deinit(*state);
	free(*state);
	return 0;
}

static void expect(struct table *table, const char *keys, const char *names)
{
	assert_int_equal(table_sort(table, keys), 0);
	assert_int_equal(table->rows, strlen(names));
	for (size_t row = 0; row < table->rows; row++) {
		if (table_row(table, row)->text[0] != names[row])
			fail_msg("%s: row %zu is %s", keys, row, table_row(table, row)->text);
	}
}

static void test_directions(void **state)
{
	expect(*state, "name", "abcd");
	expect(*state, "-name", "dcba");
	expect(*state, "+name", "abcd");
	expect(*state, "count", "cabd");
	expect(*state, "+count", "dabc");
	expect(*state, "address", "cabd");
	expect(*state, "-address", "dbac");
}

static void test_ties(void **state)
{
	expect(*state, "share", "acdb");
	expect(*state, "share,name", "acdb");
	expect(*state, "share,-name", "adcb");
	expect(*state, "count,share", "cabd");
	expect(*state, "count,+share", "cbad");
}

static void test_wrong_keys(void **state)
{
	struct table *table = *state;

	assert_int_equal(table_sort(table, "size"), -EINVAL);
	assert_string_equal(table->why, "no sort key is named \"size\": use name, count, share, "
					"address");
	assert_int_equal(table_sort(table, ""), -EINVAL);
	assert_int_equal(table_sort(table, "name,"), -EINVAL);
	assert_int_equal(table_sort(table, "nam"), -EINVAL);
	assert_int_equal(table_sort(table, "-"), -EINVAL);
	assert_int_equal(table_sort(table, "name,name,name,name,name,name,name,name,name,name,"
					   "name,name,name,name,name,name,name"),
			 -EINVAL);
	assert_string_equal(table->why, "more than 16 sort keys");
}

static void test_cut(void **state)
{
	struct table *table = *state;

	table_cut(table, 0);
	expect(table, "name", "abcd");
	table_cut(table, 9);
	expect(table, "name", "abcd");
	table_cut(table, 2);
	expect(table, "name", "ab");
	assert_int_equal(table->rows_made, 4);
	table_cut(table, 1);
	expect(table, "count", "a");
}

static void test_grows(void **state)
{
	struct table *table = *state;

	for (uint64_t i = 0; i < 1000; i++)
		add(table, "x", i, 0, 1000 + i);
	assert_int_equal(table->rows, 1004);
	assert_int_equal(table_sort(table, "count"), 0);
	assert_int_equal(table_row(table, 0)[1].number, UINT64_MAX);
	assert_int_equal(table_row(table, 1)[1].number, 999);
	assert_int_equal(table_row(table, 1003)[1].number, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_directions, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ties, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wrong_keys, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cut, setup, teardown),
		cmocka_unit_test_setup_teardown(test_grows, setup, teardown),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
