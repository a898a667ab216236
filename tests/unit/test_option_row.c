// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The values that the row of an option takes, and the sentences about wrong ones. */
#include "config.h"

#include <string.h>

#include "tests/unit/unit.h"
#include "cli/option_row.h"

struct values {
	const char *text;
	uint64_t number;
	uint32_t word;
	bool flag;
	int after; /* no value reaches it */
};

#define AT(member) OPTION_AT(struct values, member)

static void expect_stored(const struct option_row *row, const char *text, uint64_t number,
			  uint32_t word, bool flag)
{
	struct values values = { .after = 77 };
	char why[OPTION_WHY];

	assert_true(option_row_store(row, text, &values, why));
	assert_true(values.number == number);
	assert_int_equal(values.word, word);
	assert_int_equal(values.flag, flag);
	assert_int_equal(values.after, 77);
}

static void expect_refused(const struct option_row *row, const char *text, const char *sentence)
{
	struct values values = { .number = 5, .word = 6 };
	char why[OPTION_WHY];

	assert_false(option_row_store(row, text, &values, why));
	assert_string_equal(why, sentence);
	assert_true(!values.text && values.number == 5 && values.word == 6);
}

static void value_is_stored_in_its_unit_and_size(void **state)
{
	const struct option_row rows[] = {
		{ "d", 0, "TIME", AT(number), .kind = ARGUMENT_DURATION },
		{ "s", 0, "TIME", AT(word), .kind = ARGUMENT_SECONDS },
		{ "z", 0, "SIZE", AT(word), .kind = ARGUMENT_SIZE, .all = 9 },
	};
	const struct option_row flag = { "f", AT(flag) }, two = { "t", AT(word), .value = 2 };

	(void)state;
	expect_stored(&rows[0], "1.5ms", 1500000, 0, false);
	expect_stored(&rows[1], "1ns", 0, 1, false);
	expect_stored(&rows[1], "2m", 0, 120, false);
	expect_stored(&rows[2], "64k", 0, 65536, false);
	expect_stored(&rows[2], "all", 0, 9, false);
	expect_stored(&flag, NULL, 0, 0, true);
	expect_stored(&two, NULL, 0, 2, false);
}

static void wrong_number_is_refused_with_its_range_and_units(void **state)
{
	const struct option_row rows = {
		"n", 'n', "N", .kind = ARGUMENT_NUMBER, AT(word), .least = 0, .unit = "rows"
	};
	const struct option_row pieces = { "p",		'p',
					   "N",		.kind = ARGUMENT_NUMBER,
					   AT(word),	.least = 1,
					   .most = 999, .unit = "pieces" };

	(void)state;
	expect_refused(&rows, "4294967296", "\"4294967296\" is not a number of rows");
	expect_refused(&rows, "-1", "\"-1\" is not a number of rows");
	expect_refused(&pieces, "0", "\"0\" is not a number of pieces from 1 to 999");
	expect_refused(&pieces, "1000", "\"1000\" is not a number of pieces from 1 to 999");
	expect_refused(&pieces, "", "\"\" is not a number of pieces from 1 to 999");
}

static void wrong_quantity_is_refused_with_its_range_and_units(void **state)
{
	static const struct {
		uint64_t least, most, all;
		enum argument_kind kind;
		const char *text, *sentence;
	} cases[] = {
		{ 100000000, 0, 0, ARGUMENT_DURATION, "99ms",
		  "\"99ms\" is not a duration of at least 100ms: use seconds, or a number with ns, us, ms, s, m, h or d" },
		{ 1, 3600000000000, 0, ARGUMENT_DURATION, "61m",
		  "\"61m\" is not a duration above 0 and up to 1h: use seconds, or a number with ns, us, ms, s, m, h or d" },
		{ 0, 90000000000, 0, ARGUMENT_SECONDS, "91",
		  "\"91\" is not a duration up to 90s: use seconds, or a number with ns, us, ms, s, m, h or d" },
		{ 86400000000000, 0, UINT64_MAX, ARGUMENT_AGE, "7",
		  "\"7\" is not an age of at least 1d: use a number with ns, us, ms, s, m, h or d, or all" },
		{ 64, 1 << 30, 0, ARGUMENT_SIZE, "2G",
		  "\"2G\" is not a size from 64 to 1G: use a number of bytes, or one with k, M or G" },
		{ 0, 0, 0, ARGUMENT_SIZE, "all",
		  "\"all\" is not a size: use a number of bytes, or one with k, M or G" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct option_row row = { "x",
						0,
						"X",
						AT(number),
						.kind = cases[i].kind,
						.least = cases[i].least,
						.most = cases[i].most,
						.all = cases[i].all };

		expect_refused(&row, cases[i].text, cases[i].sentence);
	}
}

static void wrong_text_is_refused(void **state)
{
	static const char *const words[] = { "text", "json", NULL };
	const struct option_row path = { "p", 'p', "FILE", AT(text), .kind = ARGUMENT_PATH };
	const struct option_row choice = {
		"c", 0, "WORD", AT(word), .kind = ARGUMENT_CHOICE, .choices = words
	};
	char name[OPTION_NAME];

	(void)state;
	expect_refused(&path, "", "the name is empty");
	expect_stored(&choice, "json", 0, 1, false);
	expect_refused(&choice, "jsn", "\"jsn\" is not one of text, json: did you mean json?");
	assert_string_equal(option_row_name(&path, name), "-p");
	assert_string_equal(option_row_name(&choice, name), "--c");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(value_is_stored_in_its_unit_and_size),
		cmocka_unit_test(wrong_number_is_refused_with_its_range_and_units),
		cmocka_unit_test(wrong_quantity_is_refused_with_its_range_and_units),
		cmocka_unit_test(wrong_text_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
