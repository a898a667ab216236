// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <sys/param.h>

#include "analysis/estimate.h"
#include "analysis/missing.h"
#include "base/number.h"

struct missing missing_of_capture(const struct analysis *analysis)
{
	const struct analysis_loss *loss = &analysis->loss;
	const struct status *status = &analysis->capture->status;
	const struct estimates *estimates = analysis->estimates;
	const struct status_counted counted = status_sum_counted(status);
	struct missing missing = {
		.recorded = loss->recorded,
		.lost = loss->lost + status->sampling.dropped,
		.skipped = loss->skipped,
		.uncounted = analysis->totals.untracked + analysis->totals.unknown,
		.unobserved = status_count_unobserved(status),
		.names_lost = status->names_lost,
		.skipped_partial = loss->skipped_partial,
	};

	if (estimates)
		missing.sampling = MAX(status->sampling.interval, estimates->interval_most);
	if (status->sampling.is_profile && counted.allocations)
		missing.counted = counted.allocations + counted.frees;
	return missing;
}

void missing_add(struct missing *sum, const struct missing *missing)
{
	number_add(&sum->recorded, missing->recorded);
	number_add(&sum->lost, missing->lost);
	number_add(&sum->skipped, missing->skipped);
	number_add(&sum->uncounted, missing->uncounted);
	sum->unobserved = MAX(sum->unobserved, missing->unobserved);
	sum->sampling = MAX(sum->sampling, missing->sampling);
	sum->names_lost |= missing->names_lost;
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
	if (!missing->counted)
		return 100 * (unread + skipped) / (events + skipped);
	/* the share of the records that cannot be read, and of all events that were skipped */
	return 100 * ((events > 0 ? unread / events : 0) +
		      skipped / ((double)missing->counted + skipped));
}
