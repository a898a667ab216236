/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How a call site, a task or GFP flags are named, in every view. */
#ifndef ANALYSIS_FIELDS_LABELS_H
#define ANALYSIS_FIELDS_LABELS_H

#include <stdint.h>

#include "capture/capture.h"

/*
 * Each returns a new string that is never cut, or NULL: no memory.
 *	site      "symbol+0x10/0x40 [module]"
 *	function  "symbol [module]"; without a symbol as site
 *	module    "[ext4]", or "kernel" for "", the kernel itself
 *	task      "comm (pid 12)", or "? (tid 12)" if the task is not known
 *	thread    "comm/12", with the thread id
 *	user      "name", or "1000", the id, if it has no name
 *	gfp       "GFP_KERNEL|__GFP_ZERO"
 */
char *label_site(const struct symbols *symbols, uint64_t address, uint64_t time);
char *label_function(const struct symbols *symbols, uint64_t address, uint64_t time);
char *label_module(const char *module);
char *label_task(const struct task *task, uint32_t tid);
char *label_thread(const struct task *task, uint32_t tid);
char *label_user(const struct tasks *tasks, uint32_t uid);
char *label_gfp(const struct gfp_table *gfp, uint64_t flags);

/* The name of the module of the code at the address, "" for the kernel; NULL: not known. */
const char *label_find_module(const struct symbols *symbols, uint64_t address, uint64_t time);

__attribute__((format(printf, 1, 2))) char *label_new(const char *format, ...);

#endif
