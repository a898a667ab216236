/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stable names of functions: the same at every address where their module ever was. Several
 * functions of one name in one module are "function#1", "function#2", ... by address.
 */
#ifndef KERNEL_FUNCTION_NAMES_H
#define KERNEL_FUNCTION_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/symbols.h"

#define NAME_UNKNOWN "(unknown)" /* of code without a symbol, of a cache without a name */
#define NAME_KERNEL "kernel"	 /* the module of code that is in none */

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

/* The names for readers who must not see addresses, valid as long as those in *name. */
const char *function_name_text(const struct function_name *name);
const char *function_name_module(const struct function_name *name);

#endif
