/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads /proc/kallsyms. The kernel's own symbols come first, and are most of it: reading them takes
 * a tenth of a second. So a file is kept open that was read up to a point before the symbols of
 * modules. Later it gives these, as they are then, in a few milliseconds.
 */
#ifndef TRACER_HOST_KALLSYMS_H
#define TRACER_HOST_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <zlib.h>

#include "kernel/ring.h"

/*
 * Was a reading of kallsyms whole? The position of a reader counts the symbols of all modules. When
 * an init function has ended, the kernel replaces the list of the module's symbols by a shorter
 * one; when a module is unloaded, it removes the list. A reader that is behind it then skips as
 * many symbols, of this module or of another, and the function before a gap seems to be longer.
 */

enum module_phase {
	MODULE_LOADING, /* the kernel has not replaced the list yet */
	MODULE_ENDING,	/* the init function has ended; the list may be replaced at any time */
	MODULE_LOADED,	/* the list was replaced */
};

struct phase_of_module {
	char name[KMT_NAME_SIZE];
	uint64_t id; /* another one if the module is loaded again; 0: unknown */
	enum module_phase phase;
};

struct module_phases {
	struct phase_of_module *list; /* in the order of /proc/modules */
	size_t count;
};

/* Reads /proc/modules and /sys/module. 0 or -errno; -ENOENT: this kernel has no modules. */
int module_phases_read(struct module_phases *phases);
void module_phases_deinit(struct module_phases *phases);

/*
 * Has no list of symbols changed between the two? ending: also say yes if a module is in the phase
 * MODULE_ENDING in both, where a change of the list is possible, but not likely.
 */
bool module_phases_same(const struct module_phases *before, const struct module_phases *after,
			bool ending);

struct kallsyms {
	int fd;	   /* -1: not open */
	off_t at;  /* how far it was read */
	off_t end; /* of the part before the modules' symbols */
};

/*
 * The symbols of modules are read again if a list of symbols changed meanwhile: so often at most.
 */
#define KALLSYMS_TRIES 3

/*
 * Writes the lines of code to the file; those of modules only if no list of symbols changed during
 * one of KALLSYMS_TRIES tries. *modules_at: the offset of the first symbol of a module. 0 or
 * -errno.
 */
int kallsyms_copy(gzFile file, off_t *modules_at);

/* 0 or -errno; without an error, close it. */
int kallsyms_open(struct kallsyms *kallsyms, off_t modules_at);

/* Reads a part of the kernel's own symbols, for about a millisecond. False: all were read. */
bool kallsyms_advance(struct kallsyms *kallsyms);

/*
 * Writes the lines of the modules' code to the file, and closes kallsyms. 0 or -errno; -EAGAIN:
 * nothing was written, since symbols may be missing; see enum module_phase. last: the caller will
 * not try again.
 */
int kallsyms_copy_modules(struct kallsyms *kallsyms, gzFile file, bool last);

void kallsyms_close(struct kallsyms *kallsyms);

#endif
