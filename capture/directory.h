/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes a capture directory. It is made beside its target and renamed once the capture has begun;
 * an older capture is moved to TARGET.old. Every file is opened by the descriptor of the directory
 * and never through a symbolic link: the directory stays the same one, and nothing outside of it is
 * written, whatever other users do to the directories above it.
 */
#ifndef CAPTURE_DIRECTORY_H
#define CAPTURE_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <zlib.h>

struct directory {
	char *path;	  /* where the capture was put: beside target, or target; for messages */
	char *target;	  /* the final path */
	int parent;	  /* file descriptor of the directory that holds the target; -1: none */
	int fd;		  /* of the directory itself, locked (flock) while it is open; -1: none */
	const char *name; /* last part of target */
	const char *now;  /* last part of path: the directory's name in parent */
	bool made, committed;
	/* until directory_settle(): */
	char *beside;	   /* path before directory_place(); NULL: it has not moved */
	char *old;	   /* last part of target.old */
	bool older_is_old; /* target.old is the capture that was at target */
	char *oldest;	   /* new name of the capture that was at target.old; NULL: none was */
	int oldest_fd;	   /* of oldest: locked, so that another program does not remove it */
	bool was_there;	   /* target was an empty directory */
	bool reserved;
	int lock; /* file descriptor of metadata, locked while the capture is written; -1: none */
	char errmsg[400];
};

/*
 * Checks, without changing anything, that a capture can be made at target: nothing is there, or an
 * empty directory of the caller that no other user can write, or a capture that no program is
 * writing. 0 or -errno with errmsg set.
 */
int directory_probe(struct directory *directory, const char *target);

/*
 * Makes the directory, beside target unless target is an empty directory. Removes directories that
 * killed programs left beside target before they could rename them. 0 or -errno.
 */
int directory_make(struct directory *directory);

/*
 * Makes an empty directory beside target, as directory_make(), whatever target is. 0 or -errno with
 * errmsg set.
 */
int directory_make_beside(struct directory *directory, const char *target);

/* directory_make() without the folders of the tables. */
int directory_make_empty(struct directory *directory);

/*
 * Opens and locks a directory of the caller that is there and stays, to add to it. -EBUSY: another
 * program has locked it. 0 or -errno with errmsg set.
 */
int directory_open_existing(struct directory *directory, const char *target);

/*
 * The directory `now` in the open directory `holder`, which directory_commit() will rename to
 * `name`; makes it, if `make` is set. 0 or -errno with errmsg set.
 */
int directory_open_inside(struct directory *directory, const struct directory *holder,
			  const char *name, const char *now, bool make);

/*
 * Makes the folders of the tables, for a directory that directory_make() did not make. 0 or -errno
 * with errmsg set.
 */
int directory_make_folders(struct directory *directory);

/*
 * Renames the directory to target, once all is ready. An older capture is moved to target.old, and
 * a capture of the caller at target.old is removed. 0; or -errno: nothing has changed.
 */
int directory_commit(struct directory *directory);

/*
 * The same in two steps. directory_place() only renames. Then directory_settle() removes the
 * capture that was at target.old, or directory_undo() gives the new and both older captures their
 * names from before.
 */
int directory_place(struct directory *directory);
int directory_was_placed(struct directory *directory); /* by another process: 0 or -ENOMEM */
void directory_settle(struct directory *directory);
void directory_undo(struct directory *directory);

/*
 * Renames target, which must be this open directory, to the unused name of `aside` in the same
 * parent, and then the new directory to target. original -1: there must be nothing at target. 0 or
 * -errno.
 */
int directory_replace(struct directory *directory, int original, const char *aside);

/* Does path still name the directory? False: another program has moved or replaced it. */
bool directory_is_in_place(const struct directory *directory);

/* Removes the directory after a failure. An older capture stays: at target, or in target.old. */
void directory_abandon(struct directory *directory);
void directory_deinit(struct directory *directory);

/* Creates a file, or replaces an old one. Its descriptor for writing, or -errno with errmsg set. */
int directory_create(struct directory *directory, const char *name);

/* Opens a regular file for reading. Its descriptor, or -errno with errmsg set. */
int directory_read(struct directory *directory, const char *name);

/* Opens a table. append: at its end, if it exists; else it is replaced. NULL with errmsg set. */
FILE *directory_open(struct directory *directory, const char *name, bool append);
gzFile directory_open_gz(struct directory *directory, const char *name, bool append);

/* Closes the file. 0, or -errno with errmsg set if a write to it has failed. */
int directory_close(struct directory *directory, FILE *file, const char *name);

/* Renames a file in the directory. 0 or -errno with errmsg set. */
int directory_rename(struct directory *directory, const char *from, const char *to);

/* A path for code that reads the capture: of this directory, wherever it is moved. */
const char *directory_stable_path(const struct directory *directory, char *buffer, size_t size);

/* Writes path/name, for messages, to buffer, and returns buffer. */
const char *directory_name(const struct directory *directory, const char *name, char *buffer,
			   size_t size);

/*
 * Locks the metadata (flock), which must exist, so that no program moves, packs or repairs the
 * capture while it is written. 0 or -errno.
 */
int directory_lock(struct directory *directory);

/*
 * Locks an open metadata file. It tries several times, since a reader holds the lock only for an
 * instant. 0, -EWOULDBLOCK or another -errno.
 */
int directory_lock_metadata(int metadata);
void directory_unlock(struct directory *directory);

/* Is a program writing the capture in this open directory? False also if it has no metadata. */
bool directory_is_being_written(int fd);

/* Reserves disk space for the tables that are written at the end, and releases it. */
int directory_reserve(struct directory *directory);
void directory_release(struct directory *directory);

/* The rest is for directory.c and directory_commit.c. */

/* The path, from malloc(), belongs to the directory now. */
void directory_take_path(struct directory *directory, char *path);

/* A new name for something beside base, which directory_remove_left() removes; NULL: see errno. */
char *directory_new_name(const char *base);

/* Sets errmsg; returns -err. */
__attribute__((format(printf, 3, 4))) int directory_fail(struct directory *directory, int err,
							 const char *format, ...);

#endif
