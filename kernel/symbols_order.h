/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sorts the symbols that symbols_load.c has read. */
#ifndef KERNEL_SYMBOLS_ORDER_H
#define KERNEL_SYMBOLS_ORDER_H

#include "kernel/symbols.h"

/*
 * Prepares the list for searches: sorts it, removes duplicate addresses, and sets the sizes and the
 * snapshots. 0, -ENOMEM, or -EFBIG: modules overlap more than those of any kernel.
 */
int symbols_order(struct symbols *symbols);

#endif
