/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The counter by cache and by function: for the file of --metrics, and for triggers. */
#ifndef TRACER_PUBLISH_PUBLISH_METRICS_H
#define TRACER_PUBLISH_PUBLISH_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer/publish/publish.h"

/* From any thread: the next texts come at another interval. */
void publish_metrics_set_interval(struct publish *publish, uint64_t interval_ns);

/* Do the texts have figures by task name and container? They need the details. */
bool publish_metrics_by_owner(const struct publish_settings *settings);

#endif
