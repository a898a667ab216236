// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Lines fit the width. Below 96 columns FREE/S is left out, from 130 on a sparkline of the live
 * bytes follows.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <time.h>

#include "analysis/missing.h"
#include "base/array.h"
#include "live/top/page.h"

#define NSEC_PER_SEC 1000000000
#define WITH_FREES 96
#define WITH_SPARKLINE 130
#define SPARKLINE 24

static const enum column numbers[] = {
	COLUMN_LIVE,  COLUMN_ERROR,	  COLUMN_OBJECTS, COLUMN_GROWTH,
	COLUMN_SINCE, COLUMN_ALLOCATIONS, COLUMN_FREES,	  COLUMN_BYTES,
};
#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

void page_init(struct page *page, size_t width)
{
	memset(page, 0, sizeof(*page));
	page->width = MIN(width, PAGE_WIDTH_MAX);
}

void page_deinit(struct page *page)
{
	free(page->lines);
	memset(page, 0, sizeof(*page));
}

void page_clear(struct page *page)
{
	page->count = 0;
}

static void cut_text(char *text, size_t width)
{
	size_t columns_used = 0;

	for (; *text; text++) {
		bool begins = ((unsigned char)*text & 0xc0) != 0x80;

		if (begins && columns_used == width) {
			*text = '\0';
			return;
		}
		columns_used += begins;
	}
}

int page_print(struct page *page, enum page_style style, const char *format, ...)
{
	struct page_line *lines =
		array_grow_zeroed(page->lines, &page->space, page->count + 1, sizeof(*lines));
	va_list arguments;

	if (!lines)
		return -ENOMEM;
	page->lines = lines;
	lines[page->count].style = style;
	va_start(arguments, format);
	vsnprintf(lines[page->count].text, sizeof(lines->text), format, arguments);
	va_end(arguments);
	cut_text(lines[page->count++].text, page->width);
	return 0;
}

static bool has_column(const struct page *page, bool is_sampled, enum column column)
{
	switch (column) {
	case COLUMN_ERROR:
		return is_sampled;
	case COLUMN_OBJECTS:
		return !is_sampled || page->width >= WITH_FREES;
	case COLUMN_FREES:
		return page->width >= WITH_FREES;
	default:
		return true;
	}
}

static size_t name_width(const struct page *page, bool is_sampled)
{
	size_t used = 0;

	for (size_t i = 0; i < NUMBERS; i++)
		used += has_column(page, is_sampled, numbers[i]) ? NUMBER_WIDTH : 0;
	if (page->width >= WITH_SPARKLINE)
		used += SPARKLINE + 1;
	return page->width > used + 8 ? page->width - used : 8;
}

/* "function+0x10/0x80 [module]" loses "/0x80" first. */
const char *fit_name(const char *name, size_t width, char text[PAGE_BYTES])
{
	const char *slash = strchr(name, '+') ? strstr(name, "/0x") : NULL;
	size_t length;

	if (strlen(name) > width && slash)
		snprintf(text, PAGE_BYTES, "%.*s%s", (int)(slash - name), name,
			 slash + 1 + strcspn(slash + 1, " "));
	else
		snprintf(text, PAGE_BYTES, "%s", name);
	length = strlen(text);
	if (length <= width)
		return text;
	/* of a path, the end says more */
	if (*name == '/') {
		memmove(text + 1, text + length - width + 1, width);
		text[0] = '<';
	} else {
		text[width - 1] = '>';
	}
	text[width] = '\0';
	return text;
}

void sparkline(const struct page *page, const struct top_table *table, const struct table_row *row,
	       size_t width, char text[PAGE_BYTES])
{
	static const char *const blocks[] = { " ",	"\u2581", "\u2582", "\u2583", "\u2584",
					      "\u2585", "\u2586", "\u2587", "\u2588" };
	static const char *const letters[] = { " ", "_", ".", "-", "=", "+", "*", "#", "@" };
	size_t points = MIN(row->points, width), used = 0;
	float most = 0;

	for (size_t i = row->points - points; i < row->points; i++)
		most = MAX(most, table_point(table, row, i));
	text[0] = '\0';
	for (size_t i = 0; i < width; i++) {
		unsigned int level = 0;
		const char *what;

		if (i >= width - points && most > 0) {
			float point = table_point(table, row, row->points - (width - i));

			level = (unsigned int)(point / most * 7.999F) + (point > 0);
		}
		what = page->has_blocks ? blocks[MIN(level, 8)] : letters[MIN(level, 8)];
		if (used + strlen(what) >= PAGE_BYTES)
			break;
		used += (size_t)sprintf(text + used, "%s", what);
	}
}

static void wall_time(char text[16])
{
	time_t now = time(NULL);
	struct tm local;

	strftime(text, 16, "%H:%M:%S", localtime_r(&now, &local));
}

static int add_title(struct page *page, const struct model *model, const struct page_choice *choice,
		     const struct row_list *list)
{
	uint64_t seconds = (model->time - model->begin) / NSEC_PER_SEC;
	char now[16], rows[64] = "";

	wall_time(now);
	if (list && list->count != list->all)
		snprintf(rows, sizeof(rows), ", %zu of %zu rows match", list->count, list->all);
	else if (list)
		snprintf(rows, sizeof(rows), ", %zu rows", list->count);
	return page_print(page, PAGE_BOLD,
			  "kmemtrace-top %s, traced for %" PRIu64 ":%02" PRIu64 ":%02" PRIu64
			  ", by %s%s",
			  now, seconds / 3600, seconds / 60 % 60, seconds % 60,
			  top_keys[choice->key], rows);
}

static int add_totals_line(struct page *page, const struct model *model)
{
	const struct top_table *table = model_all(model);
	char live[NUMBER_BYTES], objects[NUMBER_BYTES], growth[NUMBER_BYTES],
		allocations[NUMBER_BYTES], frees[NUMBER_BYTES], bytes[NUMBER_BYTES],
		freed[NUMBER_BYTES + 16] = "";
	struct row_figures figures;
	struct table_row total;

	table_total(table, &total);
	table_figures(table, &total, &figures);
	if (!model_is_profile(model))
		snprintf(freed, sizeof(freed), "; freed %s/s",
			 column_text(COLUMN_FREES, &figures, frees));
	return page_print(page, PAGE_PLAIN, "%slive %s in %s objects, %s/s; allocated %s/s, %s/s%s",
			  model_is_profile(model) ? "about " : "",
			  column_text(COLUMN_LIVE, &figures, live),
			  column_text(COLUMN_OBJECTS, &figures, objects),
			  column_text(COLUMN_GROWTH, &figures, growth),
			  column_text(COLUMN_ALLOCATIONS, &figures, allocations),
			  column_text(COLUMN_BYTES, &figures, bytes), freed);
}

static size_t count_paths(const char *paths)
{
	size_t count = paths && *paths;

	for (; paths && *paths; paths++)
		count += *paths == ',';
	return count;
}

static int add_losses(struct page *page, const struct model *model)
{
	const struct missing missing = { .unobserved = count_paths(model->view.snapshot.paths) };
	char text[MISSING_TEXT], unobserved[MISSING_TEXT + 16] = "", lost[80];

	if (missing.unobserved)
		snprintf(unobserved, sizeof(unobserved), "; %s (h lists)",
			 missing_paths_text(&missing, text));
	if (model->lost == STATS_FILE_LOST_UNKNOWN)
		snprintf(lost, sizeof(lost), "MISSING: not known");
	else
		snprintf(lost, sizeof(lost), "%s %" PRIu64 " events",
			 model->lost ? "MISSING" : "missing", model->lost);
	return page_print(page, model->lost ? PAGE_WARNING : PAGE_PLAIN, "%s%s%s", lost,
			  model->has_details ? ""
					     : "; no details: by cache and kmalloc() caller only",
			  unobserved);
}

/* The figures of events may be of a later time than the reading. */
int page_add_slabs(struct page *page, const struct model *model)
{
	const struct details_slabs *slabs = &model->details.slabs;
	char memory[NUMBER_BYTES], spare[NUMBER_BYTES], given[NUMBER_BYTES], objects[NUMBER_BYTES];
	uint64_t age = model->time > slabs->time ? (model->time - slabs->time) / NSEC_PER_SEC : 0;

	if (!model->has_details || !slabs->time)
		return 0;
	return page_print(
		page, PAGE_PLAIN,
		"slabs %s, %.0f%% full, %s spare; given out %s in %s objects; read %" PRIu64
		" s ago",
		bytes_text((double)slabs->slab_bytes, false, memory),
		slabs->room ? 100 * (double)slabs->given / (double)slabs->room : 0.0,
		bytes_text((double)slabs->spare_bytes, false, spare),
		bytes_text((double)slabs->given_bytes, false, given),
		count_text((double)slabs->given, false, objects), age);
}

static int add_sampling(struct page *page, const struct estimates *sampling)
{
	char least[NUMBER_BYTES], most[NUMBER_BYTES], to[NUMBER_BYTES + 8] = "";

	if (sampling->interval == 1)
		return page_print(page, PAGE_PLAIN,
				  "each allocation has a stack: the figures are exact");
	bytes_text((double)sampling->interval, false, least);
	if (sampling->interval_most > sampling->interval)
		snprintf(to, sizeof(to), " to %s",
			 bytes_text((double)sampling->interval_most, false, most));
	return page_print(page, PAGE_PLAIN,
			  "estimates: a sample each %s%s bytes; +-%%: 95 %% interval of LIVE",
			  least, to);
}

int page_add_head(struct page *page, const struct model *model, const struct page_choice *choice,
		  const struct row_list *list)
{
	int err = add_title(page, model, choice, list);

	if (!err)
		err = add_totals_line(page, model);
	if (!err)
		err = add_losses(page, model);
	if (!err && model_is_sampled(choice->key))
		err = add_sampling(page, &model->tables[choice->key].sampling);
	return err;
}

/*
 * The key that sorts by a column is a letter of its header, or stands before it. The column that
 * sorts is marked.
 */
int page_add_columns(struct page *page, const struct page_choice *choice)
{
	char text[PAGE_BYTES], *at = text;
	bool is_sampled = model_is_sampled(choice->key);
	size_t width = name_width(page, is_sampled);

	at += sprintf(at, "%-*.*s", (int)width, (int)width,
		      choice->list.sort == COLUMN_NAME ? "NAME*" : "NAME");
	for (size_t i = 0; i < NUMBERS; i++) {
		bool is_sorted = choice->list.sort == numbers[i];
		char header[NUMBER_BYTES];

		if (!has_column(page, is_sampled, numbers[i]))
			continue;
		snprintf(header, sizeof(header), "%s%s", is_sorted ? "*" : "",
			 columns[numbers[i]].header);
		at += sprintf(at, "%*s", NUMBER_WIDTH, header);
	}
	if (page->width >= WITH_SPARKLINE)
		at += sprintf(at, " %-*s", SPARKLINE, "LIVE, LAST MINUTES");
	return page_print(page, PAGE_HEADER, "%s", text);
}

int page_add_row(struct page *page, const struct top_table *table, const struct listed *listed)
{
	char text[PAGE_BYTES], name[PAGE_BYTES], *at = text;
	bool is_sampled = table->sampling.interval;
	size_t width = name_width(page, is_sampled);

	at += sprintf(at, "%-*s", (int)width, fit_name(listed->row->name, width - 1, name));
	for (size_t i = 0; i < NUMBERS; i++) {
		char number[NUMBER_BYTES];

		if (has_column(page, is_sampled, numbers[i]))
			at += sprintf(at, "%*s", NUMBER_WIDTH,
				      column_text(numbers[i], &listed->figures, number));
	}
	if (page->width >= WITH_SPARKLINE && listed->row->points) {
		*at++ = ' ';
		sparkline(page, table, listed->row, SPARKLINE, at);
	}
	return page_print(page, PAGE_PLAIN, "%s", text);
}
