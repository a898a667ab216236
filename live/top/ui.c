// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The terminal: draws the lines, reads keys, and leaves it as it was. */
#include "config.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <termcap.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/stop.h"
#include "live/top/clock.h"
#include "live/top/ui.h"

#define SLICE_MS 200 /* a signal is seen after this time, at the latest */
#define COLOR_PAIR_WARNING 1

static int fail_terminal(const char *why)
{
	const char *term = getenv("TERM");

	return error_msg("TERM=%s: %s: set TERM to its type, as in TERM=vt100, or use -b",
			 term ? term : "", why);
}

static int open_terminal(const struct top_options *options)
{
	setlocale(LC_ALL, "");
	if (!newterm(NULL, stdout, stdin))
		return fail_terminal("the terminal cannot be used");
	if (!tgetstr("cm", NULL)) {
		endwin();
		return fail_terminal("this type of terminal cannot move the cursor");
	}
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
	if (!options->no_color && has_colors()) {
		start_color();
		use_default_colors();
		init_pair(COLOR_PAIR_WARNING, COLOR_RED, -1);
	}
	return EXIT_OK;
}

static attr_t attributes_of(enum page_style style, bool is_selected)
{
	if (is_selected)
		return A_REVERSE;
	switch (style) {
	case PAGE_BOLD:
		return A_BOLD;
	case PAGE_HEADER:
		return A_BOLD | A_UNDERLINE;
	case PAGE_WARNING:
		return A_BOLD | (has_colors() ? COLOR_PAIR(COLOR_PAIR_WARNING) : 0);
	default:
		return A_NORMAL;
	}
}

static int draw_page(struct ui *ui)
{
	int lines = getmaxy(stdscr), width = getmaxx(stdscr);
	size_t selected;
	struct page page;
	int err;

	page_init(&page, (size_t)MAX(width, 1));
	page.has_blocks = !strcmp(nl_langinfo(CODESET), "UTF-8");
	err = ui_page(ui, &page, (size_t)MAX(lines, 1), &selected);
	erase();
	for (size_t i = 0; i < page.count && i < (size_t)lines && !err; i++) {
		bool is_selected = i == selected;

		attrset(attributes_of(page.lines[i].style, is_selected));
		mvaddstr((int)i, 0, page.lines[i].text);
		if (is_selected)
			mvchgat((int)i, 0, -1, A_REVERSE, 0, NULL);
	}
	attrset(A_NORMAL);
	refresh();
	page_deinit(&page);
	return err;
}

/* Waits for a key until that time (ns), and takes all keys that were typed. 0 or -ENOMEM. */
static int take_keys(struct ui *ui, uint64_t until)
{
	uint64_t now = clock_now();
	int key, err = 0;

	timeout(until > now ? (int)MIN((until - now) / 1000000 + 1, SLICE_MS) : 0);
	key = getch();
	timeout(0);
	while (key != ERR && !err && !ui->quit) {
		if (key != KEY_RESIZE)
			err = ui_key(ui, key);
		key = err ? ERR : getch();
	}
	return err;
}

/* 0; -ENOMEM; or another -errno with the model's errmsg. */
static int loop_until_quit(struct ui *ui, struct child *child, uint64_t moments)
{
	uint64_t next = clock_now() + ui->delay_ns, shown = 0;
	int updated, err = draw_page(ui);

	while (!err && !ui->quit && !stop_signal() && child_is_alive(child) &&
	       isatty(STDIN_FILENO)) {
		err = take_keys(ui, next);
		if (!err && (clock_now() >= next || ui->refresh)) {
			updated = model_update(ui->model);
			shown += updated > 0;
			err = MIN(updated, 0);
			next = clock_now() + ui->delay_ns;
			ui->refresh = false;
		}
		if (moments && shown >= moments)
			ui->quit = true;
		if (!err && !ui->quit)
			err = draw_page(ui);
	}
	return err;
}

int ui_run(struct model *model, struct child *child, const struct top_options *options)
{
	struct ui ui;
	int err, status = open_terminal(options);

	if (status)
		return status;
	ui_init(&ui, model, options);
	err = loop_until_quit(&ui, child, options->moments);
	ui_deinit(&ui);
	endwin();
	if (err)
		return error_msg("%s", *model->errmsg ? model->errmsg : strerror(-err));
	return child_exit_status(child);
}
