/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The readings of the slab allocator. A capture has two: one after the programs are attached, and
 * one before they are detached. So each object that is allocated or freed between the two has
 * events, unless it was on a path that is not observed. For published figures, readings are taken
 * again and again.
 */
#ifndef TRACER_HEAP_AUDIT_H
#define TRACER_HEAP_AUDIT_H

#include "base/error.h"
#include "capture/directory.h"
#include "tracer/heap/heap_reader.h"

struct heap_audit {
	struct heap_reader *reader;	 /* NULL: there are no readings */
	char reason[200];		 /* why not, or "": they were not asked for */
	struct heap_reading readings[2]; /* of the capture */
	size_t count;
	struct heap_reading published; /* the last one for published figures */
	uint64_t next, urgent;	       /* ns: when the next one is due; and at the earliest */
};

/* Before kmemtraced gives up its privileges. Without a reader, audit->reason says why. */
void heap_audit_open(struct heap_audit *audit);

/* Takes the next reading of the capture. 0, or the -errno of meanwhile->step(). */
int heap_audit_read(struct heap_audit *audit, const struct heap_meanwhile *meanwhile);

/*
 * The same for published figures, in audit->published, which is empty if it fails. The next one is
 * due after ten seconds, or later: so readings take at most a hundredth of one CPU. If it is
 * urgent, it is due after a second, and they take at most a tenth. use_ns: the CPU time that the
 * thread needed to use the one before.
 */
int heap_audit_read_published(struct heap_audit *audit, const struct heap_meanwhile *meanwhile,
			      uint64_t use_ns);

static inline bool heap_audit_is_due(const struct heap_audit *audit, uint64_t now, bool is_urgent)
{
	return audit->reader && now >= (is_urgent ? audit->urgent : audit->next);
}

/* Are there readings for published figures, as far as is known? */
static inline bool heap_audit_works(const struct heap_audit *audit)
{
	return audit->reader && !*audit->reason;
}

/* Writes kernel/heap; if that fails, the capture has none, and audit->reason says why. */
void heap_audit_write(struct heap_audit *audit, struct directory *directory);
void heap_audit_close(struct heap_audit *audit);

#endif
