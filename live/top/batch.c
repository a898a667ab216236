// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The first reading is not printed: the rates of a moment need the moment before. While no
 * kmemtraced publishes, nothing is printed, and a message says so.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/param.h>
#include <time.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/stop.h"
#include "live/top/batch.h"
#include "live/top/clock.h"
#include "live/top/json.h"
#include "live/top/page.h"

#define WIDTH 80
#define SLICE_NS 50000000ULL

/* A terminal's width is used; elsewhere names get room. */
static size_t output_width(void)
{
	struct winsize size;

	if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return WIDTH;
}

static int print_text_page(const struct model *model, const struct page_choice *choice,
			   const struct row_list *list, uint64_t lines)
{
	struct page page;
	int err;

	page_init(&page, output_width());
	err = page_add_head(&page, model, choice, list);
	if (!err)
		err = page_add_slabs(&page, model);
	if (!err)
		err = page_add_columns(&page, choice);
	for (size_t i = 0; i < list->count && (!lines || i < lines) && !err; i++)
		err = page_add_row(&page, &model->tables[choice->key], &list->rows[i]);
	for (size_t i = 0; i < page.count && !err; i++)
		puts(page.lines[i].text);
	putchar('\n');
	page_deinit(&page);
	return err ? err : fflush(stdout) ? -errno : 0;
}

static int print_moment(const struct model *model, const struct top_options *options)
{
	struct page_choice choice = {
		.key = options->key,
		.list = { options->sort, options->reverse,
			  options->filter ? &options->regex : NULL },
	};
	struct row_list list = { 0 };
	int err;

	if (!options->has_key && !model_has_key(model, choice.key))
		choice.key = model_default_key(model);
	choice.list.types = model_cache_types(model, choice.key);
	err = list_fill(&list, &model->tables[choice.key], &choice.list);
	if (!err)
		err = options->json ? json_print(model, &choice, &list, options->lines)
				    : print_text_page(model, &choice, &list, options->lines);
	list_deinit(&list);
	return err;
}

static void report_state(const struct model *model, enum model_state *reported, bool is_waiting)
{
	if (model->state == *reported)
		return;
	if (model->state == MODEL_ENDED && is_waiting)
		info_msg("kmemtraced has ended: waiting for it");
	else if (*reported == MODEL_ENDED)
		info_msg("kmemtraced publishes again");
	*reported = model->state;
}

/* Sleeps until that time (ns). False: a signal asked to stop, or the child has ended. */
static bool wait_until(uint64_t time, struct child *child)
{
	while (clock_now() < time && !stop_signal() && child_is_alive(child)) {
		uint64_t left = time - clock_now();
		struct timespec pause = { .tv_nsec = (long)MIN(left, SLICE_NS) };

		nanosleep(&pause, NULL);
	}
	return !stop_signal() && child_is_alive(child);
}

int batch_run(struct model *model, struct child *child, const struct top_options *options)
{
	enum model_state reported = model->state;
	uint64_t printed = 0, next = clock_now();
	bool has_figures = model->time;

	if (options->has_key && model->time && !model_has_key(model, options->key))
		return error_msg("%s: has no figures by %s: %s", model->path,
				 top_keys[options->key], model_key_missing(model, options->key));
	while (!options->moments || printed < options->moments) {
		int updated;

		next += options->delay_ns;
		do {
			if (!wait_until(next, child))
				return child_exit_status(child);
			updated = model_update(model);
			report_state(model, &reported,
				     !options->moments || options->start == START_NEVER);
			if (updated < 0)
				return error_msg("%s", model->errmsg);
			/* so many moments are wanted: a script that counts them must end */
			if (model->state == MODEL_ENDED && options->moments &&
			    options->start != START_NEVER)
				return error_msg(
					"%s: kmemtraced has ended after %" PRIu64 " of %" PRIu64
					" moments: with -w, kmemtrace-top waits for the next one",
					model->path, printed, options->moments);
			if (!updated)
				next = clock_now() + SLICE_NS;
		} while (!updated);
		/* those of another kmemtraced have no rates yet */
		if (has_figures && model->tables[KEY_CACHE].before) {
			int err = print_moment(model, options);

			if (err)
				return error_msg("standard output: %s", strerror(-err));
			printed++;
		}
		has_figures = true;
	}
	return EXIT_OK;
}
