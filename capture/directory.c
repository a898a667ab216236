// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Makes or opens the directory of a capture, or of a set of captures. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/inside.h"
#include "capture/directory.h"
#include "capture/directory_remove.h"
#include "capture/parts.h"

#define TRIES 100 /* of random names */

#define OTHERS_WRITE (S_IWGRP | S_IWOTH)

/* Splits the target into its parent, which is opened, and its name. */
static int open_parent(struct directory *directory)
{
	__attribute__((cleanup(free_text))) char *parent = strdup(directory->target);
	const char *path = ".";
	char *slash;

	if (!parent)
		return directory_fail(directory, ENOMEM, "%s: %s", directory->target,
				      strerror(ENOMEM));
	slash = strrchr(parent, '/');
	directory->name = directory->target;
	if (slash) {
		directory->name += slash - parent + 1;
		slash[slash == parent] = '\0';
		path = parent;
	}
	if (!*directory->name)
		directory->name = ".";
	directory->parent = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (directory->parent >= 0)
		return 0;
	if (errno != ENOENT)
		return directory_fail(directory, errno, "%s: %s", directory->target,
				      strerror(errno));
	return directory_fail(
		directory, errno,
		"%s: its parent directory cannot be written: %s: name another directory with -o",
		directory->target, strerror(ENOENT));
}

/* Checks that the parent of target can be written, to make and rename the directory in it. */
static int check_parent(struct directory *directory)
{
	if (faccessat(directory->parent, ".", W_OK | X_OK, 0))
		return directory_fail(
			directory, errno,
			"%s: its parent directory cannot be written: %s: name another directory with -o",
			directory->target, strerror(errno));
	return 0;
}

/* Another user who can write the directory could make links in it, or read the capture. */
static int check_owner(struct directory *directory)
{
	struct stat about;

	if (fstat(directory->fd, &about))
		return directory_fail(directory, errno, "%s: %s", directory->target,
				      strerror(errno));
	if (about.st_uid == geteuid() && !(about.st_mode & OTHERS_WRITE))
		return 0;
	return directory_fail(
		directory, EPERM,
		"%s: belongs to another user, or other users can write it: name another directory with -o",
		directory->target);
}

/* The same for an empty one. */
static int check_empty(struct directory *directory, int fd)
{
	const char *path = directory->target;
	struct stat about;

	if (fstat(fd, &about))
		return directory_fail(directory, errno, "%s: %s", path, strerror(errno));
	if (about.st_uid != geteuid())
		return directory_fail(
			directory, EPERM,
			"%s: is an empty directory of another user (uid %u): name another directory with -o",
			path, (unsigned int)about.st_uid);
	if (about.st_mode & OTHERS_WRITE)
		return directory_fail(
			directory, EPERM,
			"%s: is an empty directory that other users can write: chmod go-w it, or name another directory with -o",
			path);
	if (faccessat(fd, ".", W_OK | X_OK, 0))
		return directory_fail(directory, errno,
				      "%s: cannot be written: %s: name another directory with -o",
				      path, strerror(errno));
	return 0;
}

static bool holds_pieces(int fd)
{
	unsigned int *numbers;
	char path[64];
	size_t count;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (parts_list_pieces(path, &numbers, &count))
		return false;
	free(numbers);
	return count;
}

static int probe_existing(struct directory *directory, int fd)
{
	const char *path = directory->target;
	int unused;

	if (directory_is_capture(fd))
		return directory_is_being_written(fd)
			       ? directory_fail(
					 directory, EBUSY,
					 "%s: another program is writing it: name another directory with -o",
					 path)
			       : check_parent(directory);
	unused = directory_is_unused(fd);
	if (unused < 0)
		return directory_fail(directory, -unused, "%s: %s", path, strerror(-unused));
	if (!unused && holds_pieces(fd))
		return directory_fail(
			directory, ENOTEMPTY,
			"%s: is a set of pieces, and is left alone: add to it with kmemtraced --switch-output, or name another directory with -o",
			path);
	if (!unused)
		return directory_fail(
			directory, ENOTEMPTY,
			"%s: holds files that are not of a capture, and is left alone: name another directory with -o",
			path);
	directory->was_there = true;
	return check_empty(directory, fd);
}

static int init_directory(struct directory *directory, const char *target)
{
	size_t length;

	memset(directory, 0, sizeof(*directory));
	directory->lock = directory->parent = directory->fd = -1;
	directory->target = strdup(target);
	if (!directory->target)
		return directory_fail(directory, ENOMEM, "%s: %s", target, strerror(ENOMEM));
	length = strlen(directory->target);
	while (length > 1 && directory->target[length - 1] == '/')
		directory->target[--length] = 0;
	return open_parent(directory);
}

int directory_probe(struct directory *directory, const char *target)
{
	int err = init_directory(directory, target), fd;
	const char *path = directory->target;
	struct stat about;

	if (err)
		return err;
	if (fstatat(directory->parent, directory->name, &about, AT_SYMLINK_NOFOLLOW)) {
		if (errno != ENOENT)
			return directory_fail(directory, errno, "%s: %s", path, strerror(errno));
		return check_parent(directory);
	}
	if (!S_ISDIR(about.st_mode))
		return directory_fail(directory, ENOTDIR,
				      "%s: exists and is not a directory: name another with -o",
				      path);
	fd = inside_open_directory(directory->parent, directory->name);
	if (fd < 0)
		return directory_fail(directory, -fd, "%s: %s", path, strerror(-fd));
	err = probe_existing(directory, fd);
	if (directory->was_there)
		directory->fd = fd;
	else
		close(fd);
	return err;
}

void directory_take_path(struct directory *directory, char *path)
{
	const char *slash = strrchr(path, '/');

	free(directory->path);
	directory->path = path;
	directory->now = slash ? slash + 1 : path;
}

static int set_path(struct directory *directory, const char *path)
{
	char *copy = strdup(path);

	if (!copy)
		return -ENOMEM;
	directory_take_path(directory, copy);
	return 0;
}

/* Takes the empty directory that directory_probe() has opened. */
static int take_existing(struct directory *directory)
{
	int err = set_path(directory, directory->target);

	if (err)
		return err;
	if (flock(directory->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return -EBUSY;
	err = directory_is_unused(directory->fd);
	if (err != 1)
		return err ? err : -ENOTEMPTY;
	directory->committed = true;
	return directory_empty_unused(directory->fd);
}

char *directory_new_name(const char *base)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	unsigned char random[DIRECTORY_NEW_RANDOM];
	char end[DIRECTORY_NEW_RANDOM + 1] = "", *name;

	if (getrandom(random, sizeof(random), 0) != sizeof(random)) {
		errno = EIO;
		return NULL;
	}
	for (size_t i = 0; i < sizeof(random); i++)
		end[i] = letters[random[i] % (sizeof(letters) - 1)];
	return asprintf(&name, "%s" DIRECTORY_NEW "%s", base, end) < 0 ? NULL : name;
}

/*
 * Is the directory that was opened the one that was made? Another user who owns the parent could
 * have put another one in its place.
 */
static int check_made(const struct directory *directory)
{
	struct stat about;
	int unused;

	if (fstat(directory->fd, &about))
		return -errno;
	if (about.st_uid != geteuid() || (about.st_mode & 077))
		return -EPERM;
	unused = directory_is_unused(directory->fd);
	if (unused < 0)
		return unused;
	return unused ? 0 : -EPERM;
}

/*
 * Makes and locks a directory with a new name. 1: another program, which removes what killed
 * programs left, took it before it was locked.
 */
static int make_new(struct directory *directory)
{
	char *path = directory_new_name(directory->target);
	int err;

	if (!path)
		return -errno;
	directory_take_path(directory, path);
	/* mode 0700: a capture holds kernel addresses */
	if (mkdirat(directory->parent, directory->now, 0700))
		return errno == EEXIST ? 1 : -errno;
	directory->fd = inside_open_directory(directory->parent, directory->now);
	if (directory->fd == -ENOENT)
		return 1;
	if (directory->fd < 0) {
		unlinkat(directory->parent, directory->now, AT_REMOVEDIR);
		return directory->fd;
	}
	if ((flock(directory->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) ||
	    !inside_is_same(directory->parent, directory->now, directory->fd)) {
		close(directory->fd);
		directory->fd = -1;
		return 1;
	}
	err = check_made(directory);
	if (err)
		unlinkat(directory->parent, directory->now, AT_REMOVEDIR);
	return err;
}

static int make_top(struct directory *directory)
{
	int err = 1;

	if (directory->was_there)
		return take_existing(directory);
	directory_remove_left(directory->parent, directory->name);
	for (unsigned int i = 0; err == 1 && i < TRIES; i++)
		err = make_new(directory);
	return err == 1 ? -EEXIST : err;
}

static int fail_to_make(struct directory *directory, int err)
{
	if (err == -EPERM)
		return directory_fail(
			directory, -err,
			"%s: the directory that was made does not belong to uid %u: another program replaced it, or the file system does not keep owners: name another directory with -o",
			directory->path, (unsigned int)geteuid());
	return directory_fail(directory, -err,
			      "%s: cannot be made: %s: name another directory with -o",
			      directory->target, strerror(-err));
}

int directory_make_folders(struct directory *directory)
{
	int err = inside_make_directory(directory->fd, "kernel", 0700);

	if (!err)
		err = inside_make_directory(directory->fd, "kernel/formats", 0700);
	return err ? fail_to_make(directory, err) : 0;
}

int directory_make_empty(struct directory *directory)
{
	int err = make_top(directory);

	directory->made = !err;
	return err ? fail_to_make(directory, err) : 0;
}

int directory_make(struct directory *directory)
{
	int err = directory_make_empty(directory);

	return err ? err : directory_make_folders(directory);
}

int directory_make_beside(struct directory *directory, const char *target)
{
	int err = init_directory(directory, target);

	if (!err)
		err = check_parent(directory);
	return err ? err : directory_make_empty(directory);
}

int directory_open_existing(struct directory *directory, const char *target)
{
	int err = init_directory(directory, target);

	if (err)
		return err;
	directory->fd = inside_open_directory(directory->parent, directory->name);
	if (directory->fd < 0)
		return directory_fail(directory, -directory->fd, "%s: %s", directory->target,
				      strerror(-directory->fd));
	err = set_path(directory, directory->target);
	if (err)
		return directory_fail(directory, -err, "%s: %s", directory->target, strerror(-err));
	err = check_owner(directory);
	if (err)
		return err;
	if (flock(directory->fd, LOCK_EX | LOCK_NB))
		return directory_fail(
			directory, errno == EWOULDBLOCK ? EBUSY : errno,
			"%s: another program is writing it: name another directory with -o",
			directory->target);
	directory->committed = true;
	return 0;
}

int directory_open_inside(struct directory *directory, const struct directory *holder,
			  const char *name, const char *now, bool make)
{
	char *path = NULL;

	memset(directory, 0, sizeof(*directory));
	directory->lock = directory->fd = -1;
	directory->parent = fcntl(holder->fd, F_DUPFD_CLOEXEC, 0);
	directory->target = join_path(holder->target, name);
	path = join_path(holder->target, now);
	if (path)
		directory_take_path(directory, path);
	if (!directory->target || !path || directory->parent < 0)
		return directory_fail(directory, directory->parent < 0 ? errno : ENOMEM,
				      "%s/%s: cannot be opened: %s", holder->target, now,
				      strerror(directory->parent < 0 ? errno : ENOMEM));
	directory->name = strrchr(directory->target, '/') + 1;
	if (make && mkdirat(directory->parent, now, 0700))
		return directory_fail(directory, errno, "%s: cannot be made: %s", path,
				      strerror(errno));
	directory->made = make;
	directory->fd = inside_open_directory(directory->parent, now);
	return directory->fd < 0 ? directory_fail(directory, -directory->fd, "%s: %s", path,
						  strerror(-directory->fd))
				 : 0;
}

void directory_abandon(struct directory *directory)
{
	int err;

	if (!directory->made)
		return;
	directory->made = directory->reserved = false;
	err = inside_remove_all(directory->fd);
	/* an empty directory that was there before stays */
	if (!err && !directory->was_there && directory_is_in_place(directory))
		unlinkat(directory->parent, directory->now, AT_REMOVEDIR);
}

void directory_deinit(struct directory *directory)
{
	if (!directory->target)
		return;
	directory_unlock(directory);
	close_fd(&directory->fd);
	close_fd(&directory->parent);
	if (directory->oldest)
		close(directory->oldest_fd);
	free(directory->path);
	free(directory->target);
	free(directory->old);
	free(directory->oldest);
	free(directory->beside);
	directory->path = directory->target = NULL;
	directory->old = directory->oldest = directory->beside = NULL;
	directory->fd = directory->parent = -1;
}
