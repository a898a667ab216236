// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Invents an address for each function name. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "capture/import/function_addresses.h"

#define UNKNOWN "unknown"
#define FUNCTION_BASE ((uint64_t)2 << 56) /* not canonical: no kernel has code there */
#define FUNCTION_STEP ((uint64_t)1 << 24)
#define OFFSET_MAX                                                                     \
	((uint64_t)1 << 16) /* readers assume that a function without a size ends here \
			     */

int function_addresses_init(struct function_addresses *functions)
{
	functions->unresolved = functions->far = 0;
	return texts_init(&functions->names);
}

void function_addresses_deinit(struct function_addresses *functions)
{
	texts_deinit(&functions->names);
}

/*
 * A reader assumes that a function ends where the next function of its module begins, which is
 * wrong here. A symbol of another module behind it, and before the first, makes the size unknown.
 */
static int add_symbols(struct import_target *target, uint64_t address, const char *name,
		       const char *module)
{
	int err = 0;

	if (address == FUNCTION_BASE)
		err = import_target_add_symbol(target, address - OFFSET_MAX, UNKNOWN, UNKNOWN);
	if (!err)
		err = import_target_add_symbol(target, address, name, module);
	return err ? err : import_target_add_symbol(target, address + OFFSET_MAX, UNKNOWN, UNKNOWN);
}

int function_addresses_find(struct function_addresses *functions, struct import_target *target,
			    const char *text, uint64_t *address)
{
	char name[512], whole[640], module[64] = "";
	size_t count = functions->names.count;
	uint64_t offset = 0;
	const char *at = text, *bracket;
	uint32_t number;
	size_t length;

	if (number_parse(&at, 16, address) && (!*at || *at == ' '))
		return 0;
	length = strcspn(text, "+ ");
	if (!length || length >= sizeof(name) || text[0] == '(') {
		functions->unresolved++;
		*address = 0;
		return 0;
	}
	at = text + length;
	if (*at == '+' && at++ && !number_parse(&at, 16, &offset))
		offset = 0;
	if (offset >= OFFSET_MAX && at - text < (ptrdiff_t)sizeof(name)) {
		functions->far++;
		length = (size_t)(at - text);
		offset = 0;
	}
	memcpy(name, text, length);
	name[length] = '\0';
	bracket = strchr(at, '[');
	if (bracket)
		snprintf(module, sizeof(module), "%.*s", (int)strcspn(bracket + 1, "] "),
			 bracket + 1);
	snprintf(whole, sizeof(whole), "%s [%s]", name, module);
	number = texts_add(&functions->names, whole);
	if (!number)
		return error_set(&target->error, -ENOMEM, strerror(ENOMEM));
	if (offset >= OFFSET_MAX)
		offset = OFFSET_MAX - 1;
	*address = FUNCTION_BASE + (uint64_t)(number - 1) * FUNCTION_STEP;
	if (number == count) {
		int err = add_symbols(target, *address, name, *module ? module : NULL);

		if (err)
			return err;
	}
	*address += offset;
	return 0;
}
