// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A trimmed capture has the symbols of its call sites and of the functions in its stacks, and no
 * others. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "capture/pack/trim.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

static bool has_symbol(const struct capture *capture, const char *name)
{
	const struct symbols *symbols = &capture->symbols;

	for (size_t i = 0; i < symbols->count; i++)
		if (!strcmp(symbols_string(symbols, symbols->list[i].name), name))
			return true;
	return false;
}

/* A call may be the last instruction of its function: then it returns behind it. */
static void keeps_the_functions_that_are_used(void **state)
{
	char *directory = scratch_capture("symbol 0xffffffff81000000 maker\n"
					  "symbol 0xffffffff81000100 unused\n"
					  "symbol 0xffffffff81000200 caller\n"
					  "symbol 0xffffffff81000300 behind\n"
					  "symbol 0xffffffff81000400 end\n"
					  "symbol 0xffffffff81000500 neither\n"
					  "symbol 0xffffffff81000600 last\n"
					  "alloc 10 0 0xffff888000010000 8/8 maker+0x10\n");
	struct capture capture;
	struct error error = { 0 };

	(void)state;
	scratch_put(directory, "kernel/stacks", "stack a1 1 0 ffffffff81000010 ffffffff81000300\n");
	if (trim_capture(directory, &error))
		fail_msg("%s", error.text);
	assert_int_equal(capture_open(&capture, directory), 0);
	assert_true(has_symbol(&capture, "maker"));
	assert_true(has_symbol(&capture, "caller"));
	assert_false(has_symbol(&capture, "neither"));
	capture_close(&capture);
	scratch_remove(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_the_functions_that_are_used),
	};

	return cmocka_run_group_tests_name("trim", tests, NULL, NULL);
}
