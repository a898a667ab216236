// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Searches the arguments of an event's print format for its table of flags. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "capture/import/dat_gfp.h"

#define DEPTH_MAX 64

static const struct tep_print_flag_sym *find_flags(const struct tep_print_arg *arg, int depth)
{
	const struct tep_print_flag_sym *found;

	if (!arg || depth > DEPTH_MAX)
		return NULL;
	switch (arg->type) {
	case TEP_PRINT_FLAGS:
		return arg->flags.flags;
	case TEP_PRINT_OP:
		found = find_flags(arg->op.left, depth + 1);
		return found ? found : find_flags(arg->op.right, depth + 1);
	case TEP_PRINT_TYPE:
		return find_flags(arg->typecast.item, depth + 1);
	default:
		return NULL;
	}
}

static int append_flag(struct gfp_table *table, const struct tep_print_flag_sym *flag)
{
	struct gfp_name *list;

	if (!flag->value || !flag->str || !strtoull(flag->value, NULL, 0))
		return 0;
	list = array_grow(table->list, table->count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	table->list = list;
	list[table->count] = (struct gfp_name){ .bits = strtoull(flag->value, NULL, 0) };
	snprintf(list[table->count].name, sizeof(list->name), "%s", flag->str);
	table->count++;
	return 0;
}

int dat_gfp(struct gfp_table *table, const struct tep_event *event)
{
	const struct tep_print_flag_sym *flags = NULL;
	int err = 0;

	for (const struct tep_print_arg *arg = event->print_fmt.args; arg && !flags;
	     arg = arg->next)
		flags = find_flags(arg, 0);
	for (; flags && !err; flags = flags->next)
		err = append_flag(table, flags);
	if (err)
		return err;
	return table->count ? 0 : -ENODATA;
}
