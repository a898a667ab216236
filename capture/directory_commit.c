// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Gives a directory its name, once all is ready, and moves an older capture out of the way. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/inside.h"
#include "capture/directory.h"
#include "capture/directory_remove.h"

/* Removes an older capture at OLD, the name to which another capture will be moved. */
static int remove_old(struct directory *directory, const char *old)
{
	__attribute__((cleanup(close_fd))) int fd = -1;
	struct stat about;
	int err;

	if (fstatat(directory->parent, old, &about, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	fd = inside_open_directory(directory->parent, old);
	if (fd < 0)
		return fd == -ELOOP ? -ENOTDIR : fd;
	if (fstat(fd, &about))
		return -errno;
	if (about.st_uid != geteuid())
		return -EPERM;
	if (directory_is_being_written(fd))
		return -EBUSY;
	err = directory_remove_capture(fd);
	if (!err && unlinkat(directory->parent, old, AT_REMOVEDIR))
		err = -errno;
	return err;
}

/* Moves the capture, which is open as fd, from target to old. */
static int move_older(struct directory *directory, int fd, const char *old)
{
	struct stat about;
	int err;

	err = remove_old(directory, old);
	if (err)
		return directory_fail(
			directory, -err,
			"%s.old: is in the way of the older capture and cannot be removed: %s: move it away",
			directory->target,
			err == -EPERM ? "it belongs to another user" : strerror(-err));
	/* the space that a killed kmemtraced had reserved */
	if (!fstat(fd, &about) && about.st_uid == geteuid())
		inside_unlink(fd, DIRECTORY_RESERVE_NAME);
	if (renameat(directory->parent, directory->name, directory->parent, old))
		return directory_fail(directory, errno, "%s: cannot be moved to %s.old: %s",
				      directory->target, directory->target, strerror(errno));
	return 0;
}

/* Moves a capture at target out of the way, to old. 1: there was one. */
static int clear_target(struct directory *directory, const char *old)
{
	int err;
	__attribute__((cleanup(close_fd))) int fd =
		inside_open_directory(directory->parent, directory->name);

	if (fd < 0 || !directory_is_capture(fd))
		return 0; /* the renaming says whether it can be replaced */
	if (directory_is_being_written(fd))
		return directory_fail(directory, EBUSY, "%s: another program is writing it",
				      directory->target);
	err = move_older(directory, fd, old);
	return err ? err : 1;
}

bool directory_is_in_place(const struct directory *directory)
{
	return inside_is_same(directory->parent, directory->now, directory->fd);
}

static int check_place(struct directory *directory)
{
	if (directory_is_in_place(directory))
		return 0;
	return directory_fail(
		directory, ESTALE,
		"%s: another program moved it while the capture began: name a directory with -o where only you can write",
		directory->path);
}

static int give_name(struct directory *directory)
{
	char *path = strdup(directory->target);

	if (!path)
		return directory_fail(directory, ENOMEM, "%s: %s", directory->target,
				      strerror(ENOMEM));
	if (renameat(directory->parent, directory->now, directory->parent, directory->name)) {
		free(path);
		return directory_fail(directory, errno, "%s: cannot be made: %s", directory->target,
				      strerror(errno));
	}
	directory_take_path(directory, path);
	directory->committed = true;
	return check_place(directory);
}

int directory_commit(struct directory *directory)
{
	__attribute__((cleanup(free_text))) char *old = NULL;
	int err, cleared;

	if (directory->committed)
		return 0;
	if (asprintf(&old, "%s.old", directory->name) < 0) {
		old = NULL;
		return directory_fail(directory, ENOMEM, "%s: %s", directory->target,
				      strerror(ENOMEM));
	}
	err = check_place(directory);
	if (err)
		return err;
	cleared = clear_target(directory, old);
	if (cleared < 0)
		return cleared;
	err = give_name(directory);
	if (err && cleared && !directory->committed)
		renameat(directory->parent, old, directory->parent, directory->name);
	return err;
}

int directory_replace(struct directory *directory, int original, const char *aside)
{
	const int parent = directory->parent;
	struct stat about;
	int err = check_place(directory);

	if (err)
		return err;
	if (original < 0) {
		if (fstatat(parent, directory->name, &about, AT_SYMLINK_NOFOLLOW))
			return give_name(directory);
		return directory_fail(directory, EEXIST, "%s: %s: name another directory with -o",
				      directory->target, strerror(EEXIST));
	}
	if (!inside_is_same(parent, directory->name, original))
		return directory_fail(directory, ESTALE, "%s: another program moved it",
				      directory->target);
	if (renameat(parent, directory->name, parent, aside))
		return directory_fail(directory, errno, "%s: cannot be renamed to %s: %s",
				      directory->target, aside, strerror(errno));
	err = give_name(directory);
	if (err && !directory->committed && renameat(parent, aside, parent, directory->name))
		return directory_fail(directory, -err, "%s: the original is now %s: %s",
				      directory->target, aside, strerror(-err));
	return err;
}
