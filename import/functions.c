// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Addresses for functions that are known by name only. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "import/functions.h"
#include "base/number.h"

#define UNKNOWN "unknown"
#define FUNCTION_BASE ((uint64_t)2 << 56) /* not canonical: no code of a kernel lies there */
#define FUNCTION_STEP ((uint64_t)1 << 24)
#define OFFSET_MAX ((uint64_t)1 << 16) /* how far readers take a function of no size to go */

int functions_init(struct functions *functions)
{
	functions->unresolved = 0;
	return names_init(&functions->names);
}

void functions_deinit(struct functions *functions)
{
	names_deinit(&functions->names);
}

/*
 * A reader takes a function to end where the next of its module begins, which would be a lie: one
 * of another module behind it, and before the first, leaves the size unknown.
 */
static int tell(struct import_target *target, uint64_t address, const char *name,
		const char *module)
{
	int err = 0;

	if (address == FUNCTION_BASE)
		err = target_symbol(target, address - OFFSET_MAX, UNKNOWN, UNKNOWN);
	if (!err)
		err = target_symbol(target, address, name, module);
	return err ? err : target_symbol(target, address + OFFSET_MAX, UNKNOWN, UNKNOWN);
}

int functions_place(struct functions *functions, struct import_target *target, const char *text,
		    uint64_t *address)
{
	char name[512], whole[640], module[64] = "";
	uint64_t offset = 0, count = functions->names.count;
	const char *at = text, *bracket;
	int64_t number;
	size_t length;

	if (number_parse(&at, 16, address) && (!*at || *at == ' '))
		return 0;
	length = strcspn(text, "+ ");
	if (!length || length >= sizeof(name) || text[0] == '(') {
		functions->unresolved++;
		text = UNKNOWN;
		length = strlen(text);
	}
	memcpy(name, text, length);
	name[length] = '\0';
	at = text + length;
	if (*at == '+' && at++ && !number_parse(&at, 16, &offset))
		offset = 0;
	bracket = strchr(at, '[');
	if (bracket)
		snprintf(module, sizeof(module), "%.*s", (int)strcspn(bracket + 1, "] "),
			 bracket + 1);
	snprintf(whole, sizeof(whole), "%s [%s]", name, module);
	number = names_add(&functions->names, whole);
	if (number < 0)
		return target_fail(target, ENOMEM, "%s", strerror(ENOMEM));
	if (offset >= OFFSET_MAX) {
		functions->unresolved++;
		offset = OFFSET_MAX - 1;
	}
	*address = FUNCTION_BASE + (uint64_t)number * FUNCTION_STEP;
	if ((uint64_t)number == count) {
		int err = tell(target, *address, name, *module ? module : NULL);

		if (err)
			return err;
	}
	*address += offset;
	return 0;
}
