// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A stack has its whole path, a function in a line; a system call has the stacks that begin there.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>

#include "analysis/stack_path.h"
#include "live/top/opened_sampled.h"

#define STACKS 12 /* lines of a system call */
#define MARGIN 10

static const char *range_text(struct estimate_range range, char text[2 * NUMBER_BYTES + 8])
{
	char low[NUMBER_BYTES], high[NUMBER_BYTES];

	snprintf(text, 2 * NUMBER_BYTES + 8, "%s to %s", bytes_text((double)range.low, false, low),
		 bytes_text((double)range.high, false, high));
	return text;
}

static int add_live(struct page *page, const struct top_table *table,
		    const struct row_figures *figures)
{
	char text[4][NUMBER_BYTES], range[2 * NUMBER_BYTES + 8];

	return page_print(page, PAGE_PLAIN, "%-*s%s (%s), in about %s objects, %s/s, %s since %s",
			  MARGIN, "live", column_text(COLUMN_LIVE, figures, text[0]),
			  range_text(figures->live_range, range),
			  column_text(COLUMN_OBJECTS, figures, text[1]),
			  column_text(COLUMN_GROWTH, figures, text[2]),
			  column_text(COLUMN_SINCE, figures, text[3]), table->mark ? "r" : "start");
}

static int add_rates(struct page *page, const struct row_figures *figures)
{
	char text[2][NUMBER_BYTES], range[2 * NUMBER_BYTES + 8];

	if (!figures->has_rates)
		return page_print(page, PAGE_PLAIN, "%-*s- : not known at the moment", MARGIN,
				  "rates");
	return page_print(page, PAGE_PLAIN, "%-*s%s/s (%s), in about %s allocations/s", MARGIN,
			  "rates", column_text(COLUMN_BYTES, figures, text[0]),
			  range_text(figures->allocated_s_range, range),
			  column_text(COLUMN_ALLOCATIONS, figures, text[1]));
}

static int add_stack_figures(struct page *page, const struct top_table *table,
			     const struct table_row *row)
{
	struct row_figures figures;
	char line[PAGE_BYTES], all[NUMBER_BYTES], range[2 * NUMBER_BYTES + 8];
	size_t width = MIN(page->width - MARGIN - 1, TABLE_POINTS);
	int err;

	table_figures(table, row, &figures);
	err = add_live(page, table, &figures);
	if (!err)
		err = add_rates(page, &figures);
	if (!err)
		err = page_print(page, PAGE_PLAIN, "%-*s%s (%s) allocated", MARGIN, "in all",
				 bytes_text((double)row->now.allocated, false, all),
				 range_text(figures.allocated_range, range));
	if (!err)
		err = page_print(page, PAGE_PLAIN,
				 "%-*s%" PRIu64 ", of which %" PRIu64
				 " are live; in (): 95 %% intervals",
				 MARGIN, "samples", row->errors.samples, row->errors.live_samples);
	if (err || !row->points)
		return err;
	sparkline(page, table, row, width, line);
	return page_print(page, PAGE_PLAIN, "%-*s%s", MARGIN, "live", line);
}

/* From the caller of the allocator to the entry into the kernel. */
static int add_call_path(struct page *page, const char *name)
{
	const char *title = "path";
	int err = 0;

	while (*name && !err) {
		const char *end = strstr(name, STACK_SEPARATOR);
		size_t length = end ? (size_t)(end - name) : strlen(name);

		err = page_print(page, PAGE_PLAIN, "%-*s%.*s", MARGIN, title, (int)length, name);
		name += length + (end ? strlen(STACK_SEPARATOR) : 0);
		title = "";
	}
	return err;
}

static bool begins_at(const char *stack, const char *entry)
{
	const char *last = stack, *next;

	while ((next = strstr(last, STACK_SEPARATOR)))
		last = next + strlen(STACK_SEPARATOR);
	return last != stack && !strcmp(last, entry);
}

/* The listed stacks with the most live bytes. */
static int add_stacks(struct page *page, const struct top_table *stacks, const char *entry)
{
	struct list_settings settings = { .sort = COLUMN_LIVE };
	struct row_list list = { 0 };
	const char *title = "stacks";
	size_t count = 0;
	int err = list_fill(&list, stacks, &settings);

	for (size_t i = 0; i < list.count && count < STACKS && !err; i++) {
		const struct listed *listed = &list.rows[i];
		char live[NUMBER_BYTES], rate[NUMBER_BYTES], name[PAGE_BYTES];
		size_t width = page->width > MARGIN + 50 ? page->width - MARGIN - 30 : 20;

		if (!begins_at(listed->row->name, entry))
			continue;
		err = page_print(page, PAGE_PLAIN, "%-*s%-*s %8s live, %8s/s", MARGIN, title,
				 (int)width, fit_name(listed->row->name, width, name),
				 column_text(COLUMN_LIVE, &listed->figures, live),
				 column_text(COLUMN_BYTES, &listed->figures, rate));
		title = "";
		count++;
	}
	list_deinit(&list);
	return err;
}

int opened_sampled_add(struct page *page, const struct model *model, enum top_key key,
		       const struct table_row *row)
{
	char name[PAGE_BYTES];
	int err = page_print(page, PAGE_BOLD, "%s", fit_name(row->name, page->width, name));

	if (!err)
		err = add_stack_figures(page, &model->tables[key], row);
	if (err)
		return err;
	return key == KEY_STACK ? add_call_path(page, row->name)
				: add_stacks(page, &model->tables[KEY_STACK], row->name);
}
