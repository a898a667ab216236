/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A statistics file in its directory. The file is created under a temporary name and is renamed to
 * its own name when it has a first snapshot. An open file description lock on it shows that its
 * writer is alive: the kernel releases the lock when the process ends, however it ends.
 */
#ifndef LIVE_STATS_STATS_FILE_LOCK_H
#define LIVE_STATS_STATS_FILE_LOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "live/stats/stats_file.h"

struct stats_file_lock {
	char *path;
	const char *name;     /* the last component of path */
	char *temporary_name; /* until stats_file_lock_publish() */
	int directory, file;  /* descriptors */
	bool is_published;
};

/*
 * Creates and locks an empty file. Returns 0; or -errno with error set, -EBUSY if a living
 * process publishes there. After success only, stats_file_lock_unlink() ends it.
 */
int stats_file_lock_open(struct stats_file_lock *lock, const struct stats_file_settings *settings,
			 struct error *error);

/* Renames the file to its own name. False: the rename failed, see errno. */
bool stats_file_lock_publish(struct stats_file_lock *lock);

/*
 * Removes the file, unless its name now belongs to another file, and releases the lock. -errno: the
 * name could not be removed.
 */
int stats_file_lock_unlink(struct stats_file_lock *lock);

/* Does a living process write the file? 1, 0, or -errno. fd may be open for reading only. */
int stats_file_lock_is_held(int fd);

#endif
