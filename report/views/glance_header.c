// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The lines of the glance: the curve of the live bytes, the waste and the findings. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/heap_findings.h"
#include "report/views/capture_header_totals.h"
#include "report/views/glance_header.h"
#include "report/views/slab_memory.h"

#define CURVE_LEAST 8 /* points: fewer show nothing */

/* The live bytes over time, as a picture. */
static int add_curve(struct capture_header *header, const struct report *report)
{
	const struct live_curve *curve = &report->analysis.live_curve;
	struct header_line *line;

	if (curve->count < CURVE_LEAST || !report->analysis.peak_heap->is_known ||
	    !report->analysis.totals.peak_bytes)
		return 0;
	line = header_new_line(&header->header, "over time", false);
	if (!line)
		return -ENOMEM;
	line->curve = curve->bytes;
	line->curve_count = curve->count;
	line->text = strdup("");
	return line->text ? 0 : -ENOMEM;
}

/* The line "quality" and the view findings have them: on some kernels, nearly all frees of a cache.
 */
static bool is_unobserved_free(const struct heap_finding *found)
{
	return found->kind == FINDING_MISSED_FREE && found->reasons & REASON_UNOBSERVED;
}

/* "; findings: 3 certain, 4 possible": the certain ones are in a table. */
static bool findings_text(const struct report *report, char *text, size_t size)
{
	const struct heap_findings *findings = report->analysis.findings;
	uint64_t certain = 0, possible = 0;

	*text = '\0';
	if (!findings)
		return false;
	for (size_t i = 0; i < heap_findings_count(findings); i++) {
		const struct heap_finding *found = heap_findings_get(findings, i);

		certain += found->certain;
		if (found->certainty >= CERTAINTY_POSSIBLE && !is_unobserved_free(found))
			possible += found->count - found->certain;
	}
	snprintf(text, size, "; findings: %" PRIu64 " certain, %" PRIu64 " possible", certain,
		 possible);
	return certain;
}

static double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

static int add_waste(struct capture_header *header, const struct report *report)
{
	const struct heap_waste *waste = &report->wastes.total;
	const struct analysis_totals *totals = &report->analysis.totals;
	char peak[40] = "not known of the peak", findings[80];
	bool certain = findings_text(report, findings, sizeof(findings));

	if (report->analysis.peak_heap->is_known)
		snprintf(peak, sizeof(peak), "%.1f%% of the peak",
			 percent_of(waste->peak, totals->peak_bytes));
	return header_add_line(&header->header, "waste", certain, "%s, %.1f%% of live%s", peak,
			       percent_of(waste->live, totals->live_bytes), findings);
}

int glance_header_add(struct capture_header *header, const struct report *report)
{
	struct header_line *line;
	int err = 0;

	if (!report->capture->status.no_slab)
		err = add_curve(header, report);
	if (!err && !report->capture->status.no_slab)
		err = add_waste(header, report);
	if (!err)
		err = slab_memory_add_line(report, &header->header);
	if (err)
		return err;
	err = header_add_line(
		&header->header, "more", false,
		"kmemtrace-report VIEW, as caches or flame; -v, -l 20: more; --legend");
	line = &header->header.lines[header->header.line_count - 1];
	line->is_last = !err;
	return err;
}
