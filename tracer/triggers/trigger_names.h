/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Compares the names in triggers with the slab caches and functions that the kernel has now. A name
 * that it does not have is allowed, since a module may bring it, but is mostly mistyped.
 */
#ifndef TRACER_TRIGGERS_TRIGGER_NAMES_H
#define TRACER_TRIGGERS_TRIGGER_NAMES_H

#include "tracer/triggers/trigger.h"

#define TRIGGER_DOUBT 240

/* Paths of the files to read. */
struct trigger_name_files {
	const char *slab;     /* a directory with an entry for each slab cache, and for aliases */
	const char *slabinfo; /* has the names by which the kernel's events name them */
	const char *kallsyms;
};
extern const struct trigger_name_files trigger_name_files;

/*
 * Why the trigger may never fire; "": there is no reason known. Where the names of the kernel
 * cannot be read, none is.
 */
void trigger_names_check(const struct trigger *trigger, const struct trigger_name_files *files,
			 char doubt[TRIGGER_DOUBT]);

#endif
