/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Copies kernel/symbols with substitutes for addresses. */
#ifndef CAPTURE_PACK_ANONYMIZE_SYMBOLS_H
#define CAPTURE_PACK_ANONYMIZE_SYMBOLS_H

#include <stddef.h>

#include "capture/directory.h"
#include "capture/pack/substitutes.h"

/*
 * Writes the symbols and lists of modules in the file path to kernel/symbols of the directory.
 * *left_out gets the number of other lines. 0 or -errno.
 */
int anonymize_symbols(struct substitutes *substitutes, const char *path,
		      struct directory *directory, size_t *left_out);

#endif
