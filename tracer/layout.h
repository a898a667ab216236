/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which programs read this kernel's tracepoints. Their arguments had several forms over the
 * years; which one a kernel has is told by the types in its BTF or, where it has none, by its
 * format files and by how many arguments there are; never by its version.
 */
#ifndef TRACER_LAYOUT_H
#define TRACER_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "tracer/objects.h"

struct btf;

/* The tracepoints; the frees come first. */
enum layout_event {
	LAYOUT_KFREE,
	LAYOUT_CACHE_FREE,
	LAYOUT_FREES, /* how many these are */
	LAYOUT_KMALLOC = LAYOUT_FREES,
	LAYOUT_CACHE_ALLOC,
	LAYOUT_KMALLOC_NODE,	 /* until 6.0 */
	LAYOUT_CACHE_ALLOC_NODE, /* until 6.0 */
	LAYOUT_EVENTS,
};

struct layout {
	struct lacks lacks;
	struct btf *btf;		     /* the kernel's; NULL if it lacks that */
	const char *programs[LAYOUT_EVENTS]; /* NULL: the kernel has no such tracepoint */
	bool allocations_tell_caches;
	bool frees_name; /* they tell the name of a cache only */
	char why[300];
};

/* Looks at the running kernel. 0, or -errno with why set: no capture is possible. */
int layout_look(struct layout *layout);
void layout_deinit(struct layout *layout);

/* The choice by BTF alone. */
int layout_from_btf(struct layout *layout, const struct btf *btf);

/* What a tracepoint's format file says, or NULL, and how many arguments it passes. */
struct layout_clue {
	const char *format;
	int arguments;
};

/* The choice without BTF. */
int layout_from_formats(struct layout *layout, const struct layout_clue clues[LAYOUT_EVENTS]);

const char *layout_tracepoint(enum layout_event event);

#endif
