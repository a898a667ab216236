/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions that symbols.c, symbols_load.c and symbols_order.c share. */
#ifndef KERNEL_SYMBOLS_PARTS_H
#define KERNEL_SYMBOLS_PARTS_H

#include "kernel/symbols.h"

/*
 * Prepares the list for searches: sorts it, keeps one symbol an address, computes the sizes and the
 * snapshots. 0 or -ENOMEM.
 */
int symbols_order(struct symbols *symbols);

/* The index in the list behind the last symbol of a snapshot. */
size_t symbols_snapshot_end(const struct symbols *symbols, size_t snapshot);

#endif
