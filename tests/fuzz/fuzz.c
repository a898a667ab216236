// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The working directory of a fuzz target, its output, and the bytes of an input. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/inside.h"
#include "base/printable.h"
#include "tests/fuzz/fuzz.h"

#define PATHS 8

static char scratch[200];
static int scratch_fd;
static FILE *nowhere;
static char *output;
static size_t output_size;

void fuzz_fail(const char *file, int line, const char *condition, const char *text)
{
	dprintf(STDERR_FILENO, "%s:%d: expected: %s\n%s", file, line, condition, text ? text : "");
	abort();
}

static void remove_scratch(void)
{
	inside_remove_all(scratch_fd);
	rmdir(scratch);
}

/* $TMPDIR should be in memory: tests/fuzz/run.sh sees to that. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *above = getenv("TMPDIR");

	(void)argc;
	(void)argv;
	snprintf(scratch, sizeof(scratch), "%s/fuzz-XXXXXX", above ? above : "/dev/shm");
	if (!mkdtemp(scratch))
		fuzz_fail(__FILE__, __LINE__, "a scratch directory", strerror(errno));
	scratch_fd = open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	FUZZ_EXPECT(scratch_fd >= 0);
	atexit(remove_scratch);
	nowhere = fopen("/dev/null", "we");
	FUZZ_EXPECT(nowhere);
	/* libFuzzer has its own copy of stderr, the sanitizers write to the descriptor */
	stdout = stderr = nowhere;
	return 0;
}

uint8_t fuzz_byte(struct fuzz_input *input)
{
	if (!input->left)
		return 0;
	input->left--;
	return *input->at++;
}

uint64_t fuzz_number(struct fuzz_input *input)
{
	uint64_t number = 0;

	for (unsigned int i = 0; i < 64; i += 8)
		number |= (uint64_t)fuzz_byte(input) << i;
	return number;
}

char *fuzz_text(const struct fuzz_input *input)
{
	char *text = malloc(input->left + 1);

	FUZZ_EXPECT(text);
	if (input->left)
		memcpy(text, input->at, input->left);
	text[input->left] = '\0';
	return text;
}

const char *fuzz_path(const char *name)
{
	static char paths[PATHS][PATH_MAX];
	static unsigned int next;
	char *path = paths[next++ % PATHS];

	snprintf(path, PATH_MAX, "%s/%s", scratch, name);
	return path;
}

void fuzz_make(const char *name)
{
	FUZZ_EXPECT(!mkdirat(scratch_fd, name, 0700));
}

void fuzz_write(const char *name, const void *bytes, size_t size)
{
	int fd = openat(scratch_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	FUZZ_EXPECT(fd >= 0);
	FUZZ_EXPECT(write(fd, bytes, size) == (ssize_t)size);
	close(fd);
}

void fuzz_empty(const char *name)
{
	int fd;

	if (mkdirat(scratch_fd, name, 0700))
		FUZZ_EXPECT(errno == EEXIST);
	fd = openat(scratch_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	FUZZ_EXPECT(fd >= 0);
	FUZZ_EXPECT(!inside_remove_all(fd));
	close(fd);
}

void fuzz_output_begin(void)
{
	stdout = open_memstream(&output, &output_size);
	FUZZ_EXPECT(stdout);
}

char *fuzz_output_end(size_t *size)
{
	FUZZ_EXPECT(!fclose(stdout));
	stdout = nowhere;
	*size = output_size;
	return output;
}

void fuzz_expect_printable(const char *text, size_t size)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + size;

	while (at < end) {
		size_t length = utf8_length(at);
		bool ends_line = *at == '\n' || (at[0] == '\r' && at[1] == '\n');
		bool control = (*at < ' ' && !ends_line) || *at == 0x7f ||
			       (at[0] == 0xc2 && at[1] < 0xa0);

		if (!length || control)
			fuzz_fail(__FILE__, __LINE__, "printable text", text);
		at += length;
	}
}
