/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The readings of the slab allocator that a capture has: one after the programs are attached, and
 * one before they are detached. So each object that is allocated or freed between the two has
 * events, unless it was on a path that is not observed.
 */
#ifndef TRACER_HEAP_AUDIT_H
#define TRACER_HEAP_AUDIT_H

#include "base/error.h"
#include "capture/directory.h"
#include "tracer/heap/heap_reader.h"

struct heap_audit {
	struct heap_reader *reader; /* NULL: there are no readings */
	char reason[200];	    /* why not, or "": they were not asked for */
	struct heap_reading readings[2];
	size_t count;
};

/* Before kmemtraced gives up its privileges. Without a reader, audit->reason says why. */
void heap_audit_open(struct heap_audit *audit);

/* Takes the next reading. 0, or the -errno of meanwhile->step(). */
int heap_audit_read(struct heap_audit *audit, const struct heap_meanwhile *meanwhile);

/* Writes kernel/heap; if that fails, the capture has none, and audit->reason says why. */
void heap_audit_write(struct heap_audit *audit, struct directory *directory);
void heap_audit_close(struct heap_audit *audit);

#endif
