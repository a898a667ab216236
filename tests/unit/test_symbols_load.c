// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Files of symbols: in any order, with any lines, compressed, cut off and hostile. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "tests/unit/unit.h"
#include "tests/unit/symbol_file.h"

static const char kernel[] = "ffffffff81000000 T _text\n"
			     "ffffffff81000040 t first\n"
			     "ffffffff81000060 W weak\n";

static void reads_gzip_up_to_damage(void **state)
{
	gzFile file = gzopen(path, "wb");
	struct symbols symbols;
	char text[8192];
	size_t size;
	FILE *cut;

	(void)state;
	gzputs(file, kernel);
	gzclose(file);
	file = gzopen(path, "ab");
	gzprintf(file, "# since 7\n");
	for (int i = 1; i < 500; i++)
		gzprintf(file, "%08x t late_%x [late]\n", i * 16 + i * i, i * 7919);
	gzclose(file);
	assert_int_equal(symbols_load(&symbols, path), 0);
	assert_int_equal(symbols.count, 3 + 499);
	assert_false(symbols.damaged);
	assert_text(&symbols, 0x12, 8, "late_1eef+0x1/0x13 [late]");
	symbols_deinit(&symbols);

	cut = fopen(path, "re");
	size = fread(text, 1, sizeof(text), cut);
	fclose(cut);
	assert_in_range(size, 1000, sizeof(text) - 1);
	write_file(text, size - 500);
	assert_int_equal(symbols_load(&symbols, path), 0);
	assert_true(symbols.damaged);
	assert_in_range(symbols.count, 3, 3 + 498);
	assert_text(&symbols, 0xffffffff81000055, 0, "first+0x15/0x20");
	symbols_deinit(&symbols);

	/* a line that is cut off is skipped */
	file = gzopen(path, "wb0");
	gzputs(file, kernel);
	gzclose(file);
	cut = fopen(path, "re");
	size = fread(text, 1, sizeof(text), cut);
	fclose(cut);
	write_file(text, size - 8 - 3);
	assert_int_equal(symbols_load(&symbols, path), 0);
	assert_true(symbols.damaged);
	assert_int_equal(symbols.count, 2);
	symbols_deinit(&symbols);
}

struct expected {
	uint64_t since, address;
	unsigned int line;
};

static int compare_expected(const void *left, const void *right)
{
	const struct expected *a = left, *b = right;

	if (a->since != b->since)
		return a->since < b->since ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

#define MANY 13000U /* more lines than one read of a plain file returns */

static uint64_t address_of(unsigned int shape, unsigned int i)
{
	switch (shape) {
	case 0: /* some long runs, one of them twice */
		return i < MANY / 2 ? 4 * i + 4 : 2 * (i % (MANY / 4)) + 3;
	case 1:
		return MANY - i;
	case 2: /* short runs, longer ones, and longer still */
		return i % (i / 100 + 1) * 50 + 1;
	case 3:
		return i % 2 ? i : 2 * MANY - i;
	default: /* many of each */
		return i * 7919U % 4999 + 1;
	}
}

/* For any order of the input: sorted by time and address; the first of one address stays. */
static void sorts_any_order(void **state)
{
	struct expected *expected = calloc(MANY, sizeof(*expected));
	char *text = malloc(40 * MANY), name[16];
	struct symbols symbols;

	(void)state;
	assert_true(expected && text);
	for (unsigned int shape = 0; shape < 5; shape++) {
		size_t kept = 0;
		char *at = text;

		for (unsigned int i = 0; i < MANY; i++) {
			uint64_t since = shape == 4 ? i / 1000 * 37 % 5 : 0;

			if (shape == 4 && i % 1000 == 0)
				at += sprintf(at, "# since %u\n", (unsigned int)since);
			expected[i] = (struct expected){ since, address_of(shape, i), i };
			at += sprintf(at, "%016llx t f%u\n",
				      (unsigned long long)expected[i].address, i);
		}
		assert_in_range(at - text, 1 << 18, 40 * MANY - 1);
		qsort(expected, MANY, sizeof(*expected), compare_expected);
		load(&symbols, text);
		for (unsigned int i = 0; i < MANY; i++) {
			if (i && expected[i].since == expected[i - 1].since &&
			    expected[i].address == expected[i - 1].address)
				continue;
			assert_in_range(kept, 0, symbols.count - 1);
			snprintf(name, sizeof(name), "f%u", expected[i].line);
			assert_string_equal(symbols_string(&symbols, symbols.list[kept].name),
					    name);
			assert_int_equal(symbols.list[kept].address, expected[i].address);
			assert_int_equal(symbols.list[kept].since, expected[i].since);
			kept++;
		}
		assert_int_equal(symbols.count, kept);
		symbols_deinit(&symbols);
	}
	free(expected);
	free(text);
}

/* Names and modules of all lengths. */
static void finds_the_end_of_a_name(void **state)
{
	static const struct {
		const char *end, *behind, *module;
	} ends[] = {
		{ "\n", "", "" },
		{ " x\n", "", "" },
		{ "\t\n", "", "" },
		{ "\r\n", "\r", "" },
		{ "\x01\n", "\x01", "" },
		{ "\xc3\xa4\n", "\xc3\xa4", "" },
		{ "\t[m_1]\n", "", "m_1" },
		{ " [m_1]\n", "", "m_1" },
		{ " \t [m_1\n", "", "m_1" },
		{ "\t[m_1]\r\n", "", "m_1" },
		{ "[m_1]\n", "[m_1]", "" },
		{ "", "", "" },
	};
	char name[64], line[128];
	struct symbols symbols;

	(void)state;
	for (size_t size = 1; size < 30; size++) {
		for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
			snprintf(name, sizeof(name), "%.*s%s", (int)size,
				 "abcdefghijklmnopqrstuvwxyz.0123", ends[i].behind);
			snprintf(line, sizeof(line), "ffff8000 T %.*s%s", (int)size, name,
				 ends[i].end);
			load(&symbols, line);
			assert_int_equal(symbols.count, 1);
			assert_int_equal(symbols.list->address, 0xffff8000);
			assert_string_equal(symbols_string(&symbols, symbols.list->name), name);
			assert_string_equal(symbols_string(&symbols, symbols.list->module),
					    ends[i].module);
			symbols_deinit(&symbols);
		}
	}
}

static size_t count_of_line(size_t size, const char *end)
{
	char line[2048] = "1000 t ";
	struct symbols symbols;
	size_t count;

	memset(line + 7, 'n', size - 7 - strlen(end));
	strcpy(line + size - strlen(end), end);
	load(&symbols, line);
	count = symbols.count;
	symbols_deinit(&symbols);
	return count;
}

/* Lines have at most 1023 bytes; a file may end directly behind one. */
static void reads_the_longest_lines(void **state)
{
	(void)state;
	assert_int_equal(count_of_line(1023, "\n"), 1);
	assert_int_equal(count_of_line(1024, "\n"), 0);
	assert_int_equal(count_of_line(1022, ""), 1);
	assert_int_equal(count_of_line(1023, ""), 0);
	assert_int_equal(count_of_line(1024, ""), 0);
	assert_int_equal(count_of_line(1028, "1 t a"), 0);
	assert_int_equal(count_of_line(1050, "\n1 t a"), 1);
	assert_int_equal(count_of_line(2046, "\n1 t a"), 1);
}

static void hostile_files_are_bounded(void **state)
{
	static const char nul[] = "1000 t a\0 [b]\n2000 t c\n3000 t d\n";
	size_t size = 1 << 20;
	char *text = malloc(size + 1);
	struct symbols symbols;

	(void)state;
	assert_non_null(text);
	load(&symbols, "");
	assert_int_equal(symbols.count, 0);
	symbols_deinit(&symbols);
	/* a line that is too long is skipped to its end */
	memset(text, 'a', size);
	memcpy(text, "1000 t ", 7);
	strcpy(text + size - 40, " \n2000 t two\n3000 t three");
	load(&symbols, text);
	assert_int_equal(symbols.count, 2);
	assert_text(&symbols, 0x2001, 0, "two+0x1/0x1000");
	symbols_deinit(&symbols);
	write_file(nul, sizeof(nul) - 1);
	assert_int_equal(symbols_load(&symbols, path), 0);
	assert_int_equal(symbols.count, 1);
	assert_text(&symbols, 0x3000, 0, "d+0x0");
	symbols_deinit(&symbols);
	write_file(nul, 13); /* the last line has no newline */
	assert_int_equal(symbols_load(&symbols, path), 0);
	assert_text(&symbols, 0x1000, 0, "a+0x0");
	symbols_deinit(&symbols);
	/* more times than any capture has */
	for (size_t i = 0, at = 0; at < size - 60; i++)
		at += sprintf(text + at, "# since %zu\n%zx t s%zu\n", size - i, 4096 + i, i);
	load(&symbols, text);
	assert_in_range(symbols.snapshot_count, 1000, 1100);
	symbols_deinit(&symbols);
	free(text);
	assert_int_equal(symbols_load(&symbols, "/nonexistent/symbols"), -ENOENT);
	assert_int_equal(symbols_load(&symbols, "/"), -EISDIR);
}

/* Every character at every position of an address: parsed as by strtoull(), or the line is skipped.
 */
static void parses_addresses_as_strtoull(void **state)
{
	(void)state;
	for (size_t place = 0; place < 16; place++) {
		for (int c = 1; c < 256; c++) {
			char line[] = "ffffffff81a9c07e T text\n", *end;
			struct symbols symbols;
			uint64_t address;
			bool is_one;

			line[place] = (char)c;
			address = strtoull(line, &end, 16);
			is_one = end == line + 16 && c != '-' && c != '+' && !isspace(c);
			assert_int_equal(symbols_is_code(line), is_one);
			if (!is_one)
				continue;
			write_file(line, strlen(line));
			assert_int_equal(symbols_load(&symbols, path), 0);
			assert_int_equal(symbols.count, 1);
			assert_true(symbols.list[0].address == address);
			symbols_deinit(&symbols);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_gzip_up_to_damage),
		cmocka_unit_test(sorts_any_order),
		cmocka_unit_test(finds_the_end_of_a_name),
		cmocka_unit_test(reads_the_longest_lines),
		cmocka_unit_test(hostile_files_are_bounded),
		cmocka_unit_test(parses_addresses_as_strtoull),
	};

	return cmocka_run_group_tests_name("symbols_load", tests, make_path, remove_path);
}
