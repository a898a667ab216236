// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An ELF file of any user, of which kmemtraced reads the names of functions. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "tracer/host/elf_names.h"

#define OFFSETS 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	uint64_t offsets[OFFSETS];
	char *text = NULL;
	size_t text_size;
	FILE *out = open_memstream(&text, &text_size);
	int fd, err;

	for (size_t i = 0; i < OFFSETS; i++)
		offsets[i] = fuzz_number(&input) & 0xffffff;
	fuzz_write("elf", input.at, input.left);
	fd = open(fuzz_path("elf"), O_RDONLY | O_CLOEXEC);
	FUZZ_EXPECT(out && fd >= 0);
	err = elf_names_write(out, fd, "-", "/nonexistent", 1, offsets, OFFSETS);
	FUZZ_EXPECT(!err || err == -ENOENT);
	FUZZ_EXPECT(!fclose(out));
	fuzz_expect_printable(text, text_size);
	free(text);
	close(fd);
	return 0;
}
