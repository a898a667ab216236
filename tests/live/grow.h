/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The common part of the makers of kernel objects. */
#ifndef KMT_TESTS_LIVE_GROW_H
#define KMT_TESTS_LIVE_GROW_H

#include <errno.h>

/* Returns the result of a system call. If it is negative, ends the program with status 77. */
int need(int result, const char *what);

void make_nft(long number);

#endif
