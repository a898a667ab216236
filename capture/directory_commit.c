// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Gives a directory its name, once all is ready, and moves an older capture out of the way. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/inside.h"
#include "capture/directory.h"
#include "capture/directory_remove.h"

/* The capture of this name, open, if this program may remove it; or -errno. */
static int open_removable(const struct directory *directory, const char *name)
{
	int fd = inside_open_directory(directory->parent, name), err = 0;
	struct stat about;

	if (fd < 0)
		return fd == -ELOOP ? -ENOTDIR : fd;
	if (fstat(fd, &about))
		err = -errno;
	else if (about.st_uid != geteuid())
		err = -EPERM;
	else if (directory_is_being_written(fd))
		err = -EBUSY;
	else
		err = directory_check_capture(fd);
	if (!err)
		return fd;
	close(fd);
	return err;
}

/*
 * Gives the capture at target.old a new name, since another capture gets this one. Each program
 * that begins a capture here removes directories with such names, unless they are locked. So it
 * stays locked: directory_undo() may give it its name back.
 */
static int move_oldest(struct directory *directory)
{
	__attribute__((cleanup(free_text))) char *name = NULL;
	__attribute__((cleanup(close_fd))) int fd = open_removable(directory, directory->old);

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	name = directory_new_name(directory->name);
	if (!name || flock(fd, LOCK_EX | LOCK_NB) ||
	    renameat(directory->parent, directory->old, directory->parent, name))
		return -errno;
	directory->oldest = name;
	directory->oldest_fd = fd;
	name = NULL;
	fd = -1;
	return 0;
}

/* Moves the capture, which is open as fd, from target to target.old. */
static int move_older(struct directory *directory, int fd)
{
	struct stat about;
	int err;

	err = move_oldest(directory);
	if (err)
		return directory_fail(
			directory, -err,
			"%s.old: is in the way of the older capture and cannot be removed: %s: move it away",
			directory->target,
			err == -EPERM ? "it belongs to another user" : strerror(-err));
	/* the space that a killed kmemtraced had reserved */
	if (!fstat(fd, &about) && about.st_uid == geteuid())
		inside_unlink(fd, DIRECTORY_RESERVE_NAME);
	if (renameat(directory->parent, directory->name, directory->parent, directory->old))
		return directory_fail(directory, errno, "%s: cannot be moved to %s.old: %s",
				      directory->target, directory->target, strerror(errno));
	directory->older_is_old = true;
	return 0;
}

/* Moves a capture at target out of the way. */
static int clear_target(struct directory *directory)
{
	__attribute__((cleanup(close_fd))) int fd =
		inside_open_directory(directory->parent, directory->name);

	if (fd < 0 || !directory_is_capture(fd))
		return 0; /* the renaming says whether it can be replaced */
	if (directory_is_being_written(fd))
		return directory_fail(directory, EBUSY, "%s: another program is writing it",
				      directory->target);
	if (asprintf(&directory->old, "%s.old", directory->name) < 0) {
		directory->old = NULL;
		return directory_fail(directory, ENOMEM, "%s: %s", directory->target,
				      strerror(ENOMEM));
	}
	return move_older(directory, fd);
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
	char *path = strdup(directory->target), *before = strdup(directory->path);

	if (!path || !before) {
		free(path);
		free(before);
		return directory_fail(directory, ENOMEM, "%s: %s", directory->target,
				      strerror(ENOMEM));
	}
	if (renameat(directory->parent, directory->now, directory->parent, directory->name)) {
		free(path);
		free(before);
		return directory_fail(directory, errno, "%s: cannot be made: %s", directory->target,
				      strerror(errno));
	}
	directory_take_path(directory, path);
	directory->beside = before;
	directory->committed = true;
	return check_place(directory);
}

static void forget_names(struct directory *directory)
{
	if (directory->oldest)
		close(directory->oldest_fd);
	free(directory->old);
	free(directory->oldest);
	free(directory->beside);
	directory->old = directory->oldest = directory->beside = NULL;
	directory->older_is_old = false;
}

int directory_place(struct directory *directory)
{
	int err;

	if (directory->committed)
		return 0;
	err = check_place(directory);
	if (!err)
		err = clear_target(directory);
	if (!err)
		err = give_name(directory);
	if (err)
		directory_undo(directory);
	return err;
}

int directory_was_placed(struct directory *directory)
{
	char *path = directory->committed ? NULL : strdup(directory->target);

	if (!directory->committed && !path)
		return -ENOMEM;
	if (path)
		directory_take_path(directory, path);
	directory->committed = true;
	return 0;
}

void directory_undo(struct directory *directory)
{
	const int parent = directory->parent;

	if (directory->beside) {
		directory_take_path(directory, directory->beside);
		directory->beside = NULL;
		directory->committed = false;
		if (inside_is_same(parent, directory->name, directory->fd))
			renameat(parent, directory->name, parent, directory->now);
	}
	if (directory->older_is_old)
		renameat(parent, directory->old, parent, directory->name);
	if (directory->oldest)
		renameat(parent, directory->oldest, parent, directory->old);
	forget_names(directory);
}

void directory_settle(struct directory *directory)
{
	if (directory->oldest && !directory_remove_capture(directory->oldest_fd))
		unlinkat(directory->parent, directory->oldest, AT_REMOVEDIR);
	forget_names(directory);
}

int directory_commit(struct directory *directory)
{
	int err = directory_place(directory);

	if (!err)
		directory_settle(directory);
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
