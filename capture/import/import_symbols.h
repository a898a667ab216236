/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The recorded kernel's symbols, from a file of the user. */
#ifndef CAPTURE_IMPORT_IMPORT_SYMBOLS_H
#define CAPTURE_IMPORT_IMPORT_SYMBOLS_H

#include "capture/import/import_target.h"

/*
 * Adds the symbols of a file in the format of kallsyms or System.map, plain or gzip. 0 or -errno
 * with target->error set.
 */
int import_symbols_load(struct import_target *target, const char *path);

#endif
