/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tables of the views cpus and nodes. The two views name the columns differently. */
#ifndef REPORT_VIEWS_CROSS_FREE_TABLES_H
#define REPORT_VIEWS_CROSS_FREE_TABLES_H

#include "report/views/view.h"

struct cross_free_text {
	/* the columns whose names the two views have of their own */
	enum column_name number, other, of_others, by_others, from, to, cross_frees, cross_percent,
		cross_bytes;
	const char *title, *pairs_title, *crossing_sites_title, *pairs_sort, *crossing_sites_sort,
		*no_crossing_sites;
};

/* For begin(), make() and end() of struct view, with their results. */
int cross_free_begin_cpus(struct report *report);
int cross_free_begin_nodes(struct report *report);
int cross_free_make(struct report *report, const struct cross_free_text *text);
void cross_free_end(struct report *report);

#endif
