// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Makes the name of a function from its symbol, or from the module that has the address. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/function_names.h"

static int name_address(struct function_name *name, const struct symbols *symbols, uint64_t address,
			uint64_t time)
{
	/* whether the module is unloaded later must not change the name */
	const struct symbols_module *range = symbols_find_module(symbols, address, time);

	name->module = range ? symbols_string(symbols, range->name) : "";
	name->known = false;
	return asprintf(&name->text, "0x%" PRIx64, address) < 0 ? -ENOMEM : 0;
}

int function_name_find(struct function_name *name, const struct symbols_names *names,
		       uint64_t address, uint64_t time)
{
	const struct symbols *symbols = names->symbols;
	const struct symbol *symbol = symbols_find(symbols, address, time);
	char number[24] = "";
	size_t rank, count;

	if (!symbol)
		return name_address(name, symbols, address, time);
	rank = symbols_rank(names, symbol, &count);
	if (count > 1)
		snprintf(number, sizeof(number), "#%zu", rank);
	name->module = symbols_string(symbols, symbol->module);
	name->known = true;
	return asprintf(&name->text, "%s%s", symbols_string(symbols, symbol->name), number) < 0
		       ? -ENOMEM
		       : 0;
}

const char *function_name_text(const struct function_name *name)
{
	return name->known ? name->text : NAME_UNKNOWN;
}

const char *function_name_module(const struct function_name *name)
{
	if (*name->module)
		return name->module;
	return name->known ? NAME_KERNEL : NAME_UNKNOWN;
}
