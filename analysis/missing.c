// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <sys/param.h>

#include "analysis/missing.h"
#include "base/number.h"

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
	double unrecorded = (double)missing->lost + (double)missing->skipped;
	double all = (double)missing->recorded + unrecorded;

	return all > 0 ? 100 * (unrecorded + (double)missing->uncounted) / all : 0;
}
