/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The picture over time of a page of summaries: a bounded number of points. */
#ifndef REPORT_SUMMARIES_POINTS_H
#define REPORT_SUMMARIES_POINTS_H

#include <jansson.h>

#include "report/summaries/summaries.h"

/*
 * A table of points, each of one interval of the view timeline, or of several that follow each
 * other if there are many; and how much time no summary covers. NULL: no memory.
 */
json_t *summaries_points(const struct summaries *summaries);

#endif
