/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The name of a process that the kernel kills for lack of memory, and that may be gone. */
#ifndef TRACER_HOST_VICTIM_NAME_H
#define TRACER_HOST_VICTIM_NAME_H

#include <stddef.h>
#include <stdint.h>

/*
 * From /proc, or from kernel/tasks in the directory of a capture, a file descriptor. name is empty
 * if neither has it.
 */
void victim_name(uint32_t pid, int directory, char *name, size_t size);

#endif
