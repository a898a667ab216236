// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The view where: who has the memory of the machine, so that all of it adds up. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/render.h"
#include "report/views/slab_lines.h"
#include "report/views/view.h"

#define UNEXPLAINED "unexplained"

static const struct column_choice columns[] = {
	{ .name = COLUMN_owner_text },
	{ .name = COLUMN_owner, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_ram_bytes },
	{ .name = COLUMN_ram_error_bytes },
	{ .name = COLUMN_ram_percent },
	{ .name = COLUMN_growth_bytes,
	  .type = COLUMN_CHANGE,
	  .legend = "bytes at the end - those at the first reading, when kmemtraced began" },
	{ .name = COLUMN_how },
	{ .name = COLUMN_next, .where = COLUMN_IF_ROOM },
	{ 0 },
};

static int begin_where(struct report *report)
{
	if (!report->settings.select)
		return 0;
	return error_format(
		&report->error, -EINVAL,
		"%s: the memory of the machine was read at the begin and at the end: use the view where without filters and --time",
		report->capture->path);
}

/* A row of so many bytes; before: CHANGE_UNKNOWN if there was no first reading. */
static int add_row(struct table *table, const char *name, const struct where_about *about,
		   int64_t bytes, uint64_t error, uint64_t total, int64_t before)
{
	if (!table_add(table))
		return -ENOMEM;
	table_cell(table, COLUMN_owner)->text = strdup(name);
	table_cell(table, COLUMN_owner_text)->text = strdup(about ? about->text : name);
	table_cell(table, COLUMN_ram_bytes)->change = bytes;
	table_cell(table, COLUMN_ram_error_bytes)->number = error;
	table_cell(table, COLUMN_ram_percent)->decimal = 100 * (double)bytes / (double)total;
	table_cell(table, COLUMN_growth_bytes)->change = before == CHANGE_UNKNOWN ? CHANGE_UNKNOWN
										  : bytes - before;
	table_cell(table, COLUMN_how)->text = about && about->how ? strdup(about->how) : NULL;
	table_cell(table, COLUMN_next)->text = about && about->next ? strdup(about->next) : NULL;
	return table_cell(table, COLUMN_owner)->text &&
			       table_cell(table, COLUMN_owner_text)->text &&
			       (!about || !about->how || table_cell(table, COLUMN_how)->text) &&
			       (!about || !about->next || table_cell(table, COLUMN_next)->text)
		       ? 0
		       : -ENOMEM;
}

/* An owner that has nothing, and had nothing, has no row. */
static int add_owners(struct table *table, const struct where_reading *first,
		      const struct where_reading *last)
{
	int err = 0;

	for (size_t i = 0; i < last->count && !err; i++) {
		const struct where_owner *owner = &last->list[i];
		const struct where_owner *before = first ? where_find(first, owner->name) : NULL;

		if (owner->bytes || (before && before->bytes))
			err = add_row(table, owner->name, where_about(owner->name),
				      (int64_t)owner->bytes, owner->error, last->total,
				      before ? (int64_t)before->bytes : CHANGE_UNKNOWN);
	}
	return err;
}

static int make_where(struct report *report)
{
	static const struct where_about unexplained = {
		.text = "unexplained",
		.how = "MemTotal - all others",
		.next = "kmemtrace-report allocinfo",
	};
	const struct where *where = &report->capture->where;
	const struct where_reading *first = where->count == 2 ? &where->list[0] : NULL;
	const struct where_reading *last;
	struct table *table = report_add_table(report, columns);
	uint64_t error;
	int err;

	table->key = "where";
	table->empty = "The capture has no reading of the memory of the machine.";
	table->sort = "-ram_bytes";
	table->tiebreak = table_column(table, COLUMN_owner);
	if (!where->count || !where->list[where->count - 1].total)
		return 0;
	last = &where->list[where->count - 1];
	err = add_owners(table, first, last);
	if (!err)
		err = add_row(table, UNEXPLAINED, &unexplained, where_unexplained(last, &error), 0,
			      last->total,
			      first ? where_unexplained(first, &error) : CHANGE_UNKNOWN);
	if (!err) {
		where_unexplained(last, &error);
		table_cell(table, COLUMN_ram_error_bytes)->number = error;
	}
	return err;
}

static int add_where_header(const struct report *report, struct header *header)
{
	const struct where *where = &report->capture->where;
	char text[200];

	if (!where->count)
		return 0;
	slab_lines_memory_text(&where->list[where->count - 1], text, sizeof(text));
	return header_add_line(header, "memory", false,
			       "%s; each page has one owner, and the rows add up", text);
}

const struct view view_where = {
	.name = "where",
	.summary = "who has the memory of the machine: processes, caches, slab, vmalloc, ...",
	.columns = columns,
	.rows = VIEW_ALL_ROWS,
	.begin = begin_where,
	.make = make_where,
	.add_header = add_where_header,
};
