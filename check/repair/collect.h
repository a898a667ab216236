/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The first step of a repair: reads all that is left of a capture. */
#ifndef CHECK_REPAIR_COLLECT_H
#define CHECK_REPAIR_COLLECT_H

#include "check/repair/repair_state.h"

/* Fills all of the repair from the directory at path, and decides what is kept. 0 or -errno. */
int repair_collect(struct repair *repair);

#endif
