// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* /proc/allocinfo, in each form that kernels print, and its readings in a capture. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "base/text.h"
#include "kernel/allocinfo.h"

static const struct allocinfo_line *line_at(const struct allocinfo_reading *reading,
					    const char *place)
{
	for (size_t i = 0; i < reading->count; i++)
		if (!strcmp(reading->list[i].place, place))
			return &reading->list[i];
	fail_msg("no line %s", place);
	return NULL;
}

/* Lines of one inline function are one; a line that holds nothing is none. */
static void test_proc(void **state)
{
	static const char text[] =
		"allocinfo - version: 1.0\n"
		"#     <size>  <calls> <tag info>\n"
		"           0        0 init/main.c:1314 func:do_initcalls \n"
		"      315392       77 mm/slub.c:2435 func:alloc_slab_page \n"
		"        4096        1 include/linux/slab.h:7 func:kzalloc \n"
		"        8192        2 include/linux/slab.h:7 func:kzalloc \n"
		"        -512        3 drivers/a.c:12 [plant] func:plant_leak \n"
		"          64        1 drivers/a.c:13 module:plant func:plant_one accurate:no \n";
	struct allocinfo_reading reading;
	const struct allocinfo_line *line;

	(void)state;
	assert_int_equal(allocinfo_parse_proc(&reading, text, 5), 0);
	assert_int_equal(reading.count, 4);
	assert_int_equal(reading.time, 5);
	line = line_at(&reading, "include/linux/slab.h:7");
	assert_int_equal(line->bytes, 12288);
	assert_int_equal(line->objects, 3);
	assert_string_equal(line->module, "");
	assert_false(line->is_inexact);
	line = line_at(&reading, "drivers/a.c:12");
	assert_int_equal(line->bytes, -512);
	assert_string_equal(line->function, "plant_leak");
	assert_string_equal(line->module, "plant");
	line = line_at(&reading, "drivers/a.c:13");
	assert_string_equal(line->module, "plant");
	assert_true(line->is_inexact);
	assert_ptr_equal(allocinfo_find(&reading, line), line);
	allocinfo_reading_deinit(&reading);
}

static void test_unknown_format(void **state)
{
	struct allocinfo_reading reading;

	(void)state;
	assert_int_equal(allocinfo_parse_proc(&reading, "", 1), -EINVAL);
	assert_int_equal(allocinfo_parse_proc(&reading, "slabinfo - version: 2.1\n", 1), -EINVAL);
	assert_int_equal(allocinfo_parse_proc(&reading, "allocinfo - version: 3.0\nwhat\n", 1),
			 -EINVAL);
	assert_int_equal(allocinfo_parse_proc(&reading, "allocinfo - version: 1.0\n1 2 a.c:1\n", 1),
			 -EINVAL);
	assert_int_equal(allocinfo_parse_proc(&reading, "allocinfo - version: 1.0\n", 1), 0);
	assert_int_equal(reading.count, 0);
}

/* Of three readings the first and the last one stay. */
static void test_written(void **state)
{
	static const char text[] = "read 5\nline -512 3 a.c:12 f m\nread 6\nline 1 1 b.c:1 g\n"
				   "read 7\ninexact 64 1 a\\x20b.c:13 f\nlater 1\n";
	struct allocinfo allocinfo;
	char *written = NULL;
	size_t size;
	FILE *file;

	(void)state;
	assert_int_equal(allocinfo_parse(&allocinfo, text), 0);
	assert_int_equal(allocinfo.count, 2);
	file = text_open(&written, &size);
	assert_non_null(file);
	assert_int_equal(allocinfo_write(file, &allocinfo.list[0]), 0);
	assert_int_equal(allocinfo_write(file, &allocinfo.list[1]), 0);
	assert_int_equal(text_close(file, &written), 0);
	assert_string_equal(written, "read 5\nline -512 3 a.c:12 f m\nread 7\n"
				     "inexact 64 1 a\\x20b.c:13 f\n");
	free(written);
	allocinfo_deinit(&allocinfo);
}

static void test_refused_allocinfo(void **state)
{
	static const char *const texts[] = { "line 1 1 a.c:1 f\n", "read now\n",
					     "read 1\nline 1 1 a.c:1\n", "read 1\nline 1 a.c:1 f\n",
					     "read 1\nline 99999999999999999999 1 a.c:1 f\n" };
	struct allocinfo allocinfo;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_int_equal(allocinfo_parse(&allocinfo, texts[i]), -EINVAL);
		assert_int_equal(allocinfo.count, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_proc),
		cmocka_unit_test(test_unknown_format),
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_refused_allocinfo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
