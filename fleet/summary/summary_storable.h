/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef FLEET_SUMMARY_SUMMARY_STORABLE_H
#define FLEET_SUMMARY_SUMMARY_STORABLE_H

#include "fleet/summary/summary.h"

/* ns: that of kmemtraced --summaries */
#define SUMMARY_INTERVAL_MAX (86400 * UINT64_C(1000000000))

/*
 * Why a store of a fleet does not take the summary; NULL: it does. A store has rows of one interval
 * of one host, and a file may have any numbers: one impossible figure would be in the sums about
 * all hosts.
 */
const char *summary_why_not_stored(const struct summary *summary);

#endif
