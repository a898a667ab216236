/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shows a long text on a terminal with the user's pager. */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H

#include <stdbool.h>
#include <stddef.h>

/* May the pager be needed: is standard output a terminal of known height, and is a pager set? */
bool pager_is_possible(void);

/*
 * Prints the text to standard output: with $PAGER if it has more lines than the terminal, as it is
 * if not, or if the pager cannot run. 0 or -errno.
 */
int pager_print(const char *text, size_t length);

#endif
