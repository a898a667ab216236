/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The line "quality" of a short header: "exact", or the first reasons why figures are uncertain, as
 * many as fit one line of a narrow terminal, and the number of the others.
 */
#ifndef REPORT_VIEWS_QUALITY_LINE_H
#define REPORT_VIEWS_QUALITY_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/missing.h"
#include "report/render/header.h"

#define QUALITY_REASONS_MAX 12

/* All zero: no reason yet. */
struct quality {
	char reasons[QUALITY_REASONS_MAX][MISSING_TEXT];
	size_t count;
};

__attribute__((format(printf, 2, 3))) void quality_add(struct quality *quality, const char *format,
						       ...);

/* Each adds what is missing of this kind, if anything is. */
void quality_add_missing_events(struct quality *quality, const struct missing *missing);
void quality_add_missing_names(struct quality *quality, const struct missing *missing);
void quality_add_missing_paths(struct quality *quality, const struct missing *missing);

/* Adds the line. events: all that were seen. 0 or -ENOMEM. */
int quality_add_line(const struct quality *quality, struct header *header, uint64_t events);

#endif
