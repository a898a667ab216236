// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Gives bits to the names of GFP flags, in an order that readers understand. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "capture/import/gfp_bits.h"

#define BITS 32

/* This name means two flags, and a reader must see the second: it selects a kmalloc cache. */
#define WHOLE "GFP_KERNEL_ACCOUNT"
#define FIRST_PART "GFP_KERNEL"
#define SECOND_PART "__GFP_ACCOUNT"

static int insert_name(struct gfp_table *table, const char *name, uint64_t bits, size_t index)
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
static size_t find_index(const struct gfp_table *table, const char *name)
{
	size_t index = 0;

	while (index < table->count && strcmp(table->list[index].name, name))
		index++;
	return index;
}

/* Adds one flag, in front of the entry at *limit. */
static int add_bit(struct gfp_bits *gfp, struct gfp_table *table, const char *name, size_t *limit,
		   uint32_t *bits)
{
	size_t index = find_index(table, name);
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
	if (gfp->used == BITS) {
		gfp->left_out++;
		return 0;
	}
	*bits |= (uint32_t)1 << gfp->used;
	return insert_name(table, name, (uint64_t)1 << gfp->used++, *limit);
}

/* Adds its parts, and the name itself at the front: readers use the first name that matches. */
static int add_whole(struct gfp_bits *gfp, struct gfp_table *table, uint32_t *bits)
{
	size_t index = find_index(table, WHOLE), limit = table->count;
	uint32_t parts = 0;
	int err;

	if (index < table->count) {
		*bits |= (uint32_t)table->list[index].bits;
		return 0;
	}
	err = add_bit(gfp, table, SECOND_PART, &limit, &parts);
	if (!err)
		err = add_bit(gfp, table, FIRST_PART, &limit, &parts);
	*bits |= parts;
	return err || !parts ? err : insert_name(table, WHOLE, parts, 0);
}

/*
 * The names of a line are in the order of the kernel's table. From the last to the first, each is
 * put in front of its successor, unless it is there already.
 */
int gfp_bits_parse(struct gfp_bits *gfp, struct gfp_table *table, const char *text, uint32_t *bits)
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
			err = add_whole(gfp, table, bits);
			continue;
		}
		if (limit > table->count)
			limit = table->count;
		if (!limit && table->count && !strcmp(table->list[0].name, WHOLE))
			limit = 1;
		err = add_bit(gfp, table, name, &limit, bits);
	}
	return err;
}
