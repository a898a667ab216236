/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A published file in its directory. It is made beside its name and gets it when there is
 * something to be read; meanwhile and after, a lock tells that its writer is alive: an open file
 * description lock, which the kernel takes off when the process ends, however that happens.
 */
#ifndef STATS_STATS_FILE_LOCK_H
#define STATS_STATS_FILE_LOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "stats/stats_file.h"

struct stats_file_lock {
	char *path;
	const char *name; /* of the path: behind the directory */
	char *fresh_name; /* until it is shown */
	int directory, file;
	bool shown;
};

/*
 * An empty file that is locked. 0; or -errno with errmsg set, of which -EBUSY means that a living
 * process publishes there. To be closed by stats_file_lock_unlink() only after success.
 */
int stats_file_lock_make(struct stats_file_lock *place, const struct stats_file_settings *settings,
			 char *errmsg, size_t errmsg_size);

/* From now on the file is found under its name. False: not yet, as errno says. */
bool stats_file_lock_publish(struct stats_file_lock *place);

/* Removes the file, if it is still this one. */
void stats_file_lock_unlink(struct stats_file_lock *place);

/* Does a living process write the file? 1, 0, or -errno. fd needs to be open for reading only. */
int stats_file_lock_is_held(int fd);

#endif
