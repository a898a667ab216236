// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>

#include "analysis/estimate.h"
#include "analysis/missing.h"
#include "base/number.h"

void missing_set_uncounted(struct missing *missing, const struct analysis *analysis)
{
	missing->uncounted = analysis->totals.untracked + analysis->totals.unknown;
	/* They count, with 0 bytes, for a cache that has an address for a name. */
	missing->names_lost |= analysis->caches_unknown > 0;
	if (analysis->estimates)
		missing->sampling = MAX(missing->sampling, analysis->estimates->interval_most);
}

struct missing missing_of_capture(const struct analysis *analysis)
{
	const struct analysis_loss *loss = &analysis->loss;
	const struct status *status = &analysis->capture->status;
	const struct status_counted counted = status_sum_counted(status);
	struct missing missing = {
		.recorded = loss->recorded,
		.lost = loss->lost,
		.skipped = loss->skipped,
		.unobserved = status_count_unobserved(status),
		.sampling = analysis->estimates ? status->sampling.interval : 0,
		.names_lost = status->names_lost,
		.skipped_partial = loss->skipped_partial,
		.no_slab = status->no_slab,
	};

	number_add(&missing.lost, status->sampling.dropped);
	missing_set_uncounted(&missing, analysis);
	if (status->sampling.is_profile && counted.allocations)
		missing.counted = counted.allocations + counted.frees;
	return missing;
}

static uint64_t all_events(const struct missing *missing)
{
	uint64_t events = missing->recorded;

	number_add(&events, missing->lost);
	return missing->counted ? missing->counted : events;
}

void missing_add(struct missing *sum, const struct missing *missing)
{
	uint64_t events = all_events(sum);

	number_add(&events, all_events(missing));
	if (sum->counted || missing->counted)
		sum->counted = events;
	sum->counted_unknown |= missing->counted_unknown;
	/* of all parts that have events */
	sum->no_slab = missing->no_slab && (sum->no_slab || !sum->recorded);
	sum->some_observe |= missing->some_observe || (sum->recorded && missing->recorded &&
						       sum->unobserved != missing->unobserved);
	number_add(&sum->recorded, missing->recorded);
	number_add(&sum->lost, missing->lost);
	number_add(&sum->skipped, missing->skipped);
	number_add(&sum->uncounted, missing->uncounted);
	sum->unobserved = MAX(sum->unobserved, missing->unobserved);
	sum->sampling = MAX(sum->sampling, missing->sampling);
	sum->names_lost |= missing->names_lost;
	sum->skipped_partial |= missing->skipped_partial;
}

uint64_t missing_events(const struct missing *missing)
{
	uint64_t events = missing->lost;

	number_add(&events, missing->skipped);
	number_add(&events, missing->uncounted);
	return events;
}

double missing_percent(const struct missing *missing)
{
	double unread = (double)missing->lost + (double)missing->uncounted;
	double skipped = (double)missing->skipped;
	double events = (double)missing->recorded + (double)missing->lost;

	if (events + skipped <= 0)
		return 0;
	if (!missing->counted || missing->counted_unknown)
		return 100 * (unread + skipped) / (events + skipped);
	/* the share of the records that cannot be read, and of all events that were skipped */
	return 100 * ((events > 0 ? unread / events : 0) +
		      skipped / ((double)missing->counted + skipped));
}

bool missing_percent_is_bound(const struct missing *missing)
{
	return missing->counted_unknown && missing->skipped;
}

const char *missing_words(const struct missing *missing)
{
	return missing->uncounted ? "lost, skipped or uncounted" : "lost or skipped";
}

const char *missing_percent_text(double percent, char text[MISSING_TEXT])
{
	if (percent > 0 && percent < 0.001)
		snprintf(text, MISSING_TEXT, "less than 0.001%%");
	else
		snprintf(text, MISSING_TEXT, "%.3f%%", percent);
	return text;
}

const char *missing_counts_text(const struct missing *missing, char text[MISSING_TEXT])
{
	snprintf(text, MISSING_TEXT,
		 "recorded %" PRIu64 ", lost %" PRIu64 ", skipped %" PRIu64 ", uncounted %" PRIu64,
		 missing->recorded, missing->lost, missing->skipped, missing->uncounted);
	return text;
}

const char *missing_message(const struct missing *missing, char text[MISSING_TEXT])
{
	uint64_t events = missing->recorded;
	char uncounted[60] = "";

	number_add(&events, missing->lost);
	number_add(&events, missing->skipped);
	if (missing->uncounted)
		snprintf(uncounted, sizeof(uncounted), " and did not count %" PRIu64,
			 missing->uncounted);
	snprintf(text, MISSING_TEXT,
		 "lost %" PRIu64 "%s skipped %" PRIu64 "%s%s of %" PRIu64 " events", missing->lost,
		 *uncounted ? "," : " and", missing->skipped,
		 missing->skipped_partial ? " or more" : "", uncounted, events);
	return text;
}

const char *missing_paths_text(const struct missing *missing, char text[MISSING_TEXT])
{
	snprintf(text, MISSING_TEXT, "%s%" PRIu64 " path%s %s not observed",
		 missing->some_observe ? "up to " : "", missing->unobserved,
		 missing->unobserved == 1 ? "" : "s", missing->unobserved == 1 ? "is" : "are");
	return text;
}

const char *missing_text(const struct missing *missing, enum missing_kind kind,
			 char text[MISSING_TEXT])
{
	char part[MISSING_TEXT];

	if (kind == MISSING_EVENTS && missing_events(missing))
		snprintf(text, MISSING_TEXT, "%s%.40s of the events are %s%s",
			 missing_percent_is_bound(missing) ? "at most " : "",
			 missing_percent_text(missing_percent(missing), part),
			 missing_words(missing),
			 missing->no_slab ? "" : "; each may be an allocation or a free");
	else if (kind == MISSING_PATHS && missing->unobserved)
		snprintf(text, MISSING_TEXT, "%.60s: the allocations and frees there are missing",
			 missing_paths_text(missing, part));
	else if (kind == MISSING_NAMES && missing->names_lost)
		strcpy(text,
		       "names of tasks, slab caches or modules were lost: objects may count for another cache");
	else if (kind == MISSING_ALL_BUT_SAMPLES && missing->sampling)
		snprintf(text, MISSING_TEXT,
			 "all figures are estimates from samples, at most %" PRIu64
			 " bytes apart on average",
			 missing->sampling);
	else
		return NULL;
	return text;
}
