/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lines that are shown, for a terminal and for --batch alike. */
#ifndef LIVE_TOP_PAGE_H
#define LIVE_TOP_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "live/top/columns.h"
#include "live/top/model.h"

#define PAGE_WIDTH_MAX 500
#define PAGE_BYTES (3 * PAGE_WIDTH_MAX + 1)

enum page_style {
	PAGE_PLAIN,
	PAGE_BOLD,
	PAGE_HEADER,  /* of a table */
	PAGE_WARNING, /* losses, and that there are no figures */
};

struct page_line {
	enum page_style style;
	char text[PAGE_BYTES]; /* ASCII, but for block elements */
};

struct page {
	struct page_line *lines;
	size_t count, space;
	size_t width;	 /* columns of each line, at most PAGE_WIDTH_MAX */
	bool has_blocks; /* the terminal shows UTF-8, so that a sparkline may have block elements */
};

/* The choices of the user. */
struct page_choice {
	enum top_key key;
	struct list_settings list;
	const char *filter; /* its text; NULL: none */
	double delay;	    /* seconds */
};

void page_init(struct page *page, size_t width);
void page_deinit(struct page *page);
void page_clear(struct page *page);

/* Appends a line, cut to the width. 0 or -ENOMEM. */
__attribute__((format(printf, 3, 4))) int page_print(struct page *page, enum page_style style,
						     const char *format, ...);

/*
 * Appends the lines above a table: what, when, totals, losses, and what estimates are. list: the
 * rows that match, which the first line counts; or NULL. 0 or -ENOMEM.
 */
int page_add_head(struct page *page, const struct model *model, const struct page_choice *choice,
		  const struct row_list *list);

/* Appends the figures of the last reading of the slab allocator, if there was one. 0 or -ENOMEM. */
int page_add_slabs(struct page *page, const struct model *model);

/* Appends the header of the table, or a row of it. 0 or -ENOMEM. */
int page_add_columns(struct page *page, const struct page_choice *choice);
int page_add_row(struct page *page, const struct top_table *table, const struct listed *listed);

/* Cuts a name to fit, at the least important end, and returns text. */
const char *fit_name(const char *name, size_t width, char text[PAGE_BYTES]);

/* The live bytes of a row over time, in so many columns; the newest at the right. */
void sparkline(const struct page *page, const struct top_table *table, const struct table_row *row,
	       size_t width, char text[PAGE_BYTES]);

#endif
