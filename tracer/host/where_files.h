/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads where the memory of this machine is: see kernel/where.h. */
#ifndef TRACER_HOST_WHERE_FILES_H
#define TRACER_HOST_WHERE_FILES_H

#include "kernel/where.h"

/* now: the capture's clock. 0 or -errno. */
int where_files_read(struct where_reading *reading, uint64_t (*now)(void));

#endif
