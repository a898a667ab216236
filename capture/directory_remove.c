// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Removes captures only, never other files. */
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/inside.h"
#include "capture/directory_remove.h"

/* A second descriptor, which closedir() closes; or NULL with errno set. */
static DIR *list_directory(int fd)
{
	int again = inside_open_directory(fd, ".");
	DIR *list = again < 0 ? NULL : fdopendir(again);

	if (again < 0)
		errno = -again;
	else if (!list)
		close(again);
	return list;
}

bool directory_is_capture(int fd)
{
	struct stat metadata, kernel;

	return !fstatat(fd, "metadata", &metadata, AT_SYMLINK_NOFOLLOW) &&
	       S_ISREG(metadata.st_mode) && !fstatat(fd, "kernel", &kernel, AT_SYMLINK_NOFOLLOW) &&
	       S_ISDIR(kernel.st_mode);
}

/* 1, 0 or -errno: only these two names, and empty directories. */
static int holds_only(int fd, const char *file, const char *folder)
{
	__attribute__((cleanup(close_directory))) DIR *list = list_directory(fd);
	const char *name;
	int err = 0;

	if (!list)
		return -errno;
	while ((name = inside_next(list, &err)))
		if ((!file || strcmp(name, file) != 0) && (!folder || strcmp(name, folder) != 0))
			return 0;
	return err ? err : 1;
}

int directory_is_unused(int fd)
{
	__attribute__((cleanup(close_fd))) int kernel = -1;
	__attribute__((cleanup(close_fd))) int formats = -1;
	int unused = holds_only(fd, DIRECTORY_RESERVE_NAME, "kernel");

	if (unused != 1)
		return unused;
	kernel = inside_open_directory(fd, "kernel");
	if (kernel < 0)
		return kernel == -ENOENT;
	unused = holds_only(kernel, NULL, "formats");
	if (unused != 1)
		return unused;
	formats = inside_open_directory(kernel, "formats");
	if (formats < 0)
		return formats == -ENOENT;
	return holds_only(formats, NULL, NULL);
}

int directory_empty_unused(int fd)
{
	__attribute__((cleanup(close_fd))) int kernel = inside_open_directory(fd, "kernel");

	if (unlinkat(fd, DIRECTORY_RESERVE_NAME, 0) && errno != ENOENT)
		return -errno;
	if (kernel == -ENOENT)
		return 0;
	if (kernel < 0)
		return kernel;
	if (unlinkat(kernel, "formats", AT_REMOVEDIR) && errno != ENOENT)
		return -errno;
	return unlinkat(fd, "kernel", AT_REMOVEDIR) ? -errno : 0;
}

enum part {
	TOP,
	KERNEL,
	FORMATS,
};

static bool is_part(enum part part, const char *name)
{
	static const char *const kernel[] = {
		"status",   ".status",	"symbols",	  "caches",    "tasks",	  "gfp",
		"topology", "slabinfo", "process_memory", "stacks",    "cgroups", "user_symbols",
		"heap",	    "tracks",	"where",	  "allocinfo", ".symbols"
	};
	const char *end;

	switch (part) {
	case TOP:
		if (!strncmp(name, "cpu", 3) && name[3])
			return !name[3 + strspn(name + 3, "0123456789")];
		return !strcmp(name, "metadata") || !strcmp(name, DIRECTORY_RESERVE_NAME) ||
		       !strcmp(name, DIRECTORY_PACK_NAME);
	case KERNEL:
		for (size_t i = 0; i < sizeof(kernel) / sizeof(kernel[0]); i++)
			if (!strcmp(name, kernel[i]))
				return true;
		return false;
	case FORMATS:
		end = strrchr(name, '.');
		return end && !strcmp(end, ".format");
	}
	return false;
}

/* Checks that a directory holds only files of a capture; if remove is set, removes them. */
static int clear_capture(int fd, enum part part, bool remove)
{
	__attribute__((cleanup(close_directory))) DIR *list = list_directory(fd);
	const char *name;
	int err = 0;

	if (!list)
		return -errno;
	while ((name = inside_next(list, &err))) {
		bool is_folder = (part == TOP && !strcmp(name, "kernel")) ||
				 (part == KERNEL && !strcmp(name, "formats"));

		if (is_folder) {
			__attribute__((cleanup(close_fd))) int inner =
				inside_open_directory(fd, name);

			err = inner < 0 ? inner
					: clear_capture(inner, part == TOP ? KERNEL : FORMATS,
							remove);
		} else if (!is_part(part, name)) {
			err = -ENOTEMPTY;
		}
		if (!err && remove && unlinkat(fd, name, is_folder ? AT_REMOVEDIR : 0))
			err = -errno;
	}
	return err;
}

int directory_check_capture(int fd)
{
	return clear_capture(fd, TOP, false);
}

int directory_remove_capture(int fd)
{
	int err = directory_check_capture(fd);

	return err ? err : clear_capture(fd, TOP, true);
}

static bool is_new_name(const char *entry, const char *name)
{
	const size_t length = strlen(name), middle = strlen(DIRECTORY_NEW);

	if (strlen(entry) != length + middle + DIRECTORY_NEW_RANDOM ||
	    memcmp(entry, name, length) != 0 || memcmp(entry + length, DIRECTORY_NEW, middle) != 0)
		return false;
	for (entry += length + middle; *entry; entry++)
		if (!isalnum((unsigned char)*entry))
			return false;
	return true;
}

static void remove_if_left(int parent, const char *entry)
{
	__attribute__((cleanup(close_fd))) int fd = inside_open_directory(parent, entry);
	struct stat about;

	if (fd < 0 || fstat(fd, &about) || about.st_uid != geteuid() ||
	    flock(fd, LOCK_EX | LOCK_NB))
		return;
	/* Its program may have renamed and finished it before the lock. */
	if (!inside_is_same(parent, entry, fd))
		return;
	if (!inside_remove_all(fd))
		unlinkat(parent, entry, AT_REMOVEDIR);
}

void directory_remove_left(int parent, const char *name)
{
	__attribute__((cleanup(close_directory))) DIR *list = list_directory(parent);
	const char *entry;
	int err = 0;

	while (list && (entry = inside_next(list, &err)))
		if (is_new_name(entry, name))
			remove_if_left(parent, entry);
}
