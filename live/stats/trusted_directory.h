/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Opens a directory in which only root and the caller can make, rename or remove a file, also by
 * replacing a directory or a symbolic link on the way to it.
 */
#ifndef LIVE_STATS_TRUSTED_DIRECTORY_H
#define LIVE_STATS_TRUSTED_DIRECTORY_H

#include "base/error.h"

/*
 * path: of a file, which messages name. Opens its directory, and makes it (mode 0755) if it is
 * missing, but not its parents. A descriptor, or -errno with error set.
 */
int trusted_directory_open(const char *path, struct error *error);

#endif
