// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/number.h"
#include "base/utc.h"

#define NSEC_PER_SEC 1000000000ULL

uint64_t utc_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return (uint64_t)time.tv_sec * NSEC_PER_SEC + (uint64_t)time.tv_nsec;
}

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

void utc_text_second(uint64_t ns, char *text, size_t size)
{
	utc_text(ns, text, size);
	strcpy(strchrnul(text, '.'), "Z");
}

static uint64_t days_since_1970(uint64_t year, uint64_t month, uint64_t day_of_month)
{
	/* the year begins on 1 March, as above */
	uint64_t shifted = month > 2 ? year : year - 1;
	uint64_t day_of_year =
		(153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day_of_month - 1;

	return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + day_of_year - 719468;
}

static unsigned int days_of_month(unsigned int year, unsigned int month)
{
	static const unsigned char days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool is_leap_year = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && is_leap_year);
}

/* 0 in the pattern is a digit; all other characters are as they are. */
static bool matches_pattern(const char *text, const char *pattern)
{
	for (; *pattern; text++, pattern++)
		if (*pattern == '0' ? !isdigit((unsigned char)*text) : *text != *pattern)
			return false;
	return true;
}

/* ":30.5" */
static bool seconds_parse(const char *text, size_t length, uint64_t *ns)
{
	return matches_pattern(text, ":00") && isdigit((unsigned char)text[length - 1]) &&
	       duration_parse(text + 1, length - 1, ns) && *ns < 60 * NSEC_PER_SEC;
}

bool utc_parse(const char *text, size_t length, uint64_t *ns)
{
	static const char pattern[] = "0000-00-00T00:00";
	const size_t minutes = sizeof(pattern) - 1;
	unsigned int year, month, day, hour, minute;
	uint64_t seconds = 0;
	char copy[40] = "";

	if (length && text[length - 1] == 'Z')
		length--;
	if (length < minutes || length >= sizeof(copy))
		return false;
	memcpy(copy, text, length);
	if (!matches_pattern(copy, pattern) ||
	    sscanf(copy, "%4u-%2u-%2uT%2u:%2u", &year, &month, &day, &hour, &minute) != 5)
		return false;
	if (year < 1970 || !month || month > 12 || !day || day > days_of_month(year, month) ||
	    hour > 23 || minute > 59 || year > 2500)
		return false;
	if (length > minutes && !seconds_parse(copy + minutes, length - minutes, &seconds))
		return false;
	*ns = (days_since_1970(year, month, day) * 86400 + hour * 3600 + minute * 60) *
		      NSEC_PER_SEC +
	      seconds;
	return true;
}
