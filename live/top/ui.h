/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The screen and its keys: what is shown now, and what each key does. */
#ifndef LIVE_TOP_UI_H
#define LIVE_TOP_UI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/top/child.h"
#include "live/top/model.h"
#include "live/top/options.h"
#include "live/top/page.h"

#define UI_INPUT 200

enum ui_mode {
	UI_LIST,
	UI_OPENED,
	UI_HELP,
	UI_FILTER, /* a text is typed */
	UI_DELAY,
};

struct ui {
	struct model *model;
	struct page_choice choice;
	regex_t regex;
	char filter[UI_INPUT];
	uint64_t delay_ns;
	enum ui_mode mode, back; /* back: where a prompt came from */
	struct row_list list;
	size_t selected,
		first; /* rows of the list: the selected one, and the first on the screen */
	size_t rows;   /* that the screen has for the list */
	char *opened;  /* the key of the opened row */
	size_t scroll; /* lines of an opened row, or of the help, above the screen */
	char input[UI_INPUT];
	size_t input_length;
	char message[UI_INPUT + 100]; /* until the next key */
	bool quit, refresh;	      /* refresh: read new figures now */
};

void ui_init(struct ui *ui, struct model *model, const struct top_options *options);
void ui_deinit(struct ui *ui);

/* Does what the user asks for with the key. key: as getch() returns it. 0 or -ENOMEM. */
int ui_key(struct ui *ui, int key);

/* Lists the rows of the key. 0 or -ENOMEM. */
int ui_list_rows(struct ui *ui);

/* Makes the lines of the screen. *selected: the line of the selected row, or SIZE_MAX. 0 or
 * -ENOMEM.
 */
int ui_page(struct ui *ui, struct page *page, size_t lines, size_t *selected);

/* Runs on the terminal until the user, a signal or the child ends it. The exit status, after a
 * message if it is not EXIT_OK. */
int ui_run(struct model *model, struct child *child, const struct top_options *options);

#endif
