/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The live bytes over time, for a picture, at equal distances of time. The duration is not known
 * before the last event. So when there are too many points, every second one is removed, and the
 * distance doubles.
 */
#ifndef ANALYSIS_LIVE_CURVE_H
#define ANALYSIS_LIVE_CURVE_H

#include "analysis/matcher.h"

/* As matcher_take(), but stops at the times of the points, with settings.live_curve. */
int live_curve_take(struct matcher *matcher, const struct event *events, size_t count);

#endif
