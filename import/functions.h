/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Places in code that a recording tells by name only, "function+0xoffset [module]": each function
 * gets an address that no kernel has, and a line in the capture's symbols.
 */
#ifndef IMPORT_FUNCTIONS_H
#define IMPORT_FUNCTIONS_H

#include <stdint.h>

#include "import/name_table.h"
#include "import/import_target.h"

struct functions {
	struct name_table names;
	uint64_t unresolved; /* places told in a way that has no meaning here */
};

int functions_init(struct functions *functions); /* 0 or -ENOMEM */
void functions_deinit(struct functions *functions);

/* The address of a place; a number in hex stays what it is. 0 or -errno with target->errmsg set. */
int functions_place(struct functions *functions, struct import_target *target, const char *text,
		    uint64_t *address);

#endif
