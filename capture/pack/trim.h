/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Cuts the symbols of a capture to those that a report needs: the symbols of all addresses of code
 * in its events and stacks, all symbols with the same names, and the symbols behind them, which
 * give their sizes.
 */
#ifndef CAPTURE_PACK_TRIM_H
#define CAPTURE_PACK_TRIM_H

#include "base/error.h"

/*
 * Rewrites kernel/symbols of the capture or set in a directory that no other program uses. 0 or
 * -errno with error set. Symbols that are missing, hidden or damaged stay as they are.
 */
int trim_capture(const char *path, struct error *error);

#endif
