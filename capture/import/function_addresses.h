/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Addresses for call sites of a recording that has only their names, "function+0xoffset [module]".
 * Each function gets an address that no kernel uses, and a line in the symbols of the capture. A
 * call site that is too far behind its symbol gets them for its whole text.
 */
#ifndef CAPTURE_IMPORT_FUNCTION_ADDRESSES_H
#define CAPTURE_IMPORT_FUNCTION_ADDRESSES_H

#include <stdint.h>

#include "base/texts.h"
#include "capture/import/import_target.h"

struct function_addresses {
	struct texts names;
	uint64_t unresolved; /* call sites whose text could not be parsed */
	uint64_t far;	     /* call sites so far behind their symbol that it is of other code */
};

int function_addresses_init(struct function_addresses *functions); /* 0 or -ENOMEM */
void function_addresses_deinit(struct function_addresses *functions);

/*
 * The address of a call site; a hexadecimal number is returned unchanged. *address 0: the text is
 * neither. 0 or -errno with target->error set.
 */
int function_addresses_find(struct function_addresses *functions, struct import_target *target,
			    const char *text, uint64_t *address);

#endif
