/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lines of kernel/status about the probes of process memory. */
#ifndef CAPTURE_STATUS_PROBES_H
#define CAPTURE_STATUS_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

#define STATUS_UNKNOWN UINT64_MAX /* a count that the capturing kernel does not report */

struct status_probe {
	char name[32];
	bool is_recorded;
	uint64_t counted; /* events, by a counter of the kernel's own; or STATUS_UNKNOWN */
	uint64_t skipped; /* of its events; or STATUS_UNKNOWN */
	char text[160];	  /* how it is recorded, or why not */
};

struct status_probes {
	struct status_probe *list;
	size_t count;
};

/* Adds a copy with this name and text. 0 or -ENOMEM. */
int status_probes_add(struct status_probes *probes, const struct status_probe *probe,
		      const char *name, const char *text);

void status_probes_write(const struct status_probes *probes, FILE *file);

/* Parses a line behind its key "probe" (is_recorded) or "no_probe". 0 or -ENOMEM. */
int status_probes_parse(struct status_probes *probes, struct line *line, bool is_recorded);

/* Of a probe that was recorded, is the number of skipped events unknown? */
bool status_probes_lack_skips(const struct status_probes *probes);

#endif
