/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A published file in its directory. It is made beside its name and gets it when there is
 * something to be read; meanwhile and after, a lock tells that its writer is alive: an open file
 * description lock, which the kernel takes off when the process ends, however that happens.
 */
#ifndef TRACE_PUBLISHED_PLACE_H
#define TRACE_PUBLISHED_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "trace/published.h"

struct published_place {
	char *path;
	const char *name; /* of the path: behind the directory */
	char *fresh_name; /* until it is shown */
	int directory, file;
	bool shown;
};

/*
 * An empty file that is locked. 0; or -errno with why set, of which -EBUSY means that a living
 * process publishes there. To be closed by published_place_leave() only after success.
 */
int published_place_make(struct published_place *place, const struct published_settings *settings,
			 char *why, size_t why_size);

/* From now on the file is found under its name. False: not yet, as errno says. */
bool published_place_show(struct published_place *place);

/* Removes the file, if it is still this one. */
void published_place_leave(struct published_place *place);

/* Does a living process write the file? 1, 0, or -errno. fd needs to be open for reading only. */
int published_place_is_held(int fd);

#endif
