/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The HTML page: one file with fixed text, style and script, and blocks of JSON with the data. A
 * browser runs nothing but the fixed script, and requests nothing.
 */
#ifndef REPORT_HTML_PAGE_H
#define REPORT_HTML_PAGE_H

#include <stdio.h>

#include <jansson.h>

/* Writes all before the data. title: plain text, valid UTF-8. */
void page_begin(FILE *file, const char *title);

/*
 * Writes a block of data for the script, under the id "data-NAME". No text in it can end the block.
 * 0 or -ENOMEM.
 */
int page_add(FILE *file, const char *name, const json_t *data);

/* Writes all after the data. Errors of all three are left to ferror(). */
void page_end(FILE *file);

/* The number of bytes that page_add() writes for the data; 0: no memory. */
size_t page_size(const json_t *data);

/* Made by embed.sh. */
extern const char page_html[], page_style[], page_script[];
extern const char page_style_hash[], page_script_hash[];

#endif
