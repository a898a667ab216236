// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The text of perf script, as kmemtrace-import reads it. */
#include "config.h"

#include "tests/fuzz/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *paths[1];

	source_perf.is(data, size < SOURCE_PEEK ? size : SOURCE_PEEK);
	fuzz_write("perf", data, size);
	paths[0] = (char *)(uintptr_t)fuzz_path("perf");
	fuzz_import(&source_perf, paths, 1);
	return 0;
}
