/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For how long the hosts of a summary were traced: rates are for a second of one host. */
#ifndef REPORT_SUMMARIES_HOST_TIME_H
#define REPORT_SUMMARIES_HOST_TIME_H

#include "fleet/summary/summary.h"

/*
 * The time of all hosts together, in ns. A host counts from the begin of the summary on, or from
 * the begin of its run, if that is later, until the end.
 */
double summary_host_time(const struct summary *summary);

#endif
