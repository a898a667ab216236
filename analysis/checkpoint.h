/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes the checkpoint of a piece of a set: the heap at its begin, from the piece before. It is the
 * directory "checkpoint" of the piece, which kmemtrace-capture(5) describes. All of it is a
 * function of the piece before and of the time of the begin: it can be removed and made again.
 */
#ifndef ANALYSIS_CHECKPOINT_H
#define ANALYSIS_CHECKPOINT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The threads that existed at a time (ns) before the piece began. No other needs a name. */
struct checkpoint_threads {
	uint64_t time;
	const uint32_t *ids; /* ascending */
	size_t count;
};

/*
 * from, to: paths of two successive pieces; from is finished. threads: NULL: not known. Replaces a
 * checkpoint that `to` has. 0, or -errno with error set; then `to` has no new checkpoint.
 */
int checkpoint_make(const char *from, const char *to, const struct checkpoint_threads *threads,
		    struct error *error);

#endif
