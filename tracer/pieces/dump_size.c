// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Adds up the pieces from the last to the first. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/hash_map.h"
#include "base/inside.h"
#include "tracer/pieces/dumps.h"
#include "tracer/pieces/piece_set.h"

#define BLOCK 512 /* bytes: the unit of st_blocks */

struct sum {
	struct hash_map inodes; /* of files with several names */
	uint64_t bytes;
};

static int add_file(struct sum *sum, const struct stat *about)
{
	int err = 0;

	if (about->st_nlink > 1 && !S_ISDIR(about->st_mode)) {
		if (hash_map_find(&sum->inodes, about->st_ino) != HASH_MAP_NONE)
			return 0;
		err = hash_map_add(&sum->inodes, about->st_ino, 0);
	}
	sum->bytes += (uint64_t)about->st_blocks * BLOCK;
	return err;
}

/* Takes the descriptor over. */
static int add_directory(struct sum *sum, int fd)
{
	__attribute__((cleanup(close_directory))) DIR *list = fdopendir(fd);
	const char *name;
	int err = 0;

	if (!list) {
		close(fd);
		return -ENOMEM;
	}
	while ((name = inside_next(list, &err))) {
		struct stat about;
		int inner;

		/* it may be removed meanwhile */
		if (fstatat(fd, name, &about, AT_SYMLINK_NOFOLLOW))
			continue;
		err = add_file(sum, &about);
		inner = !err && S_ISDIR(about.st_mode) ? inside_open_directory(fd, name) : -1;
		if (inner >= 0)
			err = add_directory(sum, inner);
	}
	return err;
}

int dump_size_limit(int set, unsigned int last, uint64_t max_bytes, unsigned int *first)
{
	struct sum sum = { 0 };
	int err = hash_map_init(&sum.inodes);

	for (unsigned int number = last; !err && number >= *first; number--) {
		char name[PIECE_NAME_SIZE];
		int fd = inside_open_directory(set, piece_name(number, name));

		if (fd >= 0)
			err = add_directory(&sum, fd);
		if (fd < 0 || (sum.bytes > max_bytes && number < last)) {
			*first = number + 1;
			break;
		}
	}
	hash_map_deinit(&sum.inodes);
	return err;
}
