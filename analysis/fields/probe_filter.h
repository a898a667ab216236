/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Selects events by the names of their probes, as SystemTap or as dtmalloc spells them. */
#ifndef ANALYSIS_FIELDS_PROBE_FILTER_H
#define ANALYSIS_FIELDS_PROBE_FILTER_H

#include "analysis/fields/values.h"

/* All zero: all events. */
struct probe_filter {
	struct probe_globs globs;
	bool probes[PROBES]; /* the probes that a glob of their own name takes */
	bool has_types;	     /* there are globs of dtmalloc */
	/* by number of the text of a type: whether each was tested, and the result */
	struct probe_type {
		bool is_known[2], is_taken[2]; /* of allocations, of frees */
	} * types;
	size_t type_count;
};

/* 0, -ENOMEM, or -EINVAL with globs.error.text set. */
int probe_filter_parse(struct probe_filter *filter, const char *text);
void probe_filter_deinit(struct probe_filter *filter);

/* Is the event that the source took one of the probes? Sets source->err if memory is short. */
bool probe_filter_takes(struct probe_filter *filter, struct value_source *source,
			const struct transition *transition);

#endif
