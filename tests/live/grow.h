/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The common part of the makers of kernel objects. */
#ifndef KMT_TESTS_LIVE_GROW_H
#define KMT_TESTS_LIVE_GROW_H

#include <errno.h>

/* Returns the result of a system call. If it is negative, ends the program with status 77. */
int need(int result, const char *what);

void make_nft(long number);
void make_timer(long number);
void make_map(long number);
void make_rights(long number);
void make_memfd(long number);
void make_pty(long number);
void make_key(long number);
void make_fanotify(long number);
void make_large_pipe(long number);

#endif
