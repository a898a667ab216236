// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The list of modules that kmemtraced keeps and saves. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/symbol_file.h"
#include "tests/unit/unit.h"
#include "tracer/host/module_list.h"

static const char proc[] = "plant 20480 0 - Live 0xffffffffc0a00000 (OE)\n"
			   "virtio_blk 28672 1 - Live 0xffffffffc0200000\n"
			   "virtio 16384 2 virtio_blk,virtio_pci, Loading 0xffffffffc0100000\n"
			   "no line of a module\n"
			   "gone 16384 -1 - Unloading 0xffffffffc0300000";

/* The list as it is saved. */
static void assert_saved(const struct module_list *modules, const char *expected)
{
	gzFile file = gzopen(path, "wb1");
	char text[1024];
	int size;

	assert_non_null(file);
	assert_int_equal(module_list_write(modules, file), 0);
	assert_int_equal(gzclose(file), Z_OK);
	file = gzopen(path, "rb");
	size = gzread(file, text, sizeof(text) - 1);
	gzclose(file);
	assert_in_range(size, 0, sizeof(text) - 1);
	text[size] = '\0';
	assert_string_equal(text, expected);
}

static void reads_proc_modules(void **state)
{
	struct module_list modules = { 0 };

	(void)state;
	assert_int_equal(module_list_parse(&modules, proc), 0);
	assert_false(modules.hidden);
	assert_saved(&modules, "# modules\n"
			       "# module ffffffffc0a00000 20480 plant\n"
			       "# module ffffffffc0200000 28672 virtio_blk\n"
			       "# module ffffffffc0100000 16384 virtio\n"
			       "# module ffffffffc0300000 16384 gone\n");
	assert_int_equal(module_list_find(&modules, "virtio")->address, 0xffffffffc0100000);
	assert_null(module_list_find(&modules, "virti"));
	module_list_deinit(&modules);
	assert_int_equal(module_list_parse(&modules, ""), 0);
	assert_saved(&modules, "# modules\n");
	assert_int_equal(module_list_parse(&modules, "a 20480 0 - Live 0x0000000000000000\n"), 0);
	assert_true(modules.hidden);
	assert_int_equal(modules.count, 0);
	module_list_deinit(&modules);
}

static void load_module(struct module_list *modules, const char *name, uint64_t address,
			uint64_t size, bool init)
{
	struct listed_module module = { .address = address, .size = size, .init = init };

	strcpy(module.name, name);
	assert_int_equal(module_list_load(modules, &module), 0);
}

/* Init functions end when their addresses are used again, or with their module. */
static void modules_come_and_go(void **state)
{
	struct module_list modules = { 0 };

	(void)state;
	load_module(&modules, "a", 0x5000, 0x1000, true);
	assert_null(module_list_find(&modules, "a"));
	load_module(&modules, "a", 0x1000, 0x2000, false);
	load_module(&modules, "b", 0x7000, 0x1000, true);
	load_module(&modules, "b", 0x6000, 0x1000, false);
	load_module(&modules, "a", 0x1000, 0x1800, false);
	assert_saved(&modules, "# modules\n# module 5000 4096 a init\n# module 7000 4096 b init\n"
			       "# module 6000 4096 b\n# module 1000 6144 a\n");
	load_module(&modules, "c", 0x4000, 0x1001, false);
	assert_saved(&modules, "# modules\n# module 7000 4096 b init\n# module 6000 4096 b\n"
			       "# module 1000 6144 a\n# module 4000 4097 c\n");
	module_list_unload(&modules, "b");
	module_list_unload(&modules, "never there");
	assert_saved(&modules, "# modules\n# module 1000 6144 a\n# module 4000 4097 c\n");
	module_list_deinit(&modules);
}

/* Changes without a message are found by comparing with a later list. */
static void finds_changes_without_a_message(void **state)
{
	struct module_list modules = { 0 }, now = { 0 };
	bool changed;

	(void)state;
	load_module(&modules, "stays", 0x1000, 0x1000, false);
	load_module(&modules, "gone", 0x9000, 0x1000, true);
	load_module(&modules, "gone", 0x8000, 0x1000, false);
	load_module(&now, "stays", 0x1000, 0x3000, false);
	load_module(&now, "new", 0x8000, 0x1000, false);
	assert_int_equal(module_list_sync(&modules, &now, &changed), 0);
	assert_true(changed);
	assert_saved(&modules, "# modules\n# module 1000 4096 stays\n# module 8000 4096 new\n");
	assert_int_equal(module_list_sync(&modules, &now, &changed), 0);
	assert_false(changed);
	module_list_deinit(&modules);
	module_list_deinit(&now);
}

/* Messages were lost: from 100 to 200, addresses that may have been unloaded have no name. */
static void forgets_what_may_be_unloaded(void **state)
{
	struct module_list modules = { 0 }, now = { 0 };
	struct symbols symbols;
	bool changed;
	gzFile file;

	(void)state;
	load_module(&modules, "stays", 0x1000, 0x1000, false);
	load_module(&modules, "gone", 0x9000, 0x1000, true);
	load_module(&modules, "gone", 0x8000, 0x1000, false);
	load_module(&modules, "moved", 0x4000, 0x1000, false);
	load_module(&modules, "unlocated", 0, 0, false);
	load_module(&now, "stays", 0x1000, 0x3000, false);
	load_module(&now, "moved", 0x5000, 0x1000, false);
	load_module(&now, "new", 0x8000, 0x1000, false);
	file = gzopen(path, "wb1");
	gzputs(file, "00000100 T _text\n00000200 T _etext\n"
		     "00001000 t stays_one [stays]\n00001100 t stays_two [stays]\n");
	assert_int_equal(module_list_write(&modules, file), 0);
	gzputs(file, "# since 100\n");
	assert_int_equal(module_list_lose(&modules, &now), 0);
	assert_int_equal(module_list_write(&modules, file), 0);
	gzputs(file, "# since 200\n");
	assert_int_equal(module_list_sync(&modules, &now, &changed), 0);
	assert_true(changed);
	assert_int_equal(module_list_write(&modules, file), 0);
	assert_int_equal(gzclose(file), Z_OK);
	assert_int_equal(symbols_load(&symbols, path), 0);
	assert_text(&symbols, 0x110, 150, "_text+0x10/0x100");
	assert_text(&symbols, 0x1010, 150, "stays_one+0x10/0x100 [stays]");
	assert_text(&symbols, 0x8010, 99, "0x8010");
	assert_text(&symbols, 0x8010, 100, "0x8010");
	assert_text(&symbols, 0x8010, 200, "0x8010 [new]");
	assert_text(&symbols, 0x4010, 100, "0x4010");
	assert_text(&symbols, 0x5010, 199, "0x5010");
	assert_text(&symbols, 0x7010, 99, "0x7010 [unlocated, unloaded]");
	assert_text(&symbols, 0x7010, 100, "0x7010");
	assert_text(&symbols, 0x7010, 200, "0x7010");
	symbols_deinit(&symbols);
	module_list_deinit(&modules);
	module_list_deinit(&now);
}

/* Readers of kernel/symbols find the modules that were saved. */
static void readers_find_the_saved_modules(void **state)
{
	struct module_list modules = { 0 };
	struct symbols symbols;
	gzFile file;

	(void)state;
	assert_int_equal(module_list_parse(&modules, proc), 0);
	file = gzopen(path, "wb1");
	assert_int_equal(module_list_write(&modules, file), 0);
	gzputs(file, "# since 5\n");
	module_list_unload(&modules, "plant");
	assert_int_equal(module_list_write(&modules, file), 0);
	assert_int_equal(gzclose(file), Z_OK);
	assert_int_equal(symbols_load(&symbols, path), 0);
	assert_text(&symbols, 0xffffffffc0a04fff, 4, "0xffffffffc0a04fff [plant, unloaded]");
	assert_text(&symbols, 0xffffffffc0a05000, 4, "0xffffffffc0a05000");
	assert_text(&symbols, 0xffffffffc0200000, 9, "0xffffffffc0200000 [virtio_blk]");
	symbols_deinit(&symbols);
	module_list_deinit(&modules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_proc_modules),
		cmocka_unit_test(modules_come_and_go),
		cmocka_unit_test(finds_changes_without_a_message),
		cmocka_unit_test(forgets_what_may_be_unloaded),
		cmocka_unit_test(readers_find_the_saved_modules),
	};

	return cmocka_run_group_tests_name("module_list", tests, make_path, remove_path);
}
