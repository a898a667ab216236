// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The view allocinfo: what each source line of the kernel holds, by /proc/allocinfo. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/render.h"
#include "report/views/view.h"

static const struct column_choice columns[] = {
	{ .name = COLUMN_place,
	  .legend =
		  "the line of the kernel's source that allocates: file:line; (all): all of them" },
	{ .name = COLUMN_function,
	  .legend = "the function that this line is in, or one that is inlined there" },
	{ .name = COLUMN_module, .where = COLUMN_IF_ROOM },
	{ .name = COLUMN_objects,
	  .header = "live",
	  .unit = "objs",
	  .legend = "live allocations of this line at the end, whenever they were made" },
	{ .name = COLUMN_bytes,
	  .header = "live",
	  .unit = "bytes",
	  .type = COLUMN_SIGNED,
	  .legend =
		  "live bytes at the end, of all allocators: slab, pages, percpu, vmalloc. A little below 0 if frees were counted before their allocations" },
	{ .name = COLUMN_growth_objects,
	  .legend =
		  "live allocations at the end - those at the first reading, when kmemtraced began" },
	{ .name = COLUMN_growth_bytes,
	  .type = COLUMN_CHANGE,
	  .legend = "live bytes at the end - those at the first reading, when kmemtraced began" },
	{ .name = COLUMN_exact, .where = COLUMN_NOT_IN_TEXT },
	{ 0 },
};

static int begin_allocinfo(struct report *report)
{
	if (!report->settings.select)
		return 0;
	return error_format(
		&report->error, -EINVAL,
		"%s: /proc/allocinfo was read at the begin and at the end, and counts all allocations: use the view allocinfo without filters and --time",
		report->capture->path);
}

/* before: NULL: it is not known. */
static int add_row(struct table *table, const struct allocinfo_line *line,
		   const struct allocinfo_line *before)
{
	if (!table_add(table))
		return -ENOMEM;
	table_cell(table, COLUMN_place)->text = strdup(line->place);
	table_cell(table, COLUMN_function)->text = strdup(line->function);
	table_cell(table, COLUMN_module)->text = *line->module ? strdup(line->module) : NULL;
	table_cell(table, COLUMN_objects)->number = line->objects > INT64_MAX ? 0 : line->objects;
	table_cell(table, COLUMN_bytes)->change = line->bytes;
	table_cell(table, COLUMN_growth_objects)->change =
		before ? (int64_t)(line->objects - before->objects) : CHANGE_UNKNOWN;
	table_cell(table, COLUMN_growth_bytes)->change =
		before ? (int64_t)((uint64_t)line->bytes - (uint64_t)before->bytes)
		       : CHANGE_UNKNOWN;
	table_cell(table, COLUMN_exact)->number = !line->is_inexact;
	return table_cell(table, COLUMN_place)->text && table_cell(table, COLUMN_function)->text &&
			       (!*line->module || table_cell(table, COLUMN_module)->text)
		       ? 0
		       : -ENOMEM;
}

static int add_rows(struct table *table, const struct allocinfo_reading *first,
		    const struct allocinfo_reading *last)
{
	static const struct allocinfo_line none = { 0 };
	struct allocinfo_line gone;
	int err = 0;

	for (size_t i = 0; i < last->count && !err; i++) {
		const struct allocinfo_line *found = first ? allocinfo_find(first, &last->list[i])
							   : NULL;

		err = add_row(table, &last->list[i], !first ? NULL : found ? found : &none);
	}
	/* what held something at the begin only */
	for (size_t i = 0; first && i < first->count && !err; i++) {
		if (allocinfo_find(last, &first->list[i]))
			continue;
		gone = first->list[i];
		gone.bytes = 0;
		gone.objects = 0;
		err = add_row(table, &gone, &first->list[i]);
	}
	return err;
}

static int make_allocinfo(struct report *report)
{
	const struct allocinfo *allocinfo = &report->capture->allocinfo;
	struct table *table = report_add_table(report, columns);

	table->key = "allocinfo";
	table->empty =
		"The capture has no reading of /proc/allocinfo: Linux 6.10 and later have it with CONFIG_MEM_ALLOC_PROFILING, and vm.mem_profiling switches it on.";
	table->sort = "-bytes,growth_bytes";
	table->tiebreak = table_column(table, COLUMN_place);
	table->tiebreaks = 2;
	if (!allocinfo->count || !allocinfo->list[allocinfo->count - 1].count)
		return 0;
	return add_rows(table, allocinfo->count == 2 ? &allocinfo->list[0] : NULL,
			&allocinfo->list[allocinfo->count - 1]);
}

const struct view view_allocinfo = {
	.name = "allocinfo",
	.summary = "what each source line of the kernel holds, of all allocators: /proc/allocinfo",
	.columns = columns,
	.begin = begin_allocinfo,
	.make = make_allocinfo,
};
