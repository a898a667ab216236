// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A path for each row: its module, its function, its slab cache. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "base/text.h"
#include "base/utc.h"
#include "report/render/render.h"
#include "report/summaries/flame.h"
#include "report/views/flame_table.h"

#define FRAMES 3

static char *make_path(const struct summary_row *row, bool bottom_up)
{
	char *module = summaries_module_text(row->names[1]), *text = NULL;
	const char *frames[FRAMES] = { module, row->names[0], row->names[2] };
	size_t size;
	FILE *file = module ? text_open(&text, &size) : NULL;

	if (!file) {
		free(module);
		return NULL;
	}
	for (size_t i = 0; i < FRAMES; i++) {
		const char *frame = frames[bottom_up ? FRAMES - 1 - i : i];

		if (i)
			putc(FLAME_SEPARATOR, file);
		flame_put_name(file, frame, strlen(frame));
	}
	text_close(file, &text);
	free(module);
	return text;
}

static int add_path(struct flame *flame, const struct summaries_view *view, size_t number,
		    bool bottom_up)
{
	const struct summary_row *row = &view->summaries.sum.rows[number];
	const struct summary_counts *counts = &row->counts;
	const struct summaries_group *cache = &view->by_cache.facts[view->by_cache.of_row[number]];
	struct flame_path *path = flame_add(flame);

	if (!path)
		return -ENOMEM;
	path->text = make_path(row, bottom_up);
	if (!path->text)
		return -ENOMEM;
	path->allocated = (struct flame_values){ counts->allocations, counts->allocated,
						 counts->allocated_variance };
	path->live = (struct flame_values){ counts->live_objects, counts->live_bytes,
					    counts->live_variance };
	path->shown = flame->measure == FLAME_live ? path->live : path->allocated;
	path->is_bound = flame->measure == FLAME_live && cache->is_bound && counts->live_objects;
	return 0;
}

static char *make_source(const struct summaries *summaries)
{
	char *text = NULL, begin[40], end[40];
	size_t size;
	FILE *file = text_open(&text, &size);

	if (!file)
		return NULL;
	utc_text(summaries->sum.begin, begin, sizeof(begin));
	utc_text(summaries->sum.end, end, sizeof(end));
	if (summaries->hosts == 1)
		printable_write(file, summaries->sum.sources[0].host);
	else
		fprintf(file, "%zu hosts", summaries->hosts);
	fprintf(file, ", %.19s to %.19s UTC", begin, end);
	text_close(file, &text);
	return text;
}

static int set_texts(struct flame *flame, const struct summaries *summaries, bool bottom_up)
{
	flame->interval = summaries->sum.missing.sampling;
	flame->time = summaries->sum.begin;
	flame->duration = summaries->sum.end - summaries->sum.begin;
	flame->title = flame_make_title(flame, SUMMARIES_FLAME_BY);
	flame->source = make_source(summaries);
	flame->legend = bottom_up ? "modules are below; hover for figures"
				  : "slab caches are below; hover for figures";
	return flame->title && flame->source ? 0 : -ENOMEM;
}

int summaries_add_flame(struct report *report, const struct summaries_view *view)
{
	const struct summaries *summaries = &view->summaries;
	struct flame *flame = calloc(1, sizeof(*flame));
	int err = 0;

	if (!flame)
		return -ENOMEM;
	report->flame = flame;
	flame->measure = report->measure_text && !strcmp(report->measure_text, "allocated")
				 ? FLAME_allocated
				 : FLAME_live;
	for (size_t i = 0; i < summaries->sum.row_count && !err; i++)
		if (summaries->selected[i])
			err = add_path(flame, view, i, report->bottom_up);
	if (!err)
		err = set_texts(flame, summaries, report->bottom_up);
	if (err)
		return err;
	flame_sort(flame, true);
	return report->renderer->print_flame
		       ? 0
		       : flame_table(report, summaries_margin(view, !flame_is_flow(flame)));
}
