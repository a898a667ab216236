// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Bits for the names of GFP flags. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "import/flags.h"
#include "base/array.h"
#include "base/number.h"

#define BITS 32

/* The one name for several flags of which a reader must know a part: kmalloc's cache goes by it. */
#define WHOLE "GFP_KERNEL_ACCOUNT"
#define FIRST_PART "GFP_KERNEL"
#define SECOND_PART "__GFP_ACCOUNT"

static int insert(struct gfp_table *table, const char *name, uint64_t bits, size_t index)
{
	struct gfp_name *list = array_grow(table->list, table->count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	table->list = list;
	memmove(list + index + 1, list + index, (table->count - index) * sizeof(*list));
	list[index] = (struct gfp_name){ .bits = bits };
	snprintf(list[index].name, sizeof(list[index].name), "%s", name);
	table->count++;
	return 0;
}

/* The index of the name, or count. */
static size_t find(const struct gfp_table *table, const char *name)
{
	size_t index = 0;

	while (index < table->count && strcmp(table->list[index].name, name))
		index++;
	return index;
}

/* One flag, which stands before the one at *limit. */
static int add_bit(struct flags *flags, struct gfp_table *table, const char *name, size_t *limit,
		   uint32_t *bits)
{
	size_t index = find(table, name);
	struct gfp_name found;

	if (index < table->count) {
		found = table->list[index];
		if (index > *limit) {
			memmove(table->list + *limit + 1, table->list + *limit,
				(index - *limit) * sizeof(found));
			table->list[*limit] = found;
		} else {
			*limit = index;
		}
		*bits |= (uint32_t)found.bits;
		return 0;
	}
	if (flags->used == BITS) {
		flags->left_out++;
		return 0;
	}
	*bits |= (uint32_t)1 << flags->used;
	return insert(table, name, (uint64_t)1 << flags->used++, *limit);
}

/* Its parts, and in front of all others, since readers take the first that fits, itself. */
static int add_whole(struct flags *flags, struct gfp_table *table, uint32_t *bits)
{
	size_t index = find(table, WHOLE), limit = table->count;
	uint32_t parts = 0;
	int err;

	if (index < table->count) {
		*bits |= (uint32_t)table->list[index].bits;
		return 0;
	}
	err = add_bit(flags, table, SECOND_PART, &limit, &parts);
	if (!err)
		err = add_bit(flags, table, FIRST_PART, &limit, &parts);
	*bits |= parts;
	return err || !parts ? err : insert(table, WHOLE, parts, 0);
}

/*
 * The names of a line are in the order of the kernel's table. From the last to the first, each is
 * put before the one behind it, if it is not there already.
 */
int flags_parse(struct flags *flags, struct gfp_table *table, const char *text, uint32_t *bits)
{
	size_t limit = SIZE_MAX, start, end = strlen(text) + 1;
	const char *at = text;
	uint64_t number;
	char name[40];
	int err = 0;

	*bits = 0;
	if (!table->count && number_parse(&at, 16, &number) && !*at) {
		*bits = (uint32_t)number;
		return 0;
	}
	for (; end && !err; end = start) {
		end--;
		for (start = end; start && text[start - 1] != '|'; start--)
			;
		snprintf(name, sizeof(name), "%.*s", (int)(end - start), text + start);
		if (!*name || !strcmp(name, "none") || !strcmp(name, "0"))
			continue;
		if (!strcmp(name, WHOLE)) {
			err = add_whole(flags, table, bits);
			continue;
		}
		if (limit > table->count)
			limit = table->count;
		if (!limit && table->count && !strcmp(table->list[0].name, WHOLE))
			limit = 1;
		err = add_bit(flags, table, name, &limit, bits);
	}
	return err;
}
