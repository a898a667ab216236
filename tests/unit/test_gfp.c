// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* GFP tables, from the formats of ten kernels and from hostile ones. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "base/files.h"
#include "kernel/gfp.h"

/* Bits of the kernel's format, written by hand; 0: the format does not have the name. */
static const struct {
	const char *kernel;
	size_t count;
	uint64_t atomic, nowait, old_atomic, zerotags, no_obj_ext;
} kernels[] = {
	{ "5.10.0-32-amd64-x86_64", 35, 0xa20, 0x800, 0x200, 0, 0 },
	{ "6.1.0-50-amd64-x86_64", 36, 0xa20, 0x800, 0x200, 0x800000, 0 },
	{ "6.1.0-50-arm64-aarch64", 36, 0xa20, 0x800, 0x200, 0x800000, 0 },
	{ "6.1.0-50-armmp-lpae-armv7l", 36, 0xa20, 0x800, 0x200, 0x800000, 0 },
	{ "6.1.0-50-s390x-s390x", 36, 0xa20, 0x800, 0x200, 0x800000, 0 },
	{ "6.12.107+deb13-amd64-x86_64", 35, 0x820, 0x2800, 0, 0x800000, 0 },
	{ "6.12.107+deb13-arm64-aarch64", 35, 0x820, 0x2800, 0, 0x800000, 0 },
	{ "6.12.107+deb13-armmp-lpae-armv7l", 35, 0x820, 0x2800, 0, 0x800000, 0 },
	{ "6.12.107+deb13-s390x", 35, 0x820, 0x2800, 0, 0x800000, 0 },
	{ "6.18.44-x86_64", 38, 0x820, 0x2800, 0, 0x800000, 0x1000000 },
};

static char *read_format(const char *kernel)
{
	char path[4096], *text = NULL;
	size_t size;

	assert_non_null(getenv("srcdir"));
	snprintf(path, sizeof(path), "%s/data/formats/%s/kmalloc.format", getenv("srcdir"), kernel);
	assert_int_equal(read_file(AT_FDCWD, path, 1 << 20, &text, &size), 0);
	assert_true(size > 1000);
	return text;
}

static uint64_t bits_of(const struct gfp_table *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++)
		if (!strcmp(table->list[i].name, name))
			return table->list[i].bits;
	return 0;
}

static void reads_formats_of_all_kernels(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		char *text = read_format(kernels[i].kernel);
		struct gfp_table table;

		assert_int_equal(gfp_parse_format(&table, text), 0);
		assert_int_equal(table.count, kernels[i].count);
		assert_int_equal(bits_of(&table, "GFP_KERNEL"), 0xcc0);
		assert_int_equal(bits_of(&table, "GFP_KERNEL_ACCOUNT"), 0x400cc0);
		assert_int_equal(bits_of(&table, "GFP_TRANSHUGE"), 0x1c24ca);
		assert_int_equal(bits_of(&table, "__GFP_ZERO"), 0x100);
		assert_int_equal(bits_of(&table, "GFP_ATOMIC"), kernels[i].atomic);
		assert_int_equal(bits_of(&table, "GFP_NOWAIT"), kernels[i].nowait);
		assert_int_equal(bits_of(&table, "__GFP_ATOMIC"), kernels[i].old_atomic);
		assert_int_equal(bits_of(&table, "__GFP_ZEROTAGS"), kernels[i].zerotags);
		assert_int_equal(bits_of(&table, "__GFP_NO_OBJ_EXT"), kernels[i].no_obj_ext);
		gfp_deinit(&table);
		free(text);
	}
}

static void prints_flags_as_the_kernel(void **state)
{
	char *format = read_format("6.18.44-x86_64"), text[80];
	struct gfp_table table, none = { 0 };

	(void)state;
	assert_int_equal(gfp_parse_format(&table, format), 0);
	assert_string_equal(gfp_text(&table, 0, text, sizeof(text)), "none");
	assert_string_equal(gfp_text(&table, 0xdc0, text, sizeof(text)), "GFP_KERNEL|__GFP_ZERO");
	assert_string_equal(gfp_text(&table, 0x820, text, sizeof(text)), "GFP_ATOMIC");
	assert_string_equal(gfp_text(&table, 0x80000820, text, sizeof(text)),
			    "GFP_ATOMIC|0x80000000");
	assert_string_equal(gfp_text(&none, 0xcc0, text, sizeof(text)), "0xcc0");
	assert_string_equal(gfp_text(&table, 0xdc0, text, 13), "GFP_KERNEL|_");
	assert_string_equal(gfp_text(&table, 0xdc0, text, 11), "GFP_KERNEL");
	assert_string_equal(gfp_text(&table, 0xdc0, text, 1), "");
	gfp_deinit(&table);
	free(format);
}

/* A line of a capture's table has a name. */
static void ignores_entries_without_name(void **state)
{
	struct gfp_table table;

	(void)state;
	assert_int_equal(gfp_parse_format(&table, "__print_flags(x, \"|\", {1, \"\"}, "
						  "{2, \"GFP_DMA\"})"),
			 0);
	assert_int_equal(table.count, 1);
	assert_string_equal(table.list[0].name, "GFP_DMA");
	gfp_deinit(&table);
}

static void written_flags_are_parsed(void **state)
{
	char *format = read_format("6.12.107+deb13-s390x"), *text;
	struct gfp_table table, copy;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	assert_int_equal(gfp_parse_format(&table, format), 0);
	assert_int_equal(gfp_write(&table, file), 0);
	fclose(file);
	assert_int_equal(gfp_parse(&copy, text), 0);
	assert_int_equal(copy.count, table.count);
	for (size_t i = 0; i < copy.count; i++) {
		assert_int_equal(copy.list[i].bits, table.list[i].bits);
		assert_string_equal(copy.list[i].name, table.list[i].name);
	}
	gfp_deinit(&table);
	gfp_deinit(&copy);
	free(format);
	free(text);
}

static void operators_bind_as_in_c(void **state)
{
	static const char format[] =
		"x __print_flags(REC->f, \"|\", {1 | 2 ^ 3 & 5 << 1 + 1, \"A\"},"
		"{ (( gfp_t)( unsigned long)0x10UL << 2) - 1, \"B\"}, {0,\"ZERO\"},"
		"{~0xfffffff0u, \"C\"}, {-1 & 0xff, \"D\"}, {256 >> 4 << 1, \"E\"},"
		"{ -1, ((void *)0)}, {7, \"BEHIND\"}) : \"none\"";
	struct gfp_table table;

	(void)state;
	assert_int_equal(gfp_parse_format(&table, format), 0);
	assert_int_equal(table.count, 5);
	assert_int_equal(bits_of(&table, "A"), 3);
	assert_int_equal(bits_of(&table, "B"), 0x3f);
	assert_int_equal(bits_of(&table, "C"), 0xf);
	assert_int_equal(bits_of(&table, "D"), 0xff);
	assert_int_equal(bits_of(&table, "E"), 32);
	gfp_deinit(&table);
}

static void wrong_entries_are_skipped(void **state)
{
	static const char *const entries[] = {
		"",
		"{",
		"{1",
		"{1,",
		"{1, \"A",
		"{1, \"A\"",
		"{(1, \"A\"}",
		"{,}",
		"{1 << 64, \"A\"}",
		"{BIT(3), \"A\"}",
		"{___GFP_DMA_BIT, \"A\"}",
		"{99999999999999999999, \"A\"}",
		"{1 2, \"A\"}",
		"{(gfp_t), \"A\"}",
		"{~, \"A\"}",
	};
	struct gfp_table table;
	char text[4096];

	(void)state;
	assert_int_equal(gfp_parse_format(&table, ""), -ENODATA);
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		snprintf(text, sizeof(text), "__print_flags(x, \"|\", %s", entries[i]);
		if (gfp_parse_format(&table, text) != -ENODATA || table.count)
			fail_msg("took %s", entries[i]);
	}
	/* only the entry that is not understood is skipped */
	assert_int_equal(gfp_parse_format(&table,
					  "__print_flags(x, \"|\", {1 << B, \"A\"}, {2, \"C\"})"),
			 0);
	assert_int_equal(table.count, 1);
	assert_string_equal(table.list[0].name, "C");
	gfp_deinit(&table);
}

static void depth_is_bounded(void **state)
{
	static const char head[] = "__print_flags(x, \"|\", {";
	size_t size = 1 << 20;
	char *text = malloc(size);
	struct gfp_table table;

	(void)state;
	assert_non_null(text);
	for (const char *fill = "(~-"; *fill; fill++) {
		memset(text, *fill, size);
		memcpy(text, head, sizeof(head) - 1);
		text[size - 1] = '\0';
		assert_int_equal(gfp_parse_format(&table, text), -ENODATA);
	}
	free(text);
}

static void hostile_lines_are_skipped(void **state)
{
	struct gfp_table table;
	char text[40];

	(void)state;
	assert_int_equal(
		gfp_parse(&table,
			  "0x GFP\n0x1\nbad A\nface 2\n1fffffffffffffffff TOO\n0 NONE\nzz A\n\n\n"
			  "0x2 a\\x20b\n0x4 "
			  "a_name_that_is_longer_than_the_forty_bytes_it_may_have\n"
			  "0x8 cut_o"),
		0);
	assert_int_equal(table.count, 2);
	assert_string_equal(table.list[0].name, "a b");
	assert_int_equal(strlen(table.list[1].name), 39);
	assert_string_equal(gfp_text(&table, 2, text, sizeof(text)), "a b");
	gfp_deinit(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_formats_of_all_kernels),
		cmocka_unit_test(prints_flags_as_the_kernel),
		cmocka_unit_test(ignores_entries_without_name),
		cmocka_unit_test(written_flags_are_parsed),
		cmocka_unit_test(operators_bind_as_in_c),
		cmocka_unit_test(wrong_entries_are_skipped),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(hostile_lines_are_skipped),
	};

	return cmocka_run_group_tests_name("gfp", tests, NULL, NULL);
}
