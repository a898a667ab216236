/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * /proc/allocinfo (Linux 6.10, CONFIG_MEM_ALLOC_PROFILING): what each source line holds that
 * allocates, of all allocators (slab, pages, percpu, vmalloc), exactly, since the boot or since
 * vm.mem_profiling was switched on. No stacks, and no tasks.
 */
#ifndef KERNEL_ALLOCINFO_H
#define KERNEL_ALLOCINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The holdings of one source line. Lines of one place, such as those of an inline function, are
 * one. */
struct allocinfo_line {
	char *place;	  /* "mm/slub.c:2435" */
	char *function;	  /* the function that allocates */
	char *module;	  /* ""; or the module that it is part of */
	int64_t bytes;	  /* live; the counters of CPUs are read one after the other */
	uint64_t objects; /* live allocations; modulo 2^64, as it can be below 0 for the same reason
			   */
	bool is_inexact;  /* the kernel says that it missed some ("accurate:no") */
};

struct allocinfo_reading {
	uint64_t time;		     /* ns, the capture's clock */
	struct allocinfo_line *list; /* by place, function, module; those that hold something */
	size_t count;
};

/* The first and the last reading of a capture; none or one if there are no more. */
struct allocinfo {
	struct allocinfo_reading list[2];
	size_t count;
};

/* Parses /proc/allocinfo. 0, -ENOMEM, or -EINVAL: an unknown format. */
int allocinfo_parse_proc(struct allocinfo_reading *reading, const char *text, uint64_t time);

/* Negative: left before right; 0: the same place, function and module. */
int allocinfo_compare(const struct allocinfo_line *left, const struct allocinfo_line *right);

/* NULL: the reading does not have it, so it held nothing. */
const struct allocinfo_line *allocinfo_find(const struct allocinfo_reading *reading,
					    const struct allocinfo_line *line);

/*
 * Lines of kernel/allocinfo: "read TIME", and "line BYTES OBJECTS PLACE FUNCTION [MODULE]" or
 * "inexact …" of this reading; numbers are decimal, BYTES may be negative. Lines with other keys
 * are skipped. 0, -EINVAL or -ENOMEM.
 */
int allocinfo_write(FILE *file, const struct allocinfo_reading *reading);
int allocinfo_parse(struct allocinfo *allocinfo, const char *text);
void allocinfo_reading_deinit(struct allocinfo_reading *reading);
void allocinfo_deinit(struct allocinfo *allocinfo);

#endif
