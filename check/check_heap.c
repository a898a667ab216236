// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Prints the findings of the heap model, one a line. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "check/check_heap.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "analysis/analysis.h"
#include "analysis/heap_findings.h"

#define SITE_TEXT 512 /* bytes: symbols are shorter */

static void print_site(const struct analysis *analysis, const char *what, uint64_t site,
		       uint64_t time)
{
	char text[SITE_TEXT];

	if (site)
		print_text("; %s %s", what,
			   symbols_text(&analysis->capture->symbols, site, time, text,
					sizeof(text)));
}

static void print_cache(const struct analysis *analysis, const char *what, uint32_t cache)
{
	if (cache < analysis->cache_count)
		print_text("; %s %s", what, analysis->caches[cache].name);
}

static const char *other_site_text(enum finding_kind kind)
{
	switch (kind) {
	case FINDING_DOUBLE_FREE:
		return "first freed by";
	case FINDING_OVERLAP:
		return "over an object of";
	default:
		return "address allocated again by";
	}
}

static void print_reasons(uint32_t reasons, enum finding_kind kind)
{
	const char *separator = "; possible because ";

	for (unsigned int i = 0; i < FINDING_REASONS; i++) {
		if (!(reasons & 1U << i))
			continue;
		printf("%s%s", separator, finding_reason_text(1U << i, kind));
		separator = ", ";
	}
}

static void print_finding(const char *path, const struct analysis *analysis,
			  const struct heap_finding *found)
{
	uint64_t time = found->alloc_time ? found->alloc_time : found->first_time;

	print_text("%s: heap: %s %s, %" PRIu64 " case%s", path, certainty_text(found->certainty),
		   finding_kind_text(found->kind), found->count, found->count == 1 ? "" : "s");
	if (found->certain && found->certain < found->count)
		printf(" (%" PRIu64 " of them certain)", found->certain);
	print_site(analysis, "allocated by", found->alloc_site, time);
	print_site(analysis, "freed by", found->free_site, found->first_time);
	print_site(analysis, other_site_text(found->kind), found->other_site, found->first_time);
	print_cache(analysis, "cache", found->cache);
	print_cache(analysis, found->kind == FINDING_OVERLAP ? "over cache" : "freed to",
		    found->free_cache);
	print_reasons(found->reasons, found->kind);
	putchar('\n');
}

/* Prints the names of the unobserved paths, which make findings only possible. */
static void print_unobserved(const char *path, const struct status *status)
{
	const char *separator = "";

	for (size_t i = 0; i < status->path_count; i++) {
		if (status->paths[i].observed)
			continue;
		if (!*separator)
			print_text("%s: heap: not observed on this kernel: ", path);
		print_text("%s%s", separator, status->paths[i].name);
		separator = ", ";
	}
	if (*separator)
		putchar('\n');
}

static void count_finding(struct check_heap *result, const struct heap_finding *found)
{
	result->certain += found->certain;
	if (found->certainty == CERTAINTY_LEGAL)
		result->legal += found->count;
	else if (found->certainty == CERTAINTY_EXPLAINED)
		result->explained += found->count;
	else
		result->possible += found->count - found->certain;
}

int check_heap_run(const char *path, bool verbose, struct progress_line *line,
		   struct check_heap *result, struct error *error)
{
	const struct analysis_settings settings = {
		.findings = true,
		.progress = progress_line_bytes,
		.progress_data = line,
	};
	struct analysis analysis;
	struct capture capture;
	int err;

	*result = (struct check_heap){ 0 };
	err = capture_open(&capture, path);
	if (err)
		return error_set(error, err, capture.error.text);
	err = analysis_run(&analysis, &capture, &settings);
	progress_line_clear();
	if (err)
		error_set(error, err, capture.error.text);
	for (size_t i = 0; !err && i < heap_findings_count(analysis.findings); i++) {
		const struct heap_finding *found = heap_findings_get(analysis.findings, i);

		count_finding(result, found);
		if (verbose || found->certainty == CERTAINTY_CERTAIN)
			print_finding(path, &analysis, found);
	}
	if (!err && verbose && (result->possible || result->explained))
		print_unobserved(path, &capture.status);
	if (!err)
		analysis_deinit(&analysis);
	capture_close(&capture);
	return err;
}
