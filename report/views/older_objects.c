// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The line "older" of the summary. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "report/views/event_clock.h"
#include "report/views/older_objects.h"

#define NSEC_PER_SEC UINT64_C(1000000000)

static void sum_caches(const struct slabinfo_snapshot *snapshot, uint64_t *objects, uint64_t *bytes)
{
	*objects = *bytes = 0;
	for (size_t i = 0; i < snapshot->count; i++) {
		*objects += snapshot->list[i].active;
		*bytes += snapshot->list[i].total * snapshot->list[i].size;
	}
}

int older_objects_add(struct capture_header *header, const struct report *report)
{
	const struct capture *capture = report->capture;
	const struct checkpoint_state *before = &capture->checkpoint;
	const uint64_t begin = before->begin ? before->since : capture->status.begin;
	const struct slabinfo_snapshot *snapshot = slab_growth_first_snapshot(capture);
	uint64_t objects, bytes;
	char slabs[48] = "";

	if (report->view != &view_summary || !snapshot || event_clock_is(capture) ||
	    *capture->metadata.source)
		return 0;
	sum_caches(snapshot, &objects, &bytes);
	if (bytes)
		snprintf(slabs, sizeof(slabs), ", in slabs of %" PRIu64 " bytes", bytes);
	return header_add_line(&header->header, "older", false,
			       "tracing began %" PRIu64
			       ".%06u s after boot; by /proc/slabinfo, %" PRIu64
			       " objects were there already%s: no figure includes them",
			       begin / NSEC_PER_SEC, (unsigned int)(begin % NSEC_PER_SEC / 1000),
			       objects, slabs);
}
