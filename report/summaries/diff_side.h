/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Summaries as one side of a comparison. Waste and peaks, which they lack, are not known there. The
 * seconds are those of all hosts together: so flows are for a second of one host.
 */
#ifndef REPORT_SUMMARIES_DIFF_SIDE_H
#define REPORT_SUMMARIES_DIFF_SIDE_H

#include "report/diff/side.h"
#include "report/summaries/tables.h"

/* The summaries were read with wants_growth and grouped. 0 or -ENOMEM. */
int summaries_fill_side(struct diff_side *side, const struct summaries_view *view);

#endif
