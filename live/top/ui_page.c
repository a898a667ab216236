// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The lines of the screen: the head, a line for messages and prompts, and what the mode shows. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>

#include "live/top/opened.h"
#include "live/top/ui.h"

static int add_message(const struct ui *ui, struct page *page)
{
	if (ui->mode == UI_FILTER)
		return page_print(page, PAGE_BOLD, "show names that match (none: all): %s_",
				  ui->input);
	if (ui->mode == UI_DELAY)
		return page_print(page, PAGE_BOLD, "seconds between two refreshes: %s_", ui->input);
	if (ui->model->state == MODEL_ENDED)
		return page_print(
			page, PAGE_WARNING,
			"kmemtraced has ended: these are its last figures; waiting for it");
	if (*ui->message)
		return page_print(page, PAGE_BOLD, "%s", ui->message);
	if (ui->choice.list.filter)
		return page_print(page, PAGE_BOLD, "filter: %s", ui->filter);
	if (ui->model->restarts)
		return page_print(page, PAGE_PLAIN,
				  "kmemtraced was started again: figures count from then");
	return page_print(page, PAGE_PLAIN, " ");
}

static int add_page_rows(struct ui *ui, struct page *page, size_t *selected)
{
	const struct top_table *table = &ui->model->tables[ui->choice.key];
	size_t last;
	int err = page_add_columns(page, &ui->choice);

	if (ui->list.count && ui->selected >= ui->list.count)
		ui->selected = ui->list.count - 1;
	if (ui->selected < ui->first)
		ui->first = ui->selected;
	if (ui->rows && ui->selected >= ui->first + ui->rows)
		ui->first = ui->selected - ui->rows + 1;
	last = MIN(ui->list.count, ui->first + ui->rows);
	if (ui->list.count)
		*selected = page->count + ui->selected - ui->first;
	for (size_t i = ui->first; i < last && !err; i++)
		err = page_add_row(page, table, &ui->list.rows[i]);
	return err;
}

/* As many names in a line as fit. */
static int add_paths(struct page *page, const char *paths)
{
	int err = page_print(page, PAGE_PLAIN,
			     "Not observed: their objects are missing, or seem live:");

	while (*paths && !err) {
		size_t length = 0, next;

		do {
			next = length + strcspn(paths + length, ",");
			next += paths[next] == ',';
			if (length && next + 2 > page->width)
				break;
			length = next;
		} while (paths[length]);
		err = page_print(page, PAGE_PLAIN, "  %.*s", (int)length, paths);
		paths += length;
	}
	return err;
}

static int add_help(const struct ui *ui, struct page *page)
{
	static const char *const lines[] = {
		"  1 to 8     rows by site, function, cache, comm, process, cgroup, stack, call",
		"  Tab        rows by the next key; arrows and page keys move",
		"  Enter      open the row: its parts, sizes, ages, lifetimes; its path",
		"  /          filter by a regular expression; R reverse the order",
		"  r          let SINCE count from now; s seconds; space refresh",
		"  q          quit",
		"Live: allocated since tracing began, not freed. MISSING: in no figure.",
	};
	const char *paths = ui->model->view.snapshot.paths;
	int err = page_print(page, PAGE_BOLD, "Keys (q or Esc: back)");

	for (size_t i = 0; i < COLUMNS && !err; i++)
		err = page_print(page, PAGE_PLAIN, "  %c          sort by %-8s %s", columns[i].key,
				 columns[i].header, columns[i].meaning);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]) && !err; i++)
		err = page_print(page, PAGE_PLAIN, "%s", lines[i]);
	return err || !paths || !*paths ? err : add_paths(page, paths);
}

/* Scrolls what is behind the head. */
static void scroll_page(struct ui *ui, struct page *page, size_t head, size_t lines)
{
	size_t below = page->count - head, room = lines > head ? lines - head : 1;

	ui->scroll = MIN(ui->scroll, below > room ? below - room : 0);
	memmove(&page->lines[head], &page->lines[head + ui->scroll],
		(below - ui->scroll) * sizeof(*page->lines));
	page->count -= ui->scroll;
}

int ui_list_rows(struct ui *ui)
{
	ui->choice.list.types = model_cache_types(ui->model, ui->choice.key);
	return list_fill(&ui->list, &ui->model->tables[ui->choice.key], &ui->choice.list);
}

int ui_page(struct ui *ui, struct page *page, size_t lines, size_t *selected)
{
	size_t head;
	int err = ui_list_rows(ui);

	*selected = SIZE_MAX;
	page_clear(page);
	if (!err)
		err = page_add_head(page, ui->model, &ui->choice, &ui->list);
	if (!err && ui->mode != UI_HELP && ui->mode != UI_OPENED)
		err = page_add_slabs(page, ui->model);
	if (!err)
		err = add_message(ui, page);
	if (err)
		return err;
	head = page->count;
	ui->rows = lines > head + 1 ? lines - head - 1 : 0;
	if (ui->mode == UI_HELP || ui->mode == UI_OPENED) {
		err = ui->mode == UI_HELP ? add_help(ui, page)
					  : opened_add(page, ui->model, ui->choice.key, ui->opened);
		if (!err)
			scroll_page(ui, page, head, lines);
		return err;
	}
	return add_page_rows(ui, page, selected);
}
