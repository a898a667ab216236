// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Numbers, sizes, durations, dates and CPU names in text. */
#include "config.h"

#include <string.h>

#include "base/number.h"
#include "base/utc.h"
#include "tests/unit/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void expect_number(const char *text, unsigned int base, uint64_t expected, const char *rest)
{
	const char *at = text;
	uint64_t number = 0;

	assert_true(number_parse(&at, base, &number));
	assert_true(number == expected);
	assert_string_equal(at, rest);
}

static void number_ends_at_the_first_other_character(void **state)
{
	(void)state;
	expect_number("0", 10, 0, "");
	expect_number("007x", 10, 7, "x");
	expect_number("12ab", 10, 12, "ab");
	expect_number("12abg", 16, 0x12ab, "g");
	expect_number("0xFFffffffFFFFFFFF ", 16, UINT64_MAX, " ");
	expect_number("18446744073709551615", 10, UINT64_MAX, "");
}

static void refused_number_changes_nothing(void **state)
{
	static const struct {
		const char *text;
		unsigned int base;
	} wrong[] = {
		{ "", 10 },
		{ " 1", 10 },
		{ "-1", 10 },
		{ "+1", 10 },
		{ "0x", 16 },
		{ "g", 16 },
		{ "a", 10 },
		{ "18446744073709551616", 10 },
		{ "10000000000000000", 16 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		const char *at = wrong[i].text;
		uint64_t number = 42;

		assert_false(number_parse(&at, wrong[i].base, &number));
		assert_ptr_equal(at, wrong[i].text);
		assert_int_equal(number, 42);
	}
}

static void number_in_range_refuses_the_rest(void **state)
{
	static const char *const wrong[] = { "", "1", "9", "5 ", " 5", "5k", "-5", "0x5", "+5" };
	uint64_t number = 42;

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_false(number_in_range(wrong[i], 2, 8, &number));
	assert_int_equal(number, 42);
	assert_true(number_in_range("2", 2, 8, &number));
	assert_int_equal(number, 2);
	assert_true(number_in_range("08", 2, 8, &number));
	assert_int_equal(number, 8);
}

static void expect_duration(const char *text, uint64_t expected)
{
	uint64_t ns = 0;

	if (!duration_parse(text, strlen(text), &ns))
		fail_msg("\"%s\" is refused", text);
	if (ns != expected)
		fail_msg("\"%s\" is %llu ns", text, (unsigned long long)ns);
}

static void duration_takes_each_unit(void **state)
{
	(void)state;
	expect_duration("0", 0);
	expect_duration("1", 1000000000);
	expect_duration("10ns", 10);
	expect_duration("10us", 10000);
	expect_duration("10ms", 10000000);
	expect_duration("2s", 2000000000);
	expect_duration("2m", 120000000000);
	expect_duration("2h", 7200000000000);
	expect_duration("2d", 172800000000000);
	expect_duration("9223372036854775807ns", INT64_MAX);
}

static void duration_takes_fractions_and_cuts_them_at_1_ns(void **state)
{
	(void)state;
	expect_duration("1.5", 1500000000);
	expect_duration("1.", 1000000000);
	expect_duration(".5", 500000000);
	expect_duration(".5m", 30000000000);
	expect_duration("1.25s", 1250000000);
	expect_duration("0.5h", 1800000000000);
	expect_duration("1.5d", 129600000000000);
	expect_duration("0.000000001", 1);
	expect_duration("1.0000000019", 1000000001);
	expect_duration("1.9ns", 1);
	expect_duration("0.000000000001h", 3);
	expect_duration("0.000000000009h", 32);
}

static void duration_ends_at_its_length(void **state)
{
	uint64_t ns;

	(void)state;
	assert_true(duration_parse("10ms,20ms", 4, &ns));
	assert_int_equal(ns, 10000000);
	assert_true(duration_parse("1.5", 1, &ns));
	assert_int_equal(ns, 1000000000);
	assert_false(duration_parse("1", 0, &ns));
	assert_false(duration_parse(".5", 1, &ns));
}

static void other_durations_are_refused(void **state)
{
	static const char *const wrong[] = {
		"",	   ".",
		"s",	   "-1",
		"+1",	   "1e3",
		"1 s",	   "1.x",
		"1..2",	   "1,2",
		"0x10",	   "1.5.2s",
		"1D",	   "1S",
		"ms",	   ".ms",
		" 1",	   "1\n",
		"inf",	   "9999999h",
		"106752d", "18446744073709551616ns",
	};
	uint64_t ns = 42;

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++)
		if (duration_parse(wrong[i], strlen(wrong[i]), &ns))
			fail_msg("\"%s\" is accepted", wrong[i]);
	assert_int_equal(ns, 42);
}

static void expect_size(const char *text, uint64_t unit, uint64_t expected)
{
	uint64_t bytes = 0;

	assert_true(size_parse(text, unit, &bytes));
	assert_true(bytes == expected);
}

static void expect_date(const char *text, uint64_t seconds, uint64_t part)
{
	uint64_t ns = 0;

	if (!utc_parse(text, strlen(text), &ns))
		fail_msg("\"%s\" is refused", text);
	if (ns != seconds * 1000000000 + part)
		fail_msg("\"%s\" is %llu ns", text, (unsigned long long)ns);
}

static void date_is_in_utc(void **state)
{
	(void)state;
	expect_date("1970-01-01T00:00", 0, 0);
	expect_date("2000-02-29T12:34:56Z", 951827696, 0);
	expect_date("2000-03-01T00:00Z", 951868800, 0);
	expect_date("2026-11-23T14:05:30.25", 1795442730, 250000000);
	expect_date("2100-12-31T23:59:59.999999999Z", 4133980799, 999999999);
}

static void date_is_that_of_utc_text(void **state)
{
	(void)state;
	/* 37 days apart: all months and leap years come */
	for (uint64_t ns = 1; ns < 16000000000000000000ULL; ns += 3200000000123456) {
		char text[40];

		utc_text(ns, text, sizeof(text));
		expect_date(text, ns / 1000000000, ns % 1000000000);
		utc_text_second(ns, text, sizeof(text));
		expect_date(text, ns / 1000000000, 0);
	}
}

static void other_dates_are_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"2026-11-23",
		"14:05",
		"2026-11-23 14:05",
		"2026-13-01T00:00",
		"2026-00-01T00:00",
		"2026-11-31T00:00",
		"2027-02-29T00:00",
		"2100-02-29T00:00",
		"2026-11-00T00:00",
		"1969-12-31T23:59",
		"2026-11-23T24:00",
		"2026-11-23T14:60",
		"2026-11-23T14:05:60",
		"2026-11-23T14:05:5",
		"2026-11-23T14:05:30.",
		"2026-11-23T14:05:30s",
		"2026-11-23T14:05+01:00",
		"2026-11-23T14:05ZZ",
		"+026-11-23T14:05",
		"2026-1-23T14:05",
	};
	uint64_t ns;

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++)
		if (utc_parse(wrong[i], strlen(wrong[i]), &ns))
			fail_msg("\"%s\" is accepted", wrong[i]);
}

static void size_takes_powers_of_1024(void **state)
{
	(void)state;
	expect_size("100", 1, 100);
	expect_size("3k", 1, 3 << 10);
	expect_size("3K", 1, 3 << 10);
	expect_size("64M", 1, 64 << 20);
	expect_size("1G", 1, 1 << 30);
}

static void plain_size_counts_the_given_unit(void **state)
{
	(void)state;
	expect_size("64", 1 << 20, 64 << 20);
	expect_size("64M", 1 << 20, 64 << 20);
	expect_size("512k", 1 << 20, 512 << 10);
}

static void other_sizes_are_refused(void **state)
{
	static const char *const wrong[] = { "",     "k",   "-1",   "1kk", "1T",
					     "1.5k", "1 M", "0x10", "1MB", "17179869184G" };
	uint64_t bytes = 42;

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_false(size_parse(wrong[i], 1, &bytes));
}

static void cpu_name_is_cpu_and_a_number(void **state)
{
	static const char *const wrong[] = {
		"", "cpu", "cpux", "CPU1", "xcpu1", "cpu-1", "cpu101"
	};
	const char *at = "cpu12.out";
	unsigned int cpu = 42;

	(void)state;
	assert_true(cpu_name_parse(&at, 100, &cpu));
	assert_int_equal(cpu, 12);
	assert_string_equal(at, ".out");
	at = "cpu100";
	assert_true(cpu_name_parse(&at, 100, &cpu));
	assert_int_equal(cpu, 100);
	for (size_t i = 0; i < COUNT(wrong); i++) {
		at = wrong[i];
		assert_false(cpu_name_parse(&at, 100, &cpu));
		assert_ptr_equal(at, wrong[i]);
	}
	assert_int_equal(cpu, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(number_ends_at_the_first_other_character),
		cmocka_unit_test(refused_number_changes_nothing),
		cmocka_unit_test(number_in_range_refuses_the_rest),
		cmocka_unit_test(duration_takes_each_unit),
		cmocka_unit_test(duration_takes_fractions_and_cuts_them_at_1_ns),
		cmocka_unit_test(duration_ends_at_its_length),
		cmocka_unit_test(other_durations_are_refused),
		cmocka_unit_test(date_is_in_utc),
		cmocka_unit_test(date_is_that_of_utc_text),
		cmocka_unit_test(other_dates_are_refused),
		cmocka_unit_test(size_takes_powers_of_1024),
		cmocka_unit_test(plain_size_counts_the_given_unit),
		cmocka_unit_test(other_sizes_are_refused),
		cmocka_unit_test(cpu_name_is_cpu_and_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
