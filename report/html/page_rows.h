/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables of a report as the page has them: their columns once, and rows without keys. */
#ifndef REPORT_HTML_PAGE_ROWS_H
#define REPORT_HTML_PAGE_ROWS_H

#include <stddef.h>

#include <jansson.h>

#include "report/render/header.h"
#include "report/render/table.h"

/*
 * The table with its columns, the number of its rows before the cut, and the first rows that need
 * at most so many bytes. Each value is the one of --format=json. NULL: no memory.
 */
json_t *page_table(const struct table *table, size_t bytes);

/*
 * The same of a tree, whose rows are the nodes from the root down, each with its "depth" and
 * "bytes": the nodes with the most bytes, without the columns that a page can compute.
 */
json_t *page_tree(const struct table *table, size_t bytes);

#define PAGE_TREE_NODES 600 /* that a page shows, at most */

/* The lines of a header for people: [label, text, is it a warning]. NULL: no memory. */
json_t *page_lines(const struct header *header);

#endif
