// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Walks from the root directory, by descriptors, and checks each step. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/stats/trusted_directory.h"

#define LINKS_MAX 40 /* as in the kernel */

struct walk {
	const char *path; /* of the file, for messages */
	int at;		  /* a descriptor: the directory that was reached */
	bool in_root;	  /* it is the root directory */
	char rest[PATH_MAX];
	unsigned int links;
	struct error *error;
};

static int fail_to_open(struct walk *walk, int err)
{
	return error_format(walk->error, -err, "%s: its directory: %s", walk->path, strerror(err));
}

/* The path of the directory that was reached, for a message. */
static const char *reached_path(const struct walk *walk, char *buffer, size_t size)
{
	char link[64];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", walk->at);
	length = readlink(link, buffer, size - 1);
	buffer[length < 0 ? 0 : length] = '\0';
	return buffer;
}

/*
 * Its owner is trusted: can others replace what is in the directory? In a sticky one they cannot
 * replace entries of root and the caller, but can make some that are not there yet.
 */
static int check_trust(struct walk *walk, bool sticky_is_enough)
{
	char name[PATH_MAX];
	struct stat about;

	if (fstat(walk->at, &about))
		return fail_to_open(walk, errno);
	if (!(about.st_mode & (S_IWGRP | S_IWOTH)))
		return 0;
	reached_path(walk, name, sizeof(name));
	if (!(about.st_mode & S_ISVTX))
		return error_format(
			walk->error, -EPERM,
			"%s: other users may write the directory %s and could replace the file: remove that permission (chmod go-w), or choose another path",
			walk->path, name);
	if (sticky_is_enough)
		return 0;
	return error_format(
		walk->error, -EPERM,
		"%s: other users may write the directory %s and could put a file of their own there: choose a path in a directory of its own",
		walk->path, name);
}

/* Takes the first name off the rest of the path. False: there is none. */
static bool next_name(struct walk *walk, char name[NAME_MAX + 2])
{
	size_t skipped = strspn(walk->rest, "/"), length = strcspn(walk->rest + skipped, "/");

	if (!length)
		return false;
	snprintf(name, NAME_MAX + 2, "%.*s", (int)length, walk->rest + skipped);
	memmove(walk->rest, walk->rest + skipped + length,
		strlen(walk->rest + skipped + length) + 1);
	return true;
}

static bool is_last(const struct walk *walk)
{
	return !walk->rest[strspn(walk->rest, "/")];
}

static int go_to(struct walk *walk, int fd)
{
	if (fd < 0)
		return fail_to_open(walk, errno);
	if (walk->at >= 0)
		close(walk->at);
	walk->at = fd;
	walk->in_root = false;
	return 0;
}

static int go_to_root(struct walk *walk)
{
	int err = go_to(walk, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));

	walk->in_root = !err;
	return err;
}

/* Puts the target of a link before the rest of the path. */
static int follow_link(struct walk *walk, int link)
{
	char target[PATH_MAX], rest[PATH_MAX];
	ssize_t length = readlinkat(link, "", target, sizeof(target) - 1);

	if (length < 0)
		return fail_to_open(walk, errno);
	target[length] = '\0';
	if (++walk->links > LINKS_MAX)
		return fail_to_open(walk, ELOOP);
	if ((size_t)snprintf(rest, sizeof(rest), "%s/%s", target, walk->rest) >= sizeof(rest))
		return fail_to_open(walk, ENAMETOOLONG);
	strcpy(walk->rest, rest);
	return *target == '/' ? go_to_root(walk) : 0;
}

static int fail_foreign(struct walk *walk, const char *name, uid_t user)
{
	char at[PATH_MAX];

	reached_path(walk, at, sizeof(at));
	return error_format(
		walk->error, -EPERM,
		"%s: %s/%s belongs to another user (uid %ju), who could replace the file: choose another path",
		walk->path, strcmp(at, "/") ? at : "", name, (uintmax_t)user);
}

static bool is_trusted_owner(uid_t user)
{
	return user == 0 || user == geteuid();
}

/* In the emulation of a process by qemu, another directory is opened as "/". */
static int open_name(const struct walk *walk, const char *name)
{
	const int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
	char path[NAME_MAX + 3];

	if (!walk->in_root)
		return openat(walk->at, name, flags);
	snprintf(path, sizeof(path), "/%s", name);
	return open(path, flags);
}

/* Goes to the name, which other users cannot give to another file meanwhile. */
static int step_into(struct walk *walk, const char *name)
{
	bool made = false;
	struct stat about;
	int fd, err = check_trust(walk, true);

	if (err)
		return err;
	fd = open_name(walk, name);
	if (fd < 0 && errno == ENOENT && is_last(walk)) {
		made = !mkdirat(walk->at, name, 0755);
		fd = made ? open_name(walk, name) : -1;
	}
	if (fd < 0)
		return fail_to_open(walk, errno);
	if (fstat(fd, &about))
		err = fail_to_open(walk, errno);
	else if (!is_trusted_owner(about.st_uid))
		err = fail_foreign(walk, name, about.st_uid);
	else if (made && fchmodat(walk->at, name, 0755, 0)) /* whatever the umask is */
		err = fail_to_open(walk, errno);
	else if (S_ISLNK(about.st_mode))
		err = follow_link(walk, fd);
	else if (!S_ISDIR(about.st_mode))
		err = fail_to_open(walk, ENOTDIR);
	else
		return go_to(walk, fd);
	close(fd);
	return err;
}

/* The absolute path of the directory of the file. */
static int begin_walk(struct walk *walk)
{
	const char *slash = strrchr(walk->path, '/');
	char current[PATH_MAX] = "";
	int length = slash ? (int)(slash - walk->path) : 0;

	if (*walk->path != '/' && !getcwd(current, sizeof(current)))
		return fail_to_open(walk, errno);
	if ((size_t)snprintf(walk->rest, sizeof(walk->rest), "%s/%.*s", current, length,
			     walk->path) >= sizeof(walk->rest))
		return fail_to_open(walk, ENAMETOOLONG);
	return go_to_root(walk);
}

int trusted_directory_open(const char *path, struct error *error)
{
	struct walk walk = { .path = path, .at = -1, .error = error };
	char name[NAME_MAX + 2];
	int err = begin_walk(&walk), fd = -1;

	while (!err && next_name(&walk, name))
		err = step_into(&walk, name);
	if (!err)
		err = check_trust(&walk, false);
	if (!err) {
		fd = openat(walk.at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		err = fd < 0 ? fail_to_open(&walk, errno) : 0;
	}
	if (walk.at >= 0)
		close(walk.at);
	return err ? err : fd;
}
