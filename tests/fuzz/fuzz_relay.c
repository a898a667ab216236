// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Relay files of kmemtrace: up to three CPUs, with FUZZ_MARK between their files. */
#include "config.h"

#include <stdio.h>

#include "tests/fuzz/import.h"

#define FILES 3

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	char names[FILES][10], *paths[FILES];
	size_t count = 0;

	source_kmemtrace.is(data, size < SOURCE_PEEK ? size : SOURCE_PEEK);
	do {
		size_t part_size;
		const uint8_t *part = fuzz_part(&input, &part_size);

		snprintf(names[count], sizeof(names[count]), "cpu%zu", count);
		fuzz_write(names[count], part, part_size);
		paths[count] = (char *)(uintptr_t)fuzz_path(names[count]);
		count++;
	} while (input.left && count < FILES);
	fuzz_import(&source_kmemtrace, paths, count);
	return 0;
}
