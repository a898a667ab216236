// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Symbols are found by address and time, and numbered by name. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "tests/unit/symbol_file.h"

static const char kernel[] = "ffffffff81000000 T _text\n"
			     "ffffffff81000000 T _stext\n"
			     "ffffffff81000040 t first\n"
			     "ffffffff81000050 D data\n"
			     "ffffffff81000060 W weak\n"
			     "ffffffff81000070 t $x\n"
			     "ffffffff81000100 T _etext\n"
			     "ffffffffc0001000 t b_init\t[b_mod]\n"
			     "ffffffffc0000100 t a_last\t[a_mod]\n"
			     "ffffffffc0000000 t a_init\t[a_mod]\n";

static void finds_names_and_sizes(void **state)
{
	struct symbols symbols;
	char text[20];

	(void)state;
	load(&symbols, kernel);
	assert_int_equal(symbols.count, 6);
	assert_int_equal(symbols.snapshot_count, 1);
	assert_false(symbols.hidden);
	assert_false(symbols.damaged);
	assert_text(&symbols, 0xffffffff81000000, 0, "_text+0x0/0x40");
	assert_text(&symbols, 0xffffffff81000055, 0, "first+0x15/0x20");
	assert_text(&symbols, 0xffffffff81000071, 5, "weak+0x11/0xa0");
	assert_text(&symbols, 0xffffffffc0000010, 0, "a_init+0x10/0x100 [a_mod]");
	assert_text(&symbols, 0xffffffff80ffffff, 0, "0xffffffff80ffffff");
	assert_string_equal(symbols_text(&symbols, 0xffffffffc0000010, 0, text, sizeof(text)),
			    "a_init+0x10/0x100 [");
	assert_string_equal(symbols_string(&symbols, UINT32_MAX), "");
	symbols_deinit(&symbols);
}

static void last_symbol_of_a_module_is_limited(void **state)
{
	struct symbols symbols;

	(void)state;
	load(&symbols, kernel);
	assert_text(&symbols, 0xffffffffc0000123, 0, "a_last+0x23 [a_mod]");
	assert_text(&symbols, 0xffffffffc0001001, 0, "b_init+0x1 [b_mod]");
	assert_text(&symbols, 0xffffffffc0001000 + 65535, 0, "b_init+0xffff [b_mod]");
	assert_text(&symbols, 0xffffffffc0001000 + 65536, 0, "0xffffffffc0011000");
	assert_text(&symbols, 0xffffffff81000100, 0, "0xffffffff81000100");
	symbols_deinit(&symbols);
}

static void time_decides_between_modules(void **state)
{
	static const char text[] = "00001000 T kernel\n"
				   "00002000 T end\n"
				   "bf000000 t a_one [a]\n"
				   "bf000100 t a_two [a]\n"
				   "bf000200 t a_end [a]\n"
				   "bf004000 t stay [s]\n"
				   "bf004100 t stay_end [s]\n"
				   "# since 500\n"
				   "bf000080 t n_one [n]\n"
				   "bf000180 t n_end [n]\n"
				   "bf004000 t stay [s]\n"
				   "bf004100 t stay_end [s]\n"
				   "# since 900\n"
				   "bf000000 t a_one [a]\n"
				   "bf000100 t a_two [a]\n"
				   "bf000200 t a_end [a]\n"
				   "bf004000 t stay [s]\n"
				   "bf004100 t stay_end [s]\n"
				   "bf008000 t late [l]\n"
				   "bf008010 t late_end [l]\n"
				   "# since soon\n# what\n#\n";
	struct symbols symbols;

	(void)state;
	load(&symbols, text);
	assert_int_equal(symbols.snapshot_count, 3);
	assert_int_equal(symbols.count, 7 + 2 + 5);
	assert_text(&symbols, 0xbf000090, 0, "a_one+0x90/0x100 [a]");
	assert_text(&symbols, 0xbf000090, 499, "a_one+0x90/0x100 [a]");
	assert_text(&symbols, 0xbf000090, 500, "n_one+0x10/0x100 [n]");
	assert_text(&symbols, 0xbf000090, 900, "a_one+0x90/0x100 [a]");
	assert_text(&symbols, 0xbf000190, 899, "n_end+0x10 [n]");
	/* the last symbol of module n ends where the module that stayed begins */
	assert_text(&symbols, 0xbf004010, 600, "stay+0x10/0x100 [s]");
	assert_text(&symbols, 0xbf004010, 1000, "stay+0x10/0x100 [s]");
	assert_text(&symbols, 0x1800, 1000, "kernel+0x800/0x1000");
	/* an event may be older than the time at which its module was seen */
	assert_text(&symbols, 0xbf008001, 3, "late+0x1/0x10 [l]");
	symbols_deinit(&symbols);
}

static void assert_rank(const struct symbols_names *names, uint64_t address, uint64_t time,
			size_t expected, size_t expected_count)
{
	size_t count;

	assert_int_equal(symbols_rank(names, symbols_find(names->symbols, address, time), &count),
			 expected);
	assert_int_equal(count, expected_count);
}

/* The position among the symbols of the same name, module and time. */
static void numbers_functions_of_one_name(void **state)
{
	static const char text[] = "00005000 t show\n"
				   "00001000 t show\n"
				   "00002000 t showy\n"
				   "00003000 t show\n"
				   "00004000 t sho\n"
				   /* names, and modules with this name, of one hash */
				   "00006000 t costarring\n"
				   "00007000 t liquid\n"
				   "00008000 t costarring\n"
				   "bf010000 t show [m36096]\n"
				   "bf020000 t show [m651420]\n"
				   "bf030000 t show [m36096]\n"
				   "bf000000 t show [a]\n"
				   "bf000100 t show [b]\n"
				   "bf000200 t show [b]\n"
				   "bf000300 t end [b]\n"
				   "# since 500\n"
				   "bf001200 t show [b]\n"
				   "bf001100 t show [b]\n"
				   "bf001300 t show [b]\n"
				   "bf001400 t end [b]\n"
				   "# since 18446744073709551615\n"
				   "bf002100 t show [c]\n"
				   "bf002200 t show [c]\n";
	struct symbols_names names;
	struct symbols symbols;

	(void)state;
	load(&symbols, text);
	assert_int_equal(symbols_names_init(&names, &symbols), 0);
	assert_int_equal(names.count, symbols.count);
	assert_rank(&names, 0x1004, 0, 1, 3);
	assert_rank(&names, 0x3004, 0, 2, 3);
	assert_rank(&names, 0x5004, 0, 3, 3);
	assert_rank(&names, 0x2004, 0, 1, 1);
	assert_rank(&names, 0x4004, 0, 1, 1);
	assert_rank(&names, 0x6004, 0, 1, 2);
	assert_rank(&names, 0x7004, 0, 1, 1);
	assert_rank(&names, 0x8004, 0, 2, 2);
	assert_rank(&names, 0xbf010004, 0, 1, 2);
	assert_rank(&names, 0xbf020004, 0, 1, 1);
	assert_rank(&names, 0xbf030004, 0, 2, 2);
	assert_rank(&names, 0xbf000004, 0, 1, 1);
	assert_rank(&names, 0xbf000104, 0, 1, 2);
	assert_rank(&names, 0xbf000204, 0, 2, 2);
	assert_rank(&names, 0xbf000304, 0, 1, 1);
	assert_rank(&names, 0xbf001104, 900, 1, 3);
	assert_rank(&names, 0xbf001204, 900, 2, 3);
	assert_rank(&names, 0xbf001304, 900, 3, 3);
	assert_rank(&names, 0xbf001404, 900, 1, 1);
	assert_rank(&names, 0xbf002104, UINT64_MAX, 1, 2);
	assert_rank(&names, 0xbf002204, UINT64_MAX, 2, 2);
	symbols_names_deinit(&names);
	symbols_names_deinit(&names);
	symbols_deinit(&symbols);

	load(&symbols, "");
	assert_int_equal(symbols_names_init(&names, &symbols), 0);
	assert_int_equal(names.count, 0);
	symbols_names_deinit(&names);
	symbols_deinit(&symbols);
}

/* Compares many symbols with plain loops. There are few names, so that many symbols share one. */
static void numbers_many_functions(void **state)
{
	char *text = malloc(200000), *at = text;
	struct symbols_names names;
	struct symbols symbols;
	size_t count;

	(void)state;
	assert_non_null(text);
	for (unsigned int i = 0; i < 3000; i++) {
		if (i % 1000 == 999)
			at += sprintf(at, "# since %u\n", i);
		at += sprintf(at, "%x t f%u [m%u]\n", 0x1000 + i * 7919 % 3001 * 16, i * i % 37,
			      i % 5);
	}
	load(&symbols, text);
	free(text);
	assert_in_range(symbols.count, 2990, 3000);
	assert_int_equal(symbols_names_init(&names, &symbols), 0);
	for (size_t i = 0; i < symbols.count; i++) {
		const struct symbol *symbol = &symbols.list[i];
		size_t before = 0, all = 0;

		for (size_t k = 0; k < symbols.count; k++) {
			const struct symbol *other = &symbols.list[k];

			if (other->since != symbol->since ||
			    strcmp(symbols.text + other->name, symbols.text + symbol->name) ||
			    strcmp(symbols.text + other->module, symbols.text + symbol->module))
				continue;
			before += other->address < symbol->address;
			all++;
		}
		assert_int_equal(symbols_rank(&names, symbol, &count), before + 1);
		assert_int_equal(count, all);
	}
	symbols_names_deinit(&names);
	symbols_deinit(&symbols);
}

static void detects_hidden_addresses(void **state)
{
	struct symbols symbols;

	(void)state;
	load(&symbols, "0000000000000000 T _text\n0000000000000000 t first\n");
	assert_true(symbols.hidden);
	assert_int_equal(symbols.count, 0);
	assert_text(&symbols, 0x1234, 0, "0x1234");
	symbols_deinit(&symbols);
	load(&symbols, "0000000000000000 T _text\n0000000000001000 t first\n");
	assert_false(symbols.hidden);
	assert_int_equal(symbols.count, 1);
	symbols_deinit(&symbols);
	load(&symbols, "0000000000000000 D data\n");
	assert_false(symbols.hidden);
	symbols_deinit(&symbols);
}

static void uses_lines_of_code_only(void **state)
{
	(void)state;
	assert_true(symbols_is_code("ffffffff81000000 T _text\n"));
	assert_true(symbols_is_code("c0008000 w x [y]"));
	assert_true(symbols_is_code("0000000000000000 t zero"));
	assert_false(symbols_is_code("ffffffff81000000 D data\n"));
	assert_false(symbols_is_code("ffffffff81000000 t $d.12\n"));
	assert_false(symbols_is_code("fffffffffffffffff t long\n"));
	assert_false(symbols_is_code("ffffffff81000000 t \n"));
	assert_false(symbols_is_code("ffffffff81000000 "));
	assert_false(symbols_is_code("ffffffff81000000"));
	assert_false(symbols_is_code("# since 5"));
	assert_false(symbols_is_code(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_names_and_sizes),
		cmocka_unit_test(last_symbol_of_a_module_is_limited),
		cmocka_unit_test(time_decides_between_modules),
		cmocka_unit_test(numbers_functions_of_one_name),
		cmocka_unit_test(numbers_many_functions),
		cmocka_unit_test(detects_hidden_addresses),
		cmocka_unit_test(uses_lines_of_code_only),
	};

	return cmocka_run_group_tests_name("symbols", tests, make_path, remove_path);
}
