/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What kernel/symbols.c, symbols_load.c and symbols_order.c share. */
#ifndef KERNEL_SYMBOLS_PARTS_H
#define KERNEL_SYMBOLS_PARTS_H

#include "kernel/symbols.h"

/*
 * Makes of the list as it was read the one that is searched: sorted, one symbol an address,
 * with sizes and snapshots. 0 or -ENOMEM.
 */
int symbols_order(struct symbols *symbols);

/* Where in the list the symbols of a snapshot end. */
size_t symbols_snapshot_end(const struct symbols *symbols, size_t snapshot);

#endif
