/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tables that the views of CPUs and of nodes have in common, but for the columns' names. */
#ifndef REPORT_VIEWS_MIGRATIONS_H
#define REPORT_VIEWS_MIGRATIONS_H

#include "report/views/view.h"

enum place_column {
	PLACE_NUMBER,
	PLACE_OTHER, /* of a CPU its node, of a node how many CPUs it has */
	PLACE_ALLOCATIONS,
	PLACE_FAILED,
	PLACE_ALLOCATED,
	PLACE_ELSEWHERE,
	PLACE_FREES,
	PLACE_UNMATCHED,
	PLACE_OF_OTHERS,
	PLACE_BY_OTHERS,
	PLACE_COLUMNS
};

enum pair_column {
	PAIR_FROM,
	PAIR_TO,
	PAIR_FREES,
	PAIR_BYTES,
	PAIR_PERCENT,
	PAIR_COLUMNS
};

enum crosser_column {
	CROSSER_NAME,
	CROSSER_ADDRESS,
	CROSSER_FREES,
	CROSSER_CROSSED,
	CROSSER_PERCENT,
	CROSSER_BYTES,
	CROSSER_COLUMNS
};

struct places_text {
	const struct column *pairs, *crossers;
	const char *title, *pairs_title, *pairs_sort, *crossers_sort, *no_crossers;
};

int places_begin_cpus(struct report *report);
int places_begin_nodes(struct report *report);
int places_make(struct report *report, const struct places_text *text);
void places_end(struct report *report);

#endif
