/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The path of an allocation in its kernel stack: from its call site to the entry into the kernel.
 * The frames of the tracer and of the allocator inside of the call site are left out; so are those
 * of the entry, and of the code that an interrupt has interrupted.
 */
#ifndef ANALYSIS_STACK_PATH_H
#define ANALYSIS_STACK_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"

#define STACK_ENTRY_TEXT 160
#define STACK_SEPARATOR " < " /* between a function and its caller, in the text of a path */

struct stack_path {
	const uint64_t *frames; /* return addresses, the innermost first; the call site is one */
	uint32_t count;
	/*
	 * Where the path begins: the name of a system call. If it has no frame of its own, the
	 * first function that it called has the name, such as ksys_write, or is the name.
	 * "softirq:HANDLER", "hardirq"; "page_fault" or the name of another exception;
	 * "kthread:FUNCTION", "work:FUNCTION" of a workqueue; "" if it is not known.
	 */
	char entry[STACK_ENTRY_TEXT];
};

/*
 * The path in the stack whose frames the path has before, at least one. time: of the allocation.
 */
void stack_path_cut(struct stack_path *path, const struct symbols *symbols, uint64_t call_site,
		    uint64_t time);

/* id: in capture->stacks. time: of the event. False: the capture does not have the stack. */
bool stack_path_find(struct stack_path *path, const struct capture *capture, uint64_t id,
		     uint64_t call_site, uint64_t time);

#endif
