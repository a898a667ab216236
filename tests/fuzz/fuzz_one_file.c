// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A capture as one file: whatever is in it, files are made below the given directory only. What was
 * read and written again is read as the same. The first byte says whether checksums are made right.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/inside.h"
#include "capture/archive.h"
#include "tests/fuzz/fuzz.h"

/* Most changes of a header would be refused for its checksum. */
static void repair_checksums(uint8_t *bytes, size_t size)
{
	for (size_t at = 0; at + ARCHIVE_BLOCK <= size; at += ARCHIVE_BLOCK) {
		struct archive_header *header = (struct archive_header *)(bytes + at);

		if (archive_has_magic(header, ARCHIVE_BLOCK))
			snprintf(header->checksum, sizeof(header->checksum), "%06o",
				 archive_checksum(header));
	}
}

static int open_made_directory(const char *name)
{
	int fd;

	FUZZ_EXPECT(!mkdir(fuzz_path(name), 0700) || errno == EEXIST);
	fd = open(fuzz_path(name), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	FUZZ_EXPECT(fd >= 0);
	return fd;
}

static int read_archive(char *bytes, size_t size, int directory)
{
	struct error error = { 0 };
	FILE *file = fmemopen(bytes, size, "r");
	int err;

	FUZZ_EXPECT(file);
	err = archive_unpack(file, "in", directory, &error);
	FUZZ_EXPECT(!err == !*error.text);
	fuzz_expect_printable(error.text, strlen(error.text));
	fclose(file);
	return err;
}

static char *write_archive(int directory, size_t *size)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, size);
	int err;

	FUZZ_EXPECT(file);
	err = archive_write(file, directory, "capture-00000000", 1, NULL);
	FUZZ_EXPECT(!fclose(file));
	/* names can be longer than those that are written */
	if (!err)
		return text;
	FUZZ_EXPECT(err == -ENAMETOOLONG);
	free(text);
	return NULL;
}

static void round_trip(int directory)
{
	size_t size, again_size;
	char *text = write_archive(directory, &size), *again;
	int second;

	if (!text)
		return;
	second = open_made_directory("second");
	FUZZ_EXPECT(!read_archive(text, size, second));
	again = write_archive(second, &again_size);
	FUZZ_EXPECT(again && size == again_size && !memcmp(text, again, size));
	free(again);
	free(text);
	inside_remove_all(second);
	close(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	unsigned int how = fuzz_byte(&input);
	struct stat before, after;
	int outside, directory;
	char *bytes;

	if (!input.left)
		return 0;
	bytes = malloc(input.left);
	FUZZ_EXPECT(bytes);
	memcpy(bytes, input.at, input.left);
	if (how & 1)
		repair_checksums((uint8_t *)bytes, input.left);
	outside = open_made_directory("outside");
	directory = open_made_directory("outside/inside");
	FUZZ_EXPECT(!fstat(outside, &before));
	if (!read_archive(bytes, input.left, directory))
		round_trip(directory);
	inside_remove_all(directory);
	/* a new file would change the time of the directory, a new directory its links */
	FUZZ_EXPECT(!fstat(outside, &after));
	FUZZ_EXPECT(before.st_nlink == after.st_nlink && before.st_size == after.st_size &&
		    before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
	close(directory);
	close(outside);
	free(bytes);
	return 0;
}
