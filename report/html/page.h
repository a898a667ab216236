/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The HTML page: one file with fixed text, style and script, and blocks of JSON with the data. A
 * browser runs nothing but the fixed script, and requests nothing.
 */
#ifndef REPORT_HTML_PAGE_H
#define REPORT_HTML_PAGE_H

#include <stdio.h>

#include <jansson.h>

/* The fixed parts, made by embed.sh. The HTML has marks for the others. */
struct page_text {
	const char *html, *style, *script;
	const char *style_hash, *script_hash; /* as a Content-Security-Policy names them */
};

extern const struct page_text page_of_capture, page_of_diff, page_of_summaries;

/* Writes all before the data. title: plain text, valid UTF-8. */
void page_begin(FILE *file, const struct page_text *page, const char *title);

/*
 * Writes a block of data for the script, under the id "data-NAME". No text in it can end the block.
 * 0 or -ENOMEM.
 */
int page_add(FILE *file, const char *name, const json_t *data);

/* Writes all after the data. Errors of all three are left to ferror(). */
void page_end(FILE *file, const struct page_text *page);

/* The number of bytes that page_add() writes for the data; 0: no memory. */
size_t page_size(const json_t *data);

#endif
