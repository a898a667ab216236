/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tables of the views cpus and nodes. The two views name the columns differently. */
#ifndef REPORT_VIEWS_CROSS_FREE_TABLES_H
#define REPORT_VIEWS_CROSS_FREE_TABLES_H

#include "report/views/view.h"

enum domain_column {
	DOMAIN_NUMBER,
	DOMAIN_OTHER, /* of a CPU its node, of a node the number of its CPUs */
	DOMAIN_ALLOCATIONS,
	DOMAIN_FAILED,
	DOMAIN_ALLOCATED,
	DOMAIN_REMOTE_NODE,
	DOMAIN_OTHER_MEMORY,
	DOMAIN_FREES,
	DOMAIN_UNMATCHED,
	DOMAIN_OF_OTHERS,
	DOMAIN_BY_OTHERS,
	DOMAIN_FREES_OTHER_MEMORY,
	DOMAIN_COLUMNS
};

enum pair_column {
	PAIR_FROM,
	PAIR_TO,
	PAIR_FREES,
	PAIR_BYTES,
	PAIR_PERCENT,
	PAIR_COLUMNS
};

enum crossing_sites_column {
	CROSSING_SITES_NAME,
	CROSSING_SITES_ADDRESS,
	CROSSING_SITES_FREES,
	CROSSING_SITES_CROSS_FREES,
	CROSSING_SITES_PERCENT,
	CROSSING_SITES_BYTES,
	CROSSING_SITES_COLUMNS
};

struct cross_free_text {
	const struct column *pairs, *crossing_sites;
	const char *title, *pairs_title, *crossing_sites_title, *pairs_sort, *crossing_sites_sort,
		*no_crossing_sites;
};

int cross_free_begin_cpus(struct report *report);
int cross_free_begin_nodes(struct report *report);
int cross_free_make(struct report *report, const struct cross_free_text *text);
void cross_free_end(struct report *report);

#endif
