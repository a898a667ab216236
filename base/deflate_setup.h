/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libdeflate chooses its code for this CPU at the first use of each function, and stores the choice
 * in its variables without a lock. Threads that use it first at the same time all store the same
 * choice, but tools such as helgrind report a race, and C does not define the result.
 */
#ifndef BASE_DEFLATE_SETUP_H
#define BASE_DEFLATE_SETUP_H

/* Lets libdeflate choose its code now. Each thread calls it before its first use of libdeflate. */
void deflate_setup(void);

#endif
