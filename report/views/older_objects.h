/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The line "older" of the summary: how long after the boot tracing began, and what slab memory was
 * there already. No figure of a report includes it.
 */
#ifndef REPORT_VIEWS_OLDER_OBJECTS_H
#define REPORT_VIEWS_OLDER_OBJECTS_H

#include "report/views/capture_header.h"

/* 0 or -ENOMEM. Adds nothing if the capture does not have /proc/slabinfo of its begin. */
int older_objects_add(struct capture_header *header, const struct report *report);

#endif
