/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How many pieces a dump of limited size may have. */
#ifndef TRACER_PIECES_DUMP_SIZE_H
#define TRACER_PIECES_DUMP_SIZE_H

#include <stdint.h>

/*
 * The pieces of the set, an open directory, from *first to the last: makes *first larger until they
 * take at most so many bytes on disk. A file of several pieces counts once. The last piece is never
 * left out. 0 or -errno.
 */
int dump_size_limit(int set, unsigned int last, uint64_t max_bytes, unsigned int *first);

#endif
