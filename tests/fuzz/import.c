// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "capture/import/import_finish.h"
#include "check/check.h"
#include "tests/fuzz/import.h"

/*
 * A capture that was just written needs no repair, whatever the recording was. An impossible event
 * of a damaged recording is a problem that no repair removes.
 */
static void expect_whole(const char *path)
{
	struct check_problems problems = { 0 };
	struct check_result result = { 0 };
	struct error error = { 0 };
	char *text;
	size_t size;
	int err;

	fuzz_output_begin();
	err = check_capture(path, &problems, &result, &error);
	text = fuzz_output_end(&size);
	if (err)
		fuzz_fail(__FILE__, __LINE__, "a capture", error.text);
	if (problems.repairable)
		fuzz_fail(__FILE__, __LINE__, "a capture that needs no repair", text);
	free(text);
}

bool fuzz_import(const struct import_source *source, char *const *paths, size_t count)
{
	const char *output = fuzz_path("out/capture");
	struct directory directory;
	struct import_target target;
	int err;

	fuzz_empty("out");
	FUZZ_EXPECT(!directory_probe(&directory, output) && !directory_make(&directory));
	err = import_target_open(&target, &directory, source->description);
	FUZZ_EXPECT(!err);
	err = source->import(&target, paths, count);
	if (!err)
		err = import_finish(&target);
	FUZZ_EXPECT(!err == !*target.error.text);
	import_target_close(&target);
	if (!err)
		FUZZ_EXPECT(!directory_commit(&directory));
	else
		directory_abandon(&directory);
	directory_deinit(&directory);
	if (!err)
		expect_whole(output);
	return !err;
}
