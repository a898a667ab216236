// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The line of a path: what is left out when it is too long. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "report/render/path_text.h"

static const struct column column = {
	.key = "path", .header = "path", .unit = "samples", .type = COLUMN_PATH
};

static void assert_line(const char *path, uint64_t with, uint64_t all, size_t width,
			const char *expected)
{
	char *copy = strdup(path), *line;
	const struct cell cells[] = { { .text = copy }, { .number = with }, { .number = all } };

	line = path_text(&column, cells, width);
	assert_non_null(line);
	assert_string_equal(line, expected);
	assert_true(strlen(line) <= width);
	free(line);
	free(copy);
}

static void shows_all_if_it_fits(void **state)
{
	(void)state;
	assert_line("cp;openat;do_open;site", 12, 40, 79,
		    "path (12 of 40 samples): cp > openat > do_open > site");
	assert_line("cp;openat;do_open;site", 12, 40, 53,
		    "path (12 of 40 samples): cp > openat > do_open > site");
	assert_line("cp;read", 40, 40, 79, "path (40 samples): cp > read");
	assert_line("read", 1, 1, 79, "path (1 sample): read");
}

/* The ends stay, and of the functions between them the inner ones. */
static void leaves_out_the_middle(void **state)
{
	static const char path[] = "cp;openat;outer;middle;inner;site";

	(void)state;
	assert_line(path, 4, 4, 62,
		    "path (4 samples): cp > openat > outer > middle > inner > site");
	assert_line(path, 4, 4, 59, "path (4 samples): cp > openat > ... > middle > inner > site");
	assert_line(path, 4, 4, 58, "path (4 samples): cp > openat > ... > inner > site");
	assert_line(path, 4, 4, 49, "path (4 samples): cp > openat > ... > site");
	assert_line(path, 4, 4, 41, "path (4 samples): cp > ... > inner > site");
	assert_line(path, 4, 4, 34, "path (4 samples): cp > ... > site");
	assert_line(path, 4, 4, 32, "path (4 samples): ... > site");
	assert_line(path, 4, 4, 27, "path (4 samples): ... > ...");
}

static void is_printable_ascii(void **state)
{
	(void)state;
	assert_line("b\xc3\xa4r;site", 1, 2, 79, "path (1 of 2 samples): b\\xc3\\xa4r > site");
	assert_line("b\xc3\xa4r;read;site", 1, 2, 46,
		    "path (1 of 2 samples): b\\xc3\\xa4r > ... > site");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_all_if_it_fits),
		cmocka_unit_test(leaves_out_the_middle),
		cmocka_unit_test(is_printable_ascii),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
