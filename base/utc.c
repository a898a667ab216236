// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/utc.h"

#define NSEC_PER_SEC 1000000000ULL

/*
 * Does not use gmtime(), which ends in 2038 if time_t has 32 bits. Days are counted from 1 March of
 * year 0, so that a leap day is the last day of its year.
 */
void utc_text(uint64_t ns, char *text, size_t size)
{
	uint64_t seconds = ns / NSEC_PER_SEC;
	uint64_t day = seconds / 86400 + 719468;
	uint64_t era = day / 146097, day_of_era = day % 146097;
	uint64_t year_of_era =
		(day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
	uint64_t day_of_year =
		day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	uint64_t month = (5 * day_of_year + 2) / 153;
	uint64_t day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
	uint64_t year = era * 400 + year_of_era + (month >= 10);

	month = month < 10 ? month + 3 : month - 9;
	snprintf(text, size,
		 "%04" PRIu64 "-%02" PRIu64 "-%02" PRIu64 "T%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64
		 ".%09" PRIu64 "Z",
		 year, month, day_of_month, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60,
		 (uint64_t)(ns % NSEC_PER_SEC));
}
