/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The live bytes over time, for a picture: at times that are equally far apart. How far follows
 * from the duration, which is not known before the last event: when there are too many points,
 * every second one goes.
 */
#ifndef ANALYSIS_LIVE_CURVE_H
#define ANALYSIS_LIVE_CURVE_H

#include "analysis/matcher.h"

/* As matcher_take(), but stops at the times of the points, with settings.live_curve. */
int live_curve_take(struct matcher *matcher, const struct event *events, size_t count);

#endif
