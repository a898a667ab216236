// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A symbol ends where its module or the kernel's code ends; modules come, go and move. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "tests/unit/symbol_file.h"

static void labels_are_no_symbols(void **state)
{
	struct symbols symbols;

	(void)state;
	load(&symbols, "00001000 t main_one [m]\n"
		       "00001010 t .LVL20 [m]\n"
		       "00001020 t $x [m]\n"
		       "00001030 t L0 [m]\n"
		       "00001040 t .Lfunc [m]\n"
		       "00001050 t .L [m]\n"
		       "00001100 t L1_one [m]\n"
		       "00001200 t .text [m]\n"
		       "00001300 t L [m]\n");
	assert_int_equal(symbols.count, 4);
	assert_text(&symbols, 0x1055, 0, "main_one+0x55/0x100 [m]");
	assert_text(&symbols, 0x1155, 0, "L1_one+0x55/0x100 [m]");
	symbols_deinit(&symbols);
	assert_false(symbols_is_code("ffffffff02354000 t .LVL20\t[m]\n"));
	assert_false(symbols_is_code("ffffffff02354000 t $x.3\n"));
	assert_true(symbols_is_code("ffffffff02354000 t L\t[m]\n"));
}

/* The ends are not always of the type of code, and may be neither sorted nor the only symbol there.
 */
static void the_kernels_code_ends(void **state)
{
	struct symbols symbols;

	(void)state;
	load(&symbols, "00001000 T _text\n"
		       "00001100 t last\n"
		       "00001180 R _etext\n"
		       "00008000 T _sinittext\n"
		       "00008100 t last_init\n"
		       "00008140 T _einittext\n"
		       "00008140 t first_exit\n"
		       "00008150 t last_exit\n"
		       "00008170 D __exittext_end\n"
		       "00009000 t module [m]\n"
		       "00009100 D _etext [m]\n");
	assert_text(&symbols, 0x117f, 0, "last+0x7f/0x80");
	assert_text(&symbols, 0x1180, 0, "0x1180");
	assert_text(&symbols, 0x7fff, 0, "0x7fff");
	assert_text(&symbols, 0x813f, 0, "last_init+0x3f/0x40");
	assert_text(&symbols, 0x8140, 0, "first_exit+0x0/0x10");
	assert_text(&symbols, 0x816f, 0, "last_exit+0x1f/0x20");
	assert_text(&symbols, 0x8170, 0, "0x8170");
	assert_text(&symbols, 0x9100, 0, "module+0x100 [m]");
	symbols_deinit(&symbols);
	assert_true(symbols_is_code("ffffffff02354000 R _etext\n"));
	assert_false(symbols_is_code("ffffffff02354000 R _etexts\n"));
	assert_false(symbols_is_code("ffffffff02354000 R _etext [m]\n"));
	assert_false(symbols_is_code("ffffffff02354000 R _edata\n"));
}

#define AT_START                                        \
	"00001000 T _text\n00001100 T _etext\n"         \
	"bf000000 t a_one [a]\nbf000100 t a_last [a]\n" \
	"bf010000 t b_one [b]\nbf010100 t b_last [b]\n" \
	"# modules\n# module bf010000 8192 b\n# module bf000000 16384 a\n"

static void last_symbol_ends_with_its_module(void **state)
{
	struct symbols symbols;

	(void)state;
	load(&symbols, AT_START);
	assert_text(&symbols, 0xbf0000ff, 0, "a_one+0xff/0x100 [a]");
	assert_text(&symbols, 0xbf003fff, 0, "a_last+0x3eff [a]");
	assert_text(&symbols, 0xbf004000, 0, "0xbf004000");
	assert_text(&symbols, 0xbf011fff, 7, "b_last+0x1eff [b]");
	assert_text(&symbols, 0xbf012000, 7, "0xbf012000");
	assert_text(&symbols, 0xbeffffff, 7, "0xbeffffff");
	symbols_deinit(&symbols);
}

/*
 * Module c was loaded at 100 and unloaded at 200. Module d was loaded at the same address at 300;
 * its symbols were not read.
 */
#define CAME_AND_WENT                                                                            \
	AT_START "# since 100\n# modules\n# module bf004000 8192 c\n# module bf010000 8192 b\n"  \
		 "# module bf000000 16384 a\n"                                                   \
		 "bf004000 t c_one [c]\nbf004100 t c_last [c]\n"                                 \
		 "bf000000 t a_one [a]\nbf000100 t a_last [a]\n"                                 \
		 "bf010000 t b_one [b]\nbf010100 t b_last [b]\n"                                 \
		 "# since 200\n# modules\n# module bf010000 8192 b\n# module bf000000 16384 a\n" \
		 "# since 300\n# modules\n# module bf004000 4096 d\n# module bf000000 16384 a\n" \
		 "# since 400\n# modules\n# module bf000000 16384 a\n"

static void no_module_gets_the_code_of_another(void **state)
{
	struct symbols symbols;

	(void)state;
	load(&symbols, CAME_AND_WENT);
	assert_int_equal(symbols.modules.count, 4);
	assert_text(&symbols, 0xbf004110, 100, "c_last+0x10 [c]");
	assert_text(&symbols, 0xbf004110, 199, "c_last+0x10 [c]");
	/* an event may be older than the time at which its module was seen */
	assert_text(&symbols, 0xbf004010, 50, "c_one+0x10/0x100 [c]");
	assert_text(&symbols, 0xbf004010, 300, "0xbf004010 [d, unloaded]");
	assert_text(&symbols, 0xbf004110, 399, "0xbf004110 [d, unloaded]");
	assert_text(&symbols, 0xbf004110, 200, "0xbf004110 [d, unloaded]");
	assert_text(&symbols, 0xbf004110, 400, "0xbf004110");
	assert_text(&symbols, 0xbf005110, 350, "0xbf005110");
	assert_text(&symbols, 0xbf000110, 500, "a_last+0x10 [a]");
	assert_text(&symbols, 0xbf010110, 299, "b_last+0x10 [b]");
	assert_null(symbols_find_module(&symbols, 0xbf010110, 300));
	assert_text(&symbols, 0xbf010110, 300, "0xbf010110");
	assert_null(symbols_find(&symbols, 0xbf004110, 399));
	symbols_deinit(&symbols);
}

/*
 * Module c was loaded at 100 and unloaded at 150, before its address was read. Module d was loaded
 * there at 200. From 300 to 400 the addresses of two modules are unknown.
 */
#define UNLOCATED                                                                      \
	AT_START "# since 100\n# modules\n# module 0 0 c\n# module bf010000 8192 b\n"  \
		 "# module bf000000 16384 a\n"                                         \
		 "# since 150\n# modules\n# module bf010000 8192 b\n"                  \
		 "# module bf000000 16384 a\n"                                         \
		 "# since 200\n# modules\n# module bf004000 4096 d\n"                  \
		 "# module bf000000 16384 a\nbf004000 t d_one [d]\n"                   \
		 "bf000000 t a_one [a]\nbf000100 t a_last [a]\n"                       \
		 "# since 300\n# modules\n# module 0 0 e\n# module bf000000 16384 a\n" \
		 "# module 0 0 f\n"                                                    \
		 "# since 400\n# modules\n# module 0 0 e\n# module bf000000 16384 a\n"

static void unknown_code_is_of_the_module_without_address(void **state)
{
	struct symbols symbols;

	(void)state;
	load(&symbols, UNLOCATED);
	assert_text(&symbols, 0xbf004010, 99, "d_one+0x10 [d]");
	assert_text(&symbols, 0xbf004010, 100, "0xbf004010 [c, unloaded]");
	assert_text(&symbols, 0xbf004010, 149, "0xbf004010 [c, unloaded]");
	assert_text(&symbols, 0xbf777777, 149, "0xbf777777 [c, unloaded]");
	/* b may end before its size in /proc/modules says */
	assert_text(&symbols, 0xbf010010, 149, "b_one+0x10/0x100 [b]");
	assert_text(&symbols, 0xbf010fff, 149, "b_last+0xeff [b]");
	assert_text(&symbols, 0xbf011000, 149, "0xbf011000");
	assert_text(&symbols, 0xbf011000, 150, "b_last+0xf00 [b]");
	assert_text(&symbols, 0x1010, 149, "_text+0x10/0x100");
	assert_text(&symbols, 0xbf004010, 150, "d_one+0x10 [d]");
	assert_text(&symbols, 0xbf004010, 200, "d_one+0x10 [d]");
	assert_text(&symbols, 0xbf777777, 200, "0xbf777777");
	assert_text(&symbols, 0xbf777777, 300, "0xbf777777");
	assert_text(&symbols, 0xbf777777, 400, "0xbf777777 [e]");
	assert_text(&symbols, 0, 400, "0x0");
	symbols_deinit(&symbols);
	/* without its symbols, it may be the kernel itself */
	load(&symbols, "# modules\n# module 0 0 e\n");
	assert_text(&symbols, 0xbf777777, 400, "0xbf777777");
	symbols_deinit(&symbols);
}

/*
 * The kernel frees init functions and BPF programs; their symbols stay. A module whose address is
 * unknown may be in their place: neither has the other's name.
 */
static void freed_code_has_no_name_beside_a_module_without_address(void **state)
{
	struct symbols symbols;

	(void)state;
	load(&symbols, "00001000 T _text\n00001100 T _etext\n"
		       "bf040000 t prog_one [bpf]\nbf040800 t prog_two [bpf]\n"
		       "# modules\n"
		       "# since 100\n# modules\n# module bf020000 8192 a init\n"
		       "# module bf000000 4096 a\nbf000000 t a_one [a]\nbf000100 t a_two [a]\n"
		       "bf020000 t a_init_one [a]\nbf020080 t a_init_two [a]\n"
		       "# since 150\n# modules\n# module bf020000 8192 a init\n"
		       "# module bf000000 4096 a\n# module bf060000 4096 b init\n"
		       "# module bf008000 4096 b\n"
		       "# since 200\n# modules\n# module bf020000 8192 a init\n"
		       "# module bf000000 4096 a\n# module bf060000 4096 b init\n"
		       "# module bf008000 4096 b\n# module 0 0 c\n"
		       "# since 300\n# modules\n# module bf060000 4096 b init\n"
		       "# module bf008000 4096 b\n# module 0 0 c\n");
	assert_text(&symbols, 0xbf020010, 199, "a_init_one+0x10/0x80 [a]");
	assert_text(&symbols, 0xbf040010, 199, "prog_one+0x10/0x800 [bpf]");
	assert_text(&symbols, 0xbf060010, 199, "0xbf060010 [b]");
	assert_text(&symbols, 0xbf000010, 200, "a_one+0x10/0x100 [a]");
	assert_text(&symbols, 0x1010, 200, "_text+0x10/0x100");
	assert_text(&symbols, 0xbf020010, 200, "0xbf020010");
	assert_text(&symbols, 0xbf021010, 200, "0xbf021010");
	assert_text(&symbols, 0xbf040010, 200, "0xbf040010");
	assert_text(&symbols, 0xbf060010, 200, "0xbf060010");
	/* the init functions of b have at least one page */
	assert_text(&symbols, 0xbf061010, 200, "0xbf061010");
	assert_text(&symbols, 0xbf070010, 200, "0xbf070010 [c]");
	/* module a is gone, all its code too */
	assert_text(&symbols, 0xbf020010, 300, "0xbf020010 [c]");
	symbols_deinit(&symbols);
}

/* A module that is loaded again, at its old place and at another. */
static void reloaded_modules_keep_their_names(void **state)
{
	struct symbols symbols;

	(void)state;
	load(&symbols, "bf000000 t a_one [a]\nbf000100 t a_last [a]\n"
		       "# modules\n# module bf000000 4096 a\n"
		       "# since 10\n# modules\n"
		       "# since 20\n# modules\n# module bf000000 4096 a\n"
		       "bf000000 t a_one [a]\nbf000100 t a_last [a]\n"
		       "# since 30\n# modules\n"
		       "# since 40\n# modules\n# module bf000080 4096 a\n"
		       "bf000080 t a_one [a]\nbf000180 t a_last [a]\n");
	assert_int_equal(symbols.modules.count, 3);
	assert_text(&symbols, 0xbf000090, 9, "a_one+0x90/0x100 [a]");
	assert_text(&symbols, 0xbf000090, 25, "a_one+0x90/0x100 [a]");
	assert_text(&symbols, 0xbf000090, 41, "a_one+0x10/0x100 [a]");
	assert_text(&symbols, 0xbf000ff0, 25, "a_last+0xef0 [a]");
	assert_text(&symbols, 0xbf001001, 45, "a_last+0xe81 [a]");
	symbols_deinit(&symbols);
}

static void modules_of_one_fnv_hash_are_two(void **state)
{
	struct symbols symbols;

	(void)state;
	/* the second takes the place of the first */
	load(&symbols, "# modules\n# module bf000000 4096 " FNV_NAME "\n"
		       "# since 10\n# modules\n# module bf000000 4096 " FNV_TWIN "\n");
	assert_int_equal(symbols.modules.count, 2);
	assert_text(&symbols, 0xbf000010, 5, "0xbf000010 [" FNV_NAME ", unloaded]");
	assert_text(&symbols, 0xbf000010, 15, "0xbf000010 [" FNV_TWIN "]");
	symbols_deinit(&symbols);
}

/*
 * The size in /proc/modules includes data that lies elsewhere, so that two modules may seem to
 * overlap. Of several sizes of a module, the smallest counts.
 */
static void code_ends_where_another_module_begins(void **state)
{
	struct symbols symbols;

	(void)state;
	load(&symbols, "bf000000 t a_one [a]\nbf000100 t a_last [a]\nbf002000 t b_one [b]\n"
		       "# modules\n# module bf002000 4096 b\n# module bf000000 65536 a\n"
		       "# since 10\n# modules\n# module bf000000 32768 a\n"
		       "# since 20\n# modules\n# module bf000000 65536 a\n");
	assert_text(&symbols, 0xbf001fff, 0, "a_last+0x1eff [a]");
	assert_text(&symbols, 0xbf002010, 0, "b_one+0x10 [b]");
	assert_text(&symbols, 0xbf007fff, 25, "0xbf007fff");
	symbols_deinit(&symbols);
	load(&symbols, "bf000000 t a_one [a]\nbf000100 t a_last [a]\n"
		       "# modules\n# module bf000000 65536 a\n"
		       "# since 10\n# modules\n# module bf000000 32768 a\n"
		       "# since 20\n# modules\n# module bf000000 65536 a\n");
	assert_text(&symbols, 0xbf007fff, 25, "a_last+0x7eff [a]");
	assert_text(&symbols, 0xbf008000, 25, "0xbf008000");
	symbols_deinit(&symbols);
}

/* Init functions lie outside of the addresses that /proc/modules shows, in pages of their own. */
static void init_code_has_its_names(void **state)
{
	struct symbols symbols;

	(void)state;
	load(&symbols, "# modules\n# since 5\n# modules\n# module bf000000 4096 a\n"
		       "bf000000 t a_one [a]\nbf000100 t a_last [a]\n"
		       "bf008000 t a_init [a]\nbf008200 t a_init_last [a]\n"
		       "bf00c000 t prog_one [bpf]\nbf00c800 t prog_last [bpf]\n"
		       "# since 9\n# modules\n# module bf000000 4096 a\n"
		       "# module bf008100 4096 n\n");
	assert_text(&symbols, 0xbf000ff0, 6, "a_last+0xef0 [a]");
	assert_text(&symbols, 0xbf001000, 6, "0xbf001000");
	assert_text(&symbols, 0xbf008110, 6, "a_init+0x110/0x200 [a]");
	assert_text(&symbols, 0xbf008110, 9, "0xbf008110 [n]");
	assert_text(&symbols, 0xbf008010, 6, "a_init+0x10/0x200 [a]");
	symbols_deinit(&symbols);
	load(&symbols, "# modules\n# module bf000000 4096 a\n# module bf00f000 16 z\n"
		       "bf000100 t a_last [a]\nbf008000 t a_init [a]\nbf008200 t a_init_last [a]\n"
		       "bf00c000 t prog_one [bpf]\nbf00c800 t prog_last [bpf]\n");
	assert_text(&symbols, 0xbf008fff, 6, "a_init_last+0xdff [a]");
	assert_text(&symbols, 0xbf009000, 6, "0xbf009000");
	assert_text(&symbols, 0xbf00cfff, 6, "prog_last+0x7ff [bpf]");
	assert_text(&symbols, 0xbf00d000, 6, "0xbf00d000");
	assert_text(&symbols, 0xbf00f001, 6, "0xbf00f001 [z]");
	symbols_deinit(&symbols);
}

static void damaged_lists_are_bounded(void **state)
{
	size_t at = 0, size = 4 << 20;
	char *text = malloc(size);
	struct symbols symbols;

	(void)state;
	assert_non_null(text);
	/* a module without a list, without a size, without a name, and up to the last address */
	load(&symbols, "# module bf000000 4096 a\n# modules\n# module bf001000\n# module\n"
		       "# module bf002000 16\n# module ffffffffffff0000 18446744073709551615 e\n"
		       "# modules of\n");
	assert_int_equal(symbols.modules.count, 2);
	assert_text(&symbols, 0xfffffffffffffff0, 0, "0xfffffffffffffff0");
	symbols_deinit(&symbols);
	/* modules that are loaded and unloaded 2000 times, each time beside others */
	for (unsigned int i = 0; i < 2000; i++)
		at += (size_t)sprintf(text + at,
				      "# since %u\n# modules\n# module %x 4096 m%u\n"
				      "# module 1000 4096 stays\n",
				      i + 1, 0x10000 + i % 7 * 0x1000, i % 7);
	load(&symbols, text);
	assert_int_equal(symbols.modules.count, 2001);
	assert_text(&symbols, 0x11010, 1500, "0x11010 [m1, unloaded]");
	assert_text(&symbols, 0x1010, 1999, "0x1010 [stays]");
	symbols_deinit(&symbols);
	/* more than any kernel has */
	at = (size_t)sprintf(text, "# modules\n");
	for (unsigned int i = 0; i < 70000; i++)
		at += (size_t)sprintf(text + at, "# module %x 16 m\n", 0x10000 + i * 16);
	assert_in_range(at, 1, size - 1);
	write_file(text, at);
	assert_int_equal(symbols_load(&symbols, path), -EFBIG);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_are_no_symbols),
		cmocka_unit_test(the_kernels_code_ends),
		cmocka_unit_test(last_symbol_ends_with_its_module),
		cmocka_unit_test(no_module_gets_the_code_of_another),
		cmocka_unit_test(unknown_code_is_of_the_module_without_address),
		cmocka_unit_test(freed_code_has_no_name_beside_a_module_without_address),
		cmocka_unit_test(reloaded_modules_keep_their_names),
		cmocka_unit_test(modules_of_one_fnv_hash_are_two),
		cmocka_unit_test(code_ends_where_another_module_begins),
		cmocka_unit_test(init_code_has_its_names),
		cmocka_unit_test(damaged_lists_are_bounded),
	};

	return cmocka_run_group_tests_name("symbols_modules", tests, make_path, remove_path);
}
