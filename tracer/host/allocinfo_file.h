/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads /proc/allocinfo: see kernel/allocinfo.h. */
#ifndef TRACER_HOST_ALLOCINFO_FILE_H
#define TRACER_HOST_ALLOCINFO_FILE_H

#include "kernel/allocinfo.h"

/* 0; -ENODATA: the kernel does not have it; -EINVAL: an unknown format; or another -errno. */
int allocinfo_file_read(struct allocinfo_reading *reading, uint64_t time);

/* Does the kernel count? -1: it has no such switch, vm.mem_profiling; 0 or 1. */
int allocinfo_file_is_on(void);

#endif
