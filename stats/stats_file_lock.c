// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A published file in its directory: made, shown, removed. Whoever unlinks a fresh file holds its
 * lock, and whoever has locked one looks whether it is still the one of that name: so of two
 * processes that begin at once one is refused. What is no published file is never replaced.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stats/stats_file_layout.h"
#include "stats/stats_file_lock.h"

/* Others may replace a leftover as often; then it is theirs. */
#define TRIES 10

struct reason {
	char *errmsg;
	size_t size;
};

__attribute__((format(printf, 3, 4))) static int fail(const struct reason *reason, int err,
						      const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason->errmsg, reason->size, format, arguments);
	va_end(arguments);
	return -err;
}

int stats_file_lock_is_held(int fd)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };

	if (fcntl(fd, F_OFD_GETLK, &lock))
		return -errno;
	return lock.l_type != F_UNLCK;
}

static bool is_file_of_name(const struct stats_file_lock *place, const char *name)
{
	struct stat named, opened;

	return !fstatat(place->directory, name, &named, AT_SYMLINK_NOFOLLOW) &&
	       !fstat(place->file, &opened) && named.st_dev == opened.st_dev &&
	       named.st_ino == opened.st_ino;
}

/* 0, -EAGAIN: it is another's, or -errno. */
static int lock(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (!fcntl(fd, F_OFD_SETLK, &lock))
		return 0;
	return errno == EACCES ? -EAGAIN : -errno;
}

/* Whoever owns a directory, or may write it, can put another file in the place of this one. */
static int check_directory(const struct stats_file_lock *place, const struct reason *reason)
{
	struct stat about;

	if (fstat(place->directory, &about))
		return fail(reason, errno, "%s: %s", place->path, strerror(errno));
	if (about.st_uid != geteuid() && about.st_uid != 0)
		return fail(reason, EPERM,
			    "%s: its directory is another user's (uid %ju), who could put another "
			    "file there: name another place",
			    place->path, (uintmax_t)about.st_uid);
	if (!(about.st_mode & (S_IWGRP | S_IWOTH)) || about.st_mode & S_ISVTX)
		return 0;
	return fail(reason, EPERM,
		    "%s: others may write its directory, and could put another file there: "
		    "take that right away (chmod go-w), or name another place",
		    place->path);
}

/* The one directory that is made is the file's own. */
static int open_directory(struct stats_file_lock *place, const struct reason *reason)
{
	char *directory = strdup(place->path), *slash;
	bool made = false;
	int err = 0;

	if (!directory)
		return fail(reason, ENOMEM, "%s", strerror(ENOMEM));
	slash = strrchr(directory, '/');
	if (slash) {
		slash[slash == directory] = 0;
		made = !mkdir(directory, 0755);
	}
	place->directory = open(slash ? directory : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (place->directory < 0)
		err = fail(reason, errno, "%s: its directory: %s", place->path, strerror(errno));
	else if (made && fchmod(place->directory, 0755)) /* the umask's bits too */
		err = fail(reason, errno, "%s: its directory: %s", place->path, strerror(errno));
	free(directory);
	return err ? err : check_directory(place, reason);
}

/* What is there already under the name may only be what a writer left that is no more. */
static int look_at_old(const struct stats_file_lock *place, int fd, const struct reason *reason)
{
	struct stats_file_head head = { 0 };
	struct stat about;
	int held = stats_file_lock_is_held(fd);
	ssize_t got;

	if (held < 0 || fstat(fd, &about))
		return fail(reason, errno, "%s: %s", place->path, strerror(errno));
	got = S_ISREG(about.st_mode) ? pread(fd, &head, sizeof(head), 0) : -1;
	if (got < (ssize_t)sizeof(head) || head.magic != STATS_FILE_MAGIC)
		return fail(reason, EEXIST,
			    "%s: is there and not of this kind, and is left alone: "
			    "name another place",
			    place->path);
	if (about.st_uid != geteuid() && about.st_uid != 0)
		return fail(reason, EEXIST,
			    "%s: is there and another user's: remove it, or name another place",
			    place->path);
	if (held)
		return fail(reason, EBUSY,
			    "%s: process %ju publishes there: end that one, or name another place",
			    place->path, (uintmax_t)head.writer);
	return 0;
}

static int check_old(const struct stats_file_lock *place, const struct reason *reason)
{
	int fd = openat(place->directory, place->name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int err;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 && errno == ELOOP)
		return fail(reason, ELOOP, "%s: is a symbolic link: name the file itself",
			    place->path);
	if (fd < 0)
		return fail(reason, errno, "%s: is there: %s: remove it, or name another place",
			    place->path, strerror(errno));
	err = look_at_old(place, fd, reason);
	close(fd);
	return err;
}

/* Ended early, a writer has written nothing yet. */
static bool may_be_leftover(int fd)
{
	struct stats_file_head head = { 0 };

	return pread(fd, &head, sizeof(head), 0) >= 0 &&
	       (!head.magic || head.magic == STATS_FILE_MAGIC);
}

/* The fresh file of a writer that did not come to show it. 0: it is gone; -EEXIST: it is none. */
static int remove_leftover(const struct stats_file_lock *place)
{
	int fd, err = 0;
	struct stat about;
	struct stats_file_lock leftover = *place;

	if (fstatat(place->directory, place->fresh_name, &about, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	/* No publisher's: this process writes as one user. */
	if (!S_ISREG(about.st_mode) || about.st_uid != geteuid())
		return unlinkat(place->directory, place->fresh_name, 0) ? -errno : 0;
	fd = openat(place->directory, place->fresh_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	leftover.file = fd;
	err = may_be_leftover(fd) ? lock(fd) : -EEXIST;
	if (!err && is_file_of_name(&leftover, place->fresh_name) &&
	    unlinkat(place->directory, place->fresh_name, 0))
		err = -errno;
	close(fd);
	return err == -EAGAIN ? -EBUSY : err;
}

/* 0, -EAGAIN: another one was at it, -EBUSY, -EEXIST: no leftover is there, or -errno. */
static int make_file(struct stats_file_lock *place)
{
	int err = remove_leftover(place);

	if (err)
		return err;
	place->file = openat(place->directory, place->fresh_name,
			     O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (place->file < 0)
		return errno == EEXIST ? -EAGAIN : -errno;
	err = lock(place->file);
	if (!err && !is_file_of_name(place, place->fresh_name))
		err = -EAGAIN;
	if (err && err != -EAGAIN)
		unlinkat(place->directory, place->fresh_name, 0);
	if (err)
		close(place->file);
	return err;
}

static int give_to_group(const struct stats_file_lock *place,
			 const struct stats_file_settings *settings, const struct reason *reason)
{
	char number[24];
	int err;

	if (settings->group == (gid_t)-1)
		return 0;
	if (!fchown(place->file, (uid_t)-1, settings->group) && !fchmod(place->file, 0640))
		return 0;
	err = errno;
	snprintf(number, sizeof(number), "%ju", (uintmax_t)settings->group);
	return fail(reason, err,
		    "%s: group %s cannot be let read it: %s: name a group that you are in, or "
		    "begin as root",
		    place->path, settings->group_name ? settings->group_name : number,
		    strerror(err));
}

static int make(struct stats_file_lock *place, const struct stats_file_settings *settings,
		const struct reason *reason)
{
	int err = open_directory(place, reason);

	if (!err)
		err = check_old(place, reason);
	if (err)
		return err;
	err = -EAGAIN;
	for (int tries = 0; err == -EAGAIN && tries < TRIES; tries++)
		err = make_file(place);
	if (err == -EAGAIN || err == -EBUSY)
		return fail(reason, EBUSY,
			    "%s: another process is about to publish there: end that one, or "
			    "name another place",
			    place->path);
	if (err == -EEXIST)
		return fail(reason, EEXIST,
			    "%s.new: is there and not of this kind, and is left alone: "
			    "name another place",
			    place->path);
	if (err)
		return fail(reason, -err, "%s: cannot be made: %s", place->path, strerror(-err));
	/* Whoever showed one since the first look had done so before this one was locked. */
	err = check_old(place, reason);
	if (!err)
		err = give_to_group(place, settings, reason);
	if (err) {
		unlinkat(place->directory, place->fresh_name, 0);
		close(place->file);
	}
	return err;
}

int stats_file_lock_make(struct stats_file_lock *place, const struct stats_file_settings *settings,
			 char *errmsg, size_t errmsg_size)
{
	const char *path = settings->path;
	const struct reason reason = { errmsg, errmsg_size };
	const char *slash = strrchr(path, '/');
	int err;

	*place = (struct stats_file_lock){ .directory = -1, .file = -1 };
	if (!*(slash ? slash + 1 : path))
		return fail(&reason, EISDIR, "%s: names no file", *path ? path : "\"\"");
	place->path = strdup(path);
	if (!place->path || asprintf(&place->fresh_name, "%s.new", slash ? slash + 1 : path) < 0) {
		free(place->path);
		return fail(&reason, ENOMEM, "%s", strerror(ENOMEM));
	}
	place->name = slash ? place->path + (slash + 1 - path) : place->path;
	err = make(place, settings, &reason);
	if (err) {
		if (place->directory >= 0)
			close(place->directory);
		free(place->fresh_name);
		free(place->path);
	}
	return err;
}

bool stats_file_lock_publish(struct stats_file_lock *place)
{
	place->shown =
		!renameat(place->directory, place->fresh_name, place->directory, place->name);
	return place->shown;
}

void stats_file_lock_unlink(struct stats_file_lock *place)
{
	const char *name = place->shown ? place->name : place->fresh_name;

	if (is_file_of_name(place, name))
		unlinkat(place->directory, name, 0);
	close(place->file);
	close(place->directory);
	free(place->fresh_name);
	free(place->path);
}
