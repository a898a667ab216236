// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tables of a report: sort keys, directions, tie breaks, cutting. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "report/render/catalogue.h"

static const struct column columns[] = {
	{ .key = "name", .type = COLUMN_TEXT },	    { .key = "count", .type = COLUMN_NUMBER },
	{ .key = "share", .type = COLUMN_DECIMAL }, { .key = "address", .type = COLUMN_HEX },
	{ .key = "cpu", .type = COLUMN_ID },	    { .key = "time", .type = COLUMN_TIME },
	{ .key = "age", .type = COLUMN_DURATION },  { .key = "bar", .type = COLUMN_BAR },
	{ .key = "change", .type = COLUMN_CHANGE },
};

#define COLUMN_COUNT (sizeof(columns) / sizeof(*columns))

static void add_named_row(struct table *table, const char *name, uint64_t count, double share,
			  uint64_t address)
{
	struct cell *row = table_add(table);

	assert_non_null(row);
	row[0].text = strdup(name);
	row[1].number = count;
	row[2].decimal = share;
	row[3].number = address;
}

static int set_up_table(void **state)
{
	struct table *table = calloc(1, sizeof(*table));

	table_init(table, columns, COLUMN_COUNT);
	table->tiebreak = 3;
	add_named_row(table, "d", 1, 0.5, 40);
	add_named_row(table, "b", 7, 0.25, 30);
	add_named_row(table, "a", 7, 0.75, 20);
	add_named_row(table, "c", UINT64_MAX, 0.5, 10);
	*state = table;
	return 0;
}

static int tear_down_table(void **state)
{
	table_deinit(*state);
	free(*state);
	return 0;
}

static void expect_order(struct table *table, const char *keys, const char *names)
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
	expect_order(*state, "name", "abcd");
	expect_order(*state, "-name", "dcba");
	expect_order(*state, "+name", "abcd");
	expect_order(*state, "count", "cabd");
	expect_order(*state, "+count", "dabc");
	expect_order(*state, "address", "cabd");
	expect_order(*state, "-address", "dbac");
}

static void test_ties(void **state)
{
	expect_order(*state, "share", "acdb");
	expect_order(*state, "share,name", "acdb");
	expect_order(*state, "share,-name", "adcb");
	expect_order(*state, "count,share", "cabd");
	expect_order(*state, "count,+share", "cbad");
}

static void set_row(struct table *table, size_t row, uint64_t cpu, int64_t time, uint64_t age)
{
	struct cell *cells = table->cells + row * table->column_count;

	cells[4].number = cpu;
	cells[5].time = time;
	cells[6].number = age;
}

/* Unknown values are less than known ones. */
static void test_unknown(void **state)
{
	struct table *table = *state;

	set_row(table, 0, 10, -5, 0);
	set_row(table, 1, CELL_UNKNOWN, TIME_UNKNOWN, 7);
	set_row(table, 2, 0, 5, CELL_UNKNOWN);
	set_row(table, 3, 9, 0, 8);
	expect_order(table, "cpu", "bacd");
	expect_order(table, "-cpu", "dcab");
	expect_order(table, "time", "bdca");
	expect_order(table, "age", "cbda");
	expect_order(table, "+age", "adbc");
	assert_true(cell_is_unknown(COLUMN_DURATION, &table_row(table, 0)[6]));
	assert_false(cell_is_unknown(COLUMN_NUMBER, &table_row(table, 0)[6]));
}

/* The largest change is first, whatever its direction. */
static void test_changes(void **state)
{
	static const int64_t changes[] = { 7, -8, CHANGE_UNKNOWN, 8 };
	struct table *table = *state;

	for (size_t row = 0; row < 4; row++)
		table->cells[row * table->column_count + 8].change = changes[row];
	expect_order(table, "change", "cbda");
	expect_order(table, "+change", "adbc");
	assert_true(cell_is_unknown(COLUMN_CHANGE, &table_row(table, 0)[8]));
}

/* "kmalloc-64" comes before "kmalloc-128". */
static void test_numbers_in_names(void **state)
{
	static const char *const names[] = { "128", "x", "64", "1024" };
	struct table *table = *state;

	for (size_t row = 0; row < 4; row++) {
		struct cell *cell = table->cells + row * table->column_count;

		free(cell->text);
		cell->text = strdup(names[row]);
	}
	assert_int_equal(table_sort(table, "name"), 0);
	assert_string_equal(table_row(table, 0)->text, "64");
	assert_string_equal(table_row(table, 1)->text, "128");
	assert_string_equal(table_row(table, 2)->text, "1024");
	assert_string_equal(table_row(table, 3)->text, "x");
}

static void test_wrong_keys(void **state)
{
	struct table *table = *state;

	assert_int_equal(table_sort(table, "size"), -EINVAL);
	assert_string_equal(table->error.text,
			    "no sort key is named \"size\": use name, count, share, "
			    "address, cpu, time, age, change");
	assert_int_equal(table_sort(table, "bar"), -EINVAL);
	assert_int_equal(table_sort(table, ""), -EINVAL);
	assert_int_equal(table_sort(table, "name,"), -EINVAL);
	assert_int_equal(table_sort(table, "nam"), -EINVAL);
	assert_int_equal(table_sort(table, "-"), -EINVAL);
	table->error = (struct error){ 0 };
	assert_int_equal(table_sort(table, "name,name,name,name,name,name,name,name,name,name,"
					   "name,name,name,name,name,name,name"),
			 -EINVAL);
	assert_string_equal(table->error.text, "more than 16 sort keys");
}

static void test_cut_rows(void **state)
{
	struct table *table = *state;

	table_cut(table, 0);
	expect_order(table, "name", "abcd");
	table_cut(table, 9);
	expect_order(table, "name", "abcd");
	table_cut(table, 2);
	expect_order(table, "name", "ab");
	assert_int_equal(table->rows_made, 4);
	table_cut(table, 1);
	expect_order(table, "count", "a");
}

static void test_grows(void **state)
{
	struct table *table = *state;

	for (uint64_t i = 0; i < 1000; i++)
		add_named_row(table, "x", i, 0, 1000 + i);
	assert_int_equal(table->rows, 1004);
	assert_int_equal(table_sort(table, "count"), 0);
	assert_int_equal(table_row(table, 0)[1].number, UINT64_MAX);
	assert_int_equal(table_row(table, 1)[1].number, 999);
	assert_int_equal(table_row(table, 1003)[1].number, 0);
}

static void test_catalogue(void **state)
{
	static const struct column_choice first[] = {
		{ .name = COLUMN_site },
		{ .name = COLUMN_coverage_percent,
		  .where = COLUMN_BELOW,
		  .header = "cov",
		  .decimals = COLUMN_WHOLE },
		{ 0 },
	};
	static const struct column_choice more[] = {
		{ .name = COLUMN_peak_bytes, .type = COLUMN_LIVE, .legend = "other", .unit = "B" },
		{ 0 },
	};
	struct table table;

	table_init(&table, NULL, 0);
	table_choose(&table, first);
	table_choose(&table, more);
	assert_int_equal(table.column_count, 3);
	assert_string_equal(table.columns[0].key, "site");
	assert_string_equal(table.columns[1].key, "coverage_percent");
	assert_string_equal(table.columns[1].header, "cov");
	assert_string_equal(table.columns[1].unit, "%");
	assert_int_equal(table.columns[1].decimals, 0);
	assert_int_equal(table.columns[1].where, COLUMN_BELOW);
	assert_int_equal(table.columns[2].type, COLUMN_LIVE);
	assert_string_equal(table.columns[2].legend, "other");
	assert_string_equal(table.columns[2].unit, "B");
	assert_int_equal(table_column(&table, COLUMN_peak_bytes), 2);
	assert_non_null(table_add(&table));
	assert_non_null(table_add(&table));
	table_cell(&table, COLUMN_peak_bytes)->number = 7;
	assert_int_equal(table_row(&table, 0)[2].number, 0);
	assert_int_equal(table_row(&table, 1)[2].number, 7);
	table_deinit(&table);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_directions, set_up_table, tear_down_table),
		cmocka_unit_test_setup_teardown(test_ties, set_up_table, tear_down_table),
		cmocka_unit_test_setup_teardown(test_unknown, set_up_table, tear_down_table),
		cmocka_unit_test_setup_teardown(test_changes, set_up_table, tear_down_table),
		cmocka_unit_test_setup_teardown(test_numbers_in_names, set_up_table,
						tear_down_table),
		cmocka_unit_test_setup_teardown(test_wrong_keys, set_up_table, tear_down_table),
		cmocka_unit_test_setup_teardown(test_cut_rows, set_up_table, tear_down_table),
		cmocka_unit_test_setup_teardown(test_grows, set_up_table, tear_down_table),
		cmocka_unit_test(test_catalogue),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
