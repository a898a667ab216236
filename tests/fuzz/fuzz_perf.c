// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The texts of perf script and of ftrace, as kmemtrace-import reads them. */
#include "config.h"

#include "tests/fuzz/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct import_source *const sources[] = { &source_perf, &source_ftrace };
	char *paths[1];

	fuzz_write("text", data, size);
	paths[0] = (char *)(uintptr_t)fuzz_path("text");
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		sources[i]->is(data, size < SOURCE_PEEK ? size : SOURCE_PEEK);
		fuzz_import(sources[i], paths, 1);
	}
	return 0;
}
