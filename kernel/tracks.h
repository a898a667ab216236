/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stacks of live objects that the kernel itself keeps, of objects from before the capture too:
 *
 *   kfence  those of KFENCE's sample, /sys/kernel/debug/kfence/objects (Linux 5.12)
 *   slub    all objects of a cache with slub_debug=U, alloc_traces in its folder of
 *           /sys/kernel/debug/slab (Linux 5.15; with the whole stack from 6.0), or alloc_calls in
 *           that of /sys/kernel/slab (before), which has a page of text only: the first ones by
 *           address
 */
#ifndef KERNEL_TRACKS_H
#define KERNEL_TRACKS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TRACK_UNKNOWN UINT64_MAX
#define TRACK_FRAME_SEPARATOR ';'

enum track_source {
	TRACK_KFENCE,
	TRACK_SLUB,
	TRACK_SOURCES
};

/* The live objects of one cache that were allocated on one path. */
struct track {
	enum track_source source;
	char cache[64]; /* cut as in struct cache */
	uint64_t objects;
	uint64_t bytes;		   /* kfence: as requested; slub: objects of the cache's size */
	uint64_t youngest, oldest; /* ns before the reading; or TRACK_UNKNOWN */
	uint64_t pid_min, pid_max; /* of the tasks that allocated; or TRACK_UNKNOWN */
	char *stack; /* "function+0x1/0x2", the innermost first; with " [module]" behind it */
};

/* A source was read to the end. */
struct tracks_reading {
	enum track_source source;
	uint64_t time; /* ns, the capture's clock */
};

struct tracks {
	struct track *list;
	size_t count;
	struct tracks_reading readings[TRACK_SOURCES];
	size_t reading_count;
};

/*
 * Adds the live objects of /sys/kernel/debug/kfence/objects, one track an object. now: ns since
 * boot, for kernels that write no age. 0 or -ENOMEM; what has another form is left out.
 */
int tracks_parse_kfence(struct tracks *tracks, const char *text, uint64_t now);

/*
 * Adds the tracks of alloc_traces or alloc_calls of a cache. object_size: bytes; tick: ns of a
 * jiffy. As above.
 */
int tracks_parse_slub(struct tracks *tracks, const char *text, const char *cache,
		      uint64_t object_size, uint64_t tick);

/* Takes the stack. 0 or -ENOMEM: the stack is still the caller's. */
int tracks_add(struct tracks *tracks, const struct track *track);

/* Makes one track of those that differ in their objects only. */
void tracks_merge(struct tracks *tracks);

/* source: a name as above, as the capture has it. */
const char *track_source_name(enum track_source source);

/*
 * Lines of kernel/tracks: "read SOURCE TIME" and "track SOURCE OBJECTS BYTES YOUNGEST OLDEST
 * PID_MIN PID_MAX CACHE FRAME…"; numbers are decimal, or "unknown". Lines with other keys are
 * skipped. 0, -EINVAL or -ENOMEM.
 */
int tracks_write(FILE *file, const struct tracks *tracks);
int tracks_parse(struct tracks *tracks, const char *text);
void tracks_deinit(struct tracks *tracks);

#endif
