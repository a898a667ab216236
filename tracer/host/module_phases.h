/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Was a reading of kallsyms whole? The position of a reader counts the symbols of all modules. When
 * an init function has ended, the kernel replaces the list of the module's symbols by a shorter
 * one; when a module is unloaded, it removes the list. A reader that is behind it then skips as
 * many symbols, of this module or of another, and the function before a gap seems to be longer.
 */
#ifndef TRACER_HOST_MODULE_PHASES_H
#define TRACER_HOST_MODULE_PHASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/ring.h"

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

#endif
