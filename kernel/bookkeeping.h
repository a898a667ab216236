/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which functions allocate objects for the slab allocator itself: tables that each slab or CPU
 * needs because of the objects of others. What creates or fills the slabs causes them.
 */
#ifndef KERNEL_BOOKKEEPING_H
#define KERNEL_BOOKKEEPING_H

#include <stdbool.h>

bool bookkeeping_has(const char *function); /* its name, as in kallsyms */

#endif
