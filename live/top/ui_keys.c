// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One key sorts, as in slabtop and top; r, s, / and the arrows are as there. */
#include "config.h"

#include <curses.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/number.h"
#include "live/top/ui.h"

#define ESCAPE 27
#define CONTROL(key) ((key)&0x1f)
#define DELAY_MIN_NS 100000000ULL
#define DELAY_MAX_NS 86400000000000ULL
#define NSEC_PER_SEC 1e9

void ui_init(struct ui *ui, struct model *model, const struct top_options *options)
{
	memset(ui, 0, sizeof(*ui));
	ui->model = model;
	ui->delay_ns = options->delay_ns;
	ui->choice.key = options->key;
	ui->choice.list.sort = options->sort;
	ui->choice.list.reverse = options->reverse;
	if (!options->has_key && !model_has_key(model, ui->choice.key))
		ui->choice.key = model_default_key(model);
	if (options->filter && strlen(options->filter) < sizeof(ui->filter) &&
	    !regcomp(&ui->regex, options->filter, REG_EXTENDED | REG_NOSUB)) {
		strcpy(ui->filter, options->filter);
		ui->choice.list.filter = &ui->regex;
	}
	ui->choice.filter = ui->filter;
}

void ui_deinit(struct ui *ui)
{
	if (ui->choice.list.filter)
		regfree(&ui->regex);
	list_deinit(&ui->list);
	free(ui->opened);
}

static void set_key(struct ui *ui, enum top_key key)
{
	if (!model_has_key(ui->model, key)) {
		snprintf(ui->message, sizeof(ui->message), "no figures by %s: %s", top_keys[key],
			 model_key_missing(ui->model, key));
		return;
	}
	ui->choice.key = key;
	ui->selected = ui->first = 0;
	ui->mode = UI_LIST;
}

static void set_next_key(struct ui *ui, int step)
{
	int key = (int)ui->choice.key;

	do
		key = (key + step + KEYS) % KEYS;
	while (!model_has_key(ui->model, (enum top_key)key));
	set_key(ui, (enum top_key)key);
}

static bool set_sort(struct ui *ui, int key)
{
	for (unsigned int i = 0; i < COLUMNS; i++) {
		if (columns[i].key != key)
			continue;
		ui->choice.list.sort = i;
		ui->selected = ui->first = 0;
		return true;
	}
	return false;
}

static void begin_input(struct ui *ui, enum ui_mode mode, const char *text)
{
	ui->back = ui->mode;
	ui->mode = mode;
	snprintf(ui->input, sizeof(ui->input), "%s", text);
	ui->input_length = strlen(ui->input);
}

static void set_filter(struct ui *ui)
{
	char errmsg[100];
	regex_t regex;
	int err;

	if (ui->input_length) {
		err = regcomp(&regex, ui->input, REG_EXTENDED | REG_NOSUB);
		if (err) {
			regerror(err, &regex, errmsg, sizeof(errmsg));
			snprintf(ui->message, sizeof(ui->message), "/%s: %s", ui->input, errmsg);
			return;
		}
	}
	if (ui->choice.list.filter)
		regfree(&ui->regex);
	ui->choice.list.filter = NULL;
	strcpy(ui->filter, ui->input);
	if (ui->input_length) {
		ui->regex = regex;
		ui->choice.list.filter = &ui->regex;
	}
	ui->selected = ui->first = 0;
}

static void set_delay(struct ui *ui)
{
	uint64_t delay;

	if (!ui->input_length)
		return;
	if (!duration_parse(ui->input, ui->input_length, &delay) || delay < DELAY_MIN_NS ||
	    delay > DELAY_MAX_NS)
		snprintf(ui->message, sizeof(ui->message), "%s: must be seconds, from 0.1 on",
			 ui->input);
	else
		ui->delay_ns = delay;
}

static void input_key(struct ui *ui, int key)
{
	switch (key) {
	case '\n':
	case '\r':
	case KEY_ENTER:
		if (ui->mode == UI_FILTER)
			set_filter(ui);
		else
			set_delay(ui);
		ui->mode = UI_LIST;
		break;
	case ESCAPE:
	case CONTROL('g'):
		ui->mode = ui->back;
		break;
	case KEY_BACKSPACE:
	case '\b':
	case 0x7f:
		if (ui->input_length)
			ui->input[--ui->input_length] = '\0';
		break;
	case CONTROL('u'):
		ui->input_length = 0;
		ui->input[0] = '\0';
		break;
	default:
		if (key < ' ' || key > '~' || ui->input_length + 1 >= sizeof(ui->input))
			break;
		ui->input[ui->input_length++] = (char)key;
		ui->input[ui->input_length] = '\0';
	}
}

/* Moves the selection, or the lines of an opened row or of the help. */
static bool move_key(struct ui *ui, int key)
{
	size_t *at = ui->mode == UI_LIST ? &ui->selected : &ui->scroll;
	size_t last = ui->mode == UI_LIST ? (ui->list.count ? ui->list.count - 1 : 0) : SIZE_MAX;
	size_t page = ui->rows > 1 ? ui->rows - 1 : 1;

	switch (key) {
	case KEY_UP:
	case 'k':
		*at -= *at > 0;
		return true;
	case KEY_DOWN:
	case 'j':
		*at += *at < last;
		return true;
	case KEY_PPAGE:
	case CONTROL('b'):
		*at -= MIN(*at, page);
		return true;
	case KEY_NPAGE:
	case CONTROL('f'):
		*at += MIN(last - *at, page);
		return true;
	case KEY_HOME:
	case '<':
		*at = 0;
		return true;
	case KEY_END:
	case '>':
		*at = last == SIZE_MAX ? *at : last;
		return true;
	default:
		return false;
	}
}

static int open_row(struct ui *ui)
{
	int err;

	if (ui->mode != UI_LIST)
		return 0;
	/* keys before this one may have changed the list since it was drawn */
	err = ui_list_rows(ui);
	if (err || ui->selected >= ui->list.count)
		return err;
	free(ui->opened);
	ui->opened = strdup(ui->list.rows[ui->selected].row->key);
	if (!ui->opened)
		return -ENOMEM;
	ui->mode = UI_OPENED;
	ui->scroll = 0;
	return 0;
}

static void command_key(struct ui *ui, int key)
{
	char text[32];

	switch (key) {
	case 'q':
	case CONTROL('c'):
		ui->quit = ui->mode == UI_LIST || key == CONTROL('c');
		ui->mode = UI_LIST;
		break;
	case 'h':
	case '?':
		ui->mode = UI_HELP;
		ui->scroll = 0;
		break;
	case 'r':
		model_set_mark(ui->model);
		snprintf(ui->message, sizeof(ui->message), "SINCE counts from now on");
		break;
	case 'R':
		ui->choice.list.reverse = !ui->choice.list.reverse;
		break;
	case 's':
		snprintf(text, sizeof(text), "%g", (double)ui->delay_ns / NSEC_PER_SEC);
		begin_input(ui, UI_DELAY, text);
		break;
	case '/':
		begin_input(ui, UI_FILTER, ui->filter);
		break;
	case '\t':
	case KEY_RIGHT:
		set_next_key(ui, 1);
		break;
	case KEY_BTAB:
	case KEY_LEFT:
		set_next_key(ui, -1);
		break;
	case ' ':
		ui->refresh = true;
		break;
	default:
		if (key >= '1' && key < '1' + KEYS)
			set_key(ui, (enum top_key)(key - '1'));
		else if (!set_sort(ui, key))
			snprintf(ui->message, sizeof(ui->message), "h lists the keys");
		break;
	}
}

int ui_key(struct ui *ui, int key)
{
	ui->message[0] = '\0';
	if (ui->mode == UI_FILTER || ui->mode == UI_DELAY) {
		input_key(ui, key);
		return 0;
	}
	if (key == '\n' || key == '\r' || key == KEY_ENTER)
		return open_row(ui);
	if (key == ESCAPE || key == KEY_BACKSPACE || key == '\b' || key == 0x7f)
		ui->mode = UI_LIST;
	else if (!move_key(ui, key))
		command_key(ui, key);
	return 0;
}
