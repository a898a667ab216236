/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of a comparison. */
#ifndef REPORT_DIFF_OPTIONS_H
#define REPORT_DIFF_OPTIONS_H

#include "report/diff/condition.h"

enum diff_normalise {
	DIFF_BY_TIME,	/* a second */
	DIFF_BY_EVENTS, /* a million allocations and frees */
	DIFF_BY_WORK,	/* an allocation of a name, which counts the work of the load */
};

struct diff_options {
	enum diff_normalise normalise;
	const char *normalise_text; /* as the user wrote it; NULL: not given */
	struct diff_name work;	    /* of DIFF_BY_WORK */
	struct diff_condition conditions[DIFF_CONDITIONS_MAX];
	size_t condition_count;
};

#endif
