/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes a readable capture of a capture that was cut off or damaged. */
#ifndef CHECK_REPAIR_REPAIR_H
#define CHECK_REPAIR_REPAIR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * Keeps every whole packet of the capture at path and counts all other events as lost. The result
 * replaces the original, which is renamed to PATH.damaged (.1, .2, ...); if output is not NULL, the
 * result goes there and path stays as it is. Prints what was lost on stdout, unless quiet. 0 or
 * -errno with error set.
 */
int repair_run(const char *path, const char *output, bool quiet, struct error *error);

#endif
