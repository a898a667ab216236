/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The second step of a repair: writes the new capture. */
#ifndef CHECK_REPAIR_REBUILD_H
#define CHECK_REPAIR_REBUILD_H

#include "check/repair/repair_state.h"

/* Writes the new capture into repair->directory. 0 or -errno. */
int repair_rebuild(struct repair *repair);

#endif
