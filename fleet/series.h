/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The figures of each host by function (or as --by says): sums, and the growth in slices of time. A
 * host that ran two kernels, or had two roles, counts as two units.
 */
#ifndef FLEET_SERIES_H
#define FLEET_SERIES_H

#include "base/texts.h"
#include "fleet/question.h"
#include "fleet/statistics.h"

/* The time of a slice that a unit was traced. */
struct series_slot {
	uint64_t begin;	  /* of the slice, ns since 1970 */
	uint64_t covered; /* ns */
	uint64_t run;	  /* ns since 1970: when the last run that is in it began */
};

struct series_sums {
	double growth, allocated; /* bytes */
};

struct series_unit {
	char *host, *kernel, *role;
	size_t first_slot, slot_count;
	size_t first, count; /* of its series */
	double hours;	     /* covered */
	bool is_tested;	     /* its time is long enough to show growth */
	bool has_days;	     /* it was traced at each time of the day */
};

struct series {
	size_t unit;
	uint32_t name; /* of texts, from 1 */
	double figures[FIGURE_COUNT];
	bool has_fit, is_certain; /* certain: it grows */
	struct growth_fit fit;
	double day_rate; /* bytes allocated an hour, each time of the day the same; if has_days */
};

struct series_set {
	struct series_unit *units;
	size_t unit_count;
	struct series_slot *slots;
	size_t slot_count;
	struct series *list; /* by unit */
	size_t count;
	struct texts names;
	uint64_t slice;	     /* ns; 0: none */
	uint64_t fill;	     /* ns: for so long memory fills after a run has begun */
	size_t tested;	     /* series that can show growth */
	size_t short_of_day; /* of them, without a daily part */
	size_t orphans;	     /* rows of figures whose intervals are not stored: left out */

	struct question *question;

	/* while it is read */
	size_t current;		  /* unit */
	struct series_sums *sums; /* of the current series, by slot of its unit */
	size_t sums_space;
	struct growth_point *points; /* by slot */
	size_t points_space;
};

/* 0 or -errno with errmsg of the store set, or -ENOMEM. */
int series_init(struct series_set *set, struct question *question, bool with_growth);
void series_deinit(struct series_set *set); /* all zero is allowed */

#define SERIES_TEXT_SIZE 240

/* The conditions under which a series is tested, for people. */
const char *series_needs(const struct series_set *set, char text[SERIES_TEXT_SIZE]);
/* "; N rows ... are left out", or "". */
const char *series_left_out(const struct series_set *set, char text[SERIES_TEXT_SIZE]);

#endif
