/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads /proc/kallsyms. The kernel's own symbols come first, and are most of it: they take a tenth
 * of a second. The symbols of modules are read as they are at that moment, so a file that was read
 * up to a point before them is kept, and gives them in a few milliseconds.
 */
#ifndef TRACER_HOST_KALLSYMS_H
#define TRACER_HOST_KALLSYMS_H

#include <stdbool.h>
#include <sys/types.h>

#include <zlib.h>

struct kallsyms {
	int fd;	   /* -1: not open */
	off_t at;  /* how far it was read */
	off_t end; /* of the part before the modules' symbols */
};

/* How often the symbols of modules are read until no list of symbols changes meanwhile. */
#define KALLSYMS_TRIES 3

/*
 * Writes the lines of code to the file. *modules_at: where the first symbol of a module stands.
 * Without those of modules if they changed in each try. 0 or -errno.
 */
int kallsyms_copy(gzFile file, off_t *modules_at);

/* 0 or -errno; without an error, close it. */
int kallsyms_open(struct kallsyms *kallsyms, off_t modules_at);

/* Reads a part of the kernel's own symbols, for about a millisecond. False: all were read. */
bool kallsyms_advance(struct kallsyms *kallsyms);

/*
 * Writes the lines of the modules' code to the file, and closes kallsyms. 0 or -errno; -EAGAIN:
 * nothing was written, since symbols may be missing; see module_phases.h. last: the caller will not
 * try again.
 */
int kallsyms_copy_modules(struct kallsyms *kallsyms, gzFile file, bool last);

void kallsyms_close(struct kallsyms *kallsyms);

#endif
