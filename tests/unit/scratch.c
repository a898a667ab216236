// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Files of unit tests, below $TMPDIR. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ftw.h>
#include <time.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "base/files.h"
#include "capture/metadata.h"
#include "tests/unit/fixture.h"
#include "tests/unit/scratch.h"

char *scratch_path(const char *directory, const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", directory, name) > 0);
	return path;
}

char *scratch_directory(void)
{
	const char *above = getenv("TMPDIR");
	char *path = scratch_path(above ? above : "/tmp", "kmemtrace-XXXXXX");

	assert_non_null(mkdtemp(path));
	return path;
}

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *walk)
{
	(void)stat;
	(void)type;
	(void)walk;
	return remove(path);
}

void scratch_remove(char *directory)
{
	assert_int_equal(nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
	free(directory);
}

int scratch_tear_down(void **state)
{
	scratch_remove(*state);
	return 0;
}

static char *write_capture_file(FILE *text)
{
	char *directory = scratch_directory();
	char errmsg[300];
	int err;

	assert_non_null(text);
	err = fixture_make(text, directory, errmsg, sizeof(errmsg));
	fclose(text);
	if (err)
		fail_msg("%s", errmsg);
	return directory;
}

char *scratch_capture(const char *text)
{
	return write_capture_file(fmemopen((void *)(uintptr_t)text, strlen(text), "r"));
}

char *scratch_capture_file(const char *name)
{
	char *data, *path, *directory;

	assert_non_null(getenv("srcdir"));
	data = scratch_path(getenv("srcdir"), "data");
	path = scratch_path(data, name);
	directory = write_capture_file(fopen(path, "r"));
	free(path);
	free(data);
	return directory;
}

unsigned char *scratch_read(const char *path, size_t *size)
{
	char *bytes = NULL;

	assert_int_equal(read_file(AT_FDCWD, path, (size_t)1 << 30, &bytes, size), 0);
	return (unsigned char *)bytes;
}

int scratch_create(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	return fd;
}

void scratch_write(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

void scratch_put(const char *directory, const char *name, const char *text)
{
	char *path = scratch_path(directory, name);

	for (char *at = path + strlen(directory) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		assert_true(!mkdir(path, 0700) || errno == EEXIST);
		*at = '/';
	}
	if (text)
		scratch_write(path, text, strlen(text));
	free(path);
}

bool scratch_has(const char *directory, const char *name)
{
	char *path = scratch_path(directory, name);
	struct stat about;
	bool has = !lstat(path, &about);

	free(path);
	return has;
}

void scratch_put_piece(const char *directory, const char *name, const char *folder, uint8_t run)
{
	const struct metadata metadata = { .uuid = { run }, .format = 1 };
	char *piece = scratch_path(directory, name), *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	assert_int_equal(metadata_write(&metadata, file), 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(mkdir(piece, 0700), 0);
	scratch_put(piece, folder, NULL);
	scratch_put(piece, "cpu0", "stream");
	scratch_put(piece, "metadata", text);
	free(text);
	free(piece);
}

/* xorshift64 */
uint64_t scratch_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

double scratch_random_share(uint64_t *state)
{
	return ((double)(scratch_random(state) >> 11) + 0.5) / 0x1p53;
}

bool scratch_wait(unsigned int *polls)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	if (++*polls > 180000)
		fail_msg("this did not happen within minutes");
	nanosleep(&pause, NULL);
	return true;
}

uint64_t scratch_setting(const char *name, uint64_t default_value)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : default_value;
}
