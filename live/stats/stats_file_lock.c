// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Creates, publishes and removes a statistics file. A process unlinks a temporary file only while
 * it holds the lock of that file, and after locking one it checks that the name still belongs to
 * it. So of two processes that start at once one is refused. A file that is not a statistics file
 * is never replaced. stats_file_lock.pml is a model of this.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/stats/stats_file_layout.h"
#include "live/stats/stats_file_lock.h"
#include "live/stats/trusted_directory.h"

#define TRIES 10 /* to create the temporary file while other processes do so too */

int stats_file_lock_is_held(int fd)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };

	if (fcntl(fd, F_OFD_GETLK, &lock))
		return -errno;
	return lock.l_type != F_UNLCK;
}

static bool is_file_of_name(const struct stats_file_lock *lock, const char *name)
{
	struct stat named, opened;

	return !fstatat(lock->directory, name, &named, AT_SYMLINK_NOFOLLOW) &&
	       !fstat(lock->file, &opened) && named.st_dev == opened.st_dev &&
	       named.st_ino == opened.st_ino;
}

/* 0; -EAGAIN: another process holds it; or -errno. */
static int set_lock(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (!fcntl(fd, F_OFD_SETLK, &lock))
		return 0;
	return errno == EACCES ? -EAGAIN : -errno;
}

/* An existing file is replaced only if it is a statistics file whose writer has ended. */
static int check_replaceable(const struct stats_file_lock *lock, int fd, struct error *error)
{
	struct stats_file_head head = { 0 };
	struct stat about;
	int held = stats_file_lock_is_held(fd);
	ssize_t got;

	if (held < 0 || fstat(fd, &about))
		return error_set_at(error, -errno, lock->path);
	got = S_ISREG(about.st_mode) ? pread(fd, &head, sizeof(head), 0) : -1;
	if (got < (ssize_t)sizeof(head) || head.magic != STATS_FILE_MAGIC)
		return error_format(
			error, -EEXIST,
			"%s: exists and is not a statistics file, and is not replaced: choose another path",
			lock->path);
	if (about.st_uid != geteuid() && about.st_uid != 0)
		return error_format(
			error, -EEXIST,
			"%s: exists and belongs to another user: remove it, or choose another path",
			lock->path);
	if (held)
		return error_format(
			error, -EBUSY,
			"%s: process %ju publishes there: end that process, or choose another path",
			lock->path, (uintmax_t)head.writer);
	return 0;
}

static int check_existing(const struct stats_file_lock *lock, struct error *error)
{
	int fd = openat(lock->directory, lock->name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int err;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 && errno == ELOOP)
		return error_format(error, -ELOOP, "%s: is a symbolic link: name the file itself",
				    lock->path);
	if (fd < 0)
		return error_format(error, -errno,
				    "%s: exists: %s: remove it, or choose another path", lock->path,
				    strerror(errno));
	err = check_replaceable(lock, fd, error);
	close(fd);
	return err;
}

/* A writer that ended early has left its temporary file without a magic number. */
static bool may_be_leftover(int fd)
{
	struct stats_file_head head = { 0 };

	return pread(fd, &head, sizeof(head), 0) >= 0 &&
	       (!head.magic || head.magic == STATS_FILE_MAGIC);
}

/*
 * Removes the temporary file of a writer that ended before it published. 0: there is none now;
 * -EBUSY: its writer is alive; -EEXIST: it is not a temporary file of a writer; or -errno.
 */
static int remove_leftover(const struct stats_file_lock *lock)
{
	int fd, err = 0;
	struct stat about;
	struct stats_file_lock leftover = *lock;

	if (fstatat(lock->directory, lock->temporary_name, &about, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	/* not of an earlier process of this user */
	if (!S_ISREG(about.st_mode) || about.st_uid != geteuid())
		return unlinkat(lock->directory, lock->temporary_name, 0) ? -errno : 0;
	fd = openat(lock->directory, lock->temporary_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	leftover.file = fd;
	err = may_be_leftover(fd) ? set_lock(fd) : -EEXIST;
	if (!err && is_file_of_name(&leftover, lock->temporary_name) &&
	    unlinkat(lock->directory, lock->temporary_name, 0))
		err = -errno;
	close(fd);
	return err == -EAGAIN ? -EBUSY : err;
}

/* 0; -EAGAIN: another process created it meanwhile; -EBUSY and -EEXIST as remove_leftover(). */
static int create_file(struct stats_file_lock *lock)
{
	int err = remove_leftover(lock);

	if (err)
		return err;
	lock->file = openat(lock->directory, lock->temporary_name,
			    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (lock->file < 0)
		return errno == EEXIST ? -EAGAIN : -errno;
	err = set_lock(lock->file);
	if (!err && !is_file_of_name(lock, lock->temporary_name))
		err = -EAGAIN;
	if (err && err != -EAGAIN)
		unlinkat(lock->directory, lock->temporary_name, 0);
	if (err)
		close(lock->file);
	return err;
}

static int allow_group(const struct stats_file_lock *lock,
		       const struct stats_file_settings *settings, struct error *error)
{
	char number[24];
	int err;

	if (settings->group == (gid_t)-1)
		return 0;
	if (!fchown(lock->file, (uid_t)-1, settings->group) && !fchmod(lock->file, 0640))
		return 0;
	err = errno;
	snprintf(number, sizeof(number), "%ju", (uintmax_t)settings->group);
	return error_format(
		error, -err,
		"%s: group %s cannot be given read permission: %s: choose a group that you are a member of, or run as root with CAP_CHOWN",
		lock->path, settings->group_name ? settings->group_name : number, strerror(err));
}

static int create_lock(struct stats_file_lock *lock, const struct stats_file_settings *settings,
		       struct error *error)
{
	int err;

	lock->directory = trusted_directory_open(lock->path, error);
	if (lock->directory < 0)
		return lock->directory;
	err = check_existing(lock, error);
	if (err)
		return err;
	err = -EAGAIN;
	for (int tries = 0; err == -EAGAIN && tries < TRIES; tries++)
		err = create_file(lock);
	if (err == -EAGAIN || err == -EBUSY)
		return error_format(
			error, -EBUSY,
			"%s: another process is starting to publish there: end that process, or choose another path",
			lock->path);
	if (err == -EEXIST)
		return error_format(
			error, -EEXIST,
			"%s.new: exists and is not a statistics file, and is not replaced: choose another path",
			lock->path);
	if (err)
		return error_format(error, err, "%s: cannot be created: %s", lock->path,
				    strerror(-err));
	/* another process may have published between the first check and the lock */
	err = check_existing(lock, error);
	if (!err)
		err = allow_group(lock, settings, error);
	if (err) {
		unlinkat(lock->directory, lock->temporary_name, 0);
		close(lock->file);
	}
	return err;
}

int stats_file_lock_open(struct stats_file_lock *lock, const struct stats_file_settings *settings,
			 struct error *error)
{
	const char *path = settings->path;
	const char *slash = strrchr(path, '/');
	int err;

	*lock = (struct stats_file_lock){ .directory = -1, .file = -1 };
	if (!*(slash ? slash + 1 : path))
		return error_format(error, -EISDIR, "%s: is not the name of a file",
				    *path ? path : "\"\"");
	lock->path = strdup(path);
	if (!lock->path ||
	    asprintf(&lock->temporary_name, "%s.new", slash ? slash + 1 : path) < 0) {
		free(lock->path);
		return error_set_at(error, -ENOMEM, path);
	}
	lock->name = slash ? lock->path + (slash + 1 - path) : lock->path;
	err = create_lock(lock, settings, error);
	if (err) {
		if (lock->directory >= 0)
			close(lock->directory);
		free(lock->temporary_name);
		free(lock->path);
	}
	return err;
}

bool stats_file_lock_publish(struct stats_file_lock *lock)
{
	lock->is_published =
		!renameat(lock->directory, lock->temporary_name, lock->directory, lock->name);
	return lock->is_published;
}

int stats_file_lock_unlink(struct stats_file_lock *lock)
{
	const char *name = lock->is_published ? lock->name : lock->temporary_name;
	int err = 0;

	if (is_file_of_name(lock, name) && unlinkat(lock->directory, name, 0))
		err = -errno;
	close(lock->file);
	close(lock->directory);
	free(lock->temporary_name);
	free(lock->path);
	return err;
}
