/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stable names of functions: the same at every address where their module ever was. Several
 * functions of one name in one module are "function#1", "function#2", ... by address.
 */
#ifndef STATS_FUNCTION_NAMES_H
#define STATS_FUNCTION_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/symbols.h"

struct function_name {
	char *text;	    /* to be freed; "0xADDRESS" if the function is not known */
	const char *module; /* valid as long as the symbols; "": the kernel itself, or not known */
	bool known;
};

/*
 * The function that had the address at that time (ns). names: the index of the symbols. 0 or
 * -ENOMEM.
 */
int function_name_find(struct function_name *name, const struct symbols_names *names,
		       uint64_t address, uint64_t time);

#endif
