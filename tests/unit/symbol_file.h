/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A file of symbols for a test: made before the test, removed after it. */
#ifndef TESTS_UNIT_SYMBOL_FILE_H
#define TESTS_UNIT_SYMBOL_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/symbols.h"
#include "tests/unit/unit.h"

static char path[4096];

static inline int make_path(void **state)
{
	const char *folder = getenv("TMPDIR");
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/symbols.XXXXXX", folder ? folder : "/tmp");
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

static inline int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

static inline void write_file(const char *text, size_t size)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static inline void load(struct symbols *symbols, const char *text)
{
	write_file(text, strlen(text));
	assert_int_equal(symbols_load(symbols, path), 0);
}

static inline void assert_text(const struct symbols *symbols, uint64_t address, uint64_t time,
			       const char *expected)
{
	char text[256];

	assert_string_equal(symbols_text(symbols, address, time, text, sizeof(text)), expected);
}

#endif
