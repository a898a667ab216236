// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The lines about missing summaries in an answer, for people and for programs. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fleet/coverage.h"
#include "fleet/scope.h"

#define NAMES_SHOWN 5

static uint64_t count_missing(const struct coverage *coverage)
{
	return coverage->gaps + coverage->silent;
}

static int add_servers_line(const struct coverage *coverage, struct header *header)
{
	if (!coverage->servers_missing)
		return 0;
	return header_add_line(header, "servers", true,
			       "%zu of %zu answered: all hosts of %s are missing",
			       coverage->servers - coverage->servers_missing, coverage->servers,
			       coverage->servers_missing_names);
}

static int add_hosts_line(const struct coverage *coverage, struct header *header)
{
	size_t unexpected = coverage->seen - coverage->seen_expected;
	char begin[DATE_SIZE], end[DATE_SIZE], more[80] = "";

	if (unexpected)
		snprintf(more, sizeof(more), "; %zu more not expected", unexpected);
	if (!coverage->seen)
		return header_add_line(header, "hosts", true, "0 seen of %zu expected",
				       coverage->expected);
	return header_add_line(header, "hosts", coverage->seen_expected < coverage->expected,
			       "%zu seen of %zu expected%s, %s to %s", coverage->seen_expected,
			       coverage->expected, more, date_text(coverage->begin, begin),
			       date_text(coverage->end, end));
}

static int add_intervals_line(const struct coverage *coverage, struct header *header)
{
	uint64_t all = coverage->intervals + count_missing(coverage);

	if (!count_missing(coverage))
		return header_add_line(header, "intervals", false, "%" PRIu64 ", none missing",
				       coverage->intervals);
	return header_add_line(header, "intervals", true,
			       "%" PRIu64 " of %" PRIu64 ", %" PRIu64 " missing: %" PRIu64
			       " in gaps of %zu host%s, %" PRIu64 " of %zu silent host%s",
			       coverage->intervals, all, count_missing(coverage), coverage->gaps,
			       coverage->gap_hosts, plural_ending(coverage->gap_hosts),
			       coverage->silent, coverage->silent_hosts,
			       plural_ending(coverage->silent_hosts));
}

/* Names the first silent hosts. */
static int add_silent_line(const struct coverage *coverage, struct header *header)
{
	struct header_line *line;
	size_t size, shown = 0;
	char date[DATE_SIZE];
	FILE *text;

	if (!coverage->silent_hosts)
		return 0;
	line = header_new_line(header, "silent", true);
	text = line ? text_open(&line->text, &size) : NULL;
	if (!text)
		return -ENOMEM;
	for (size_t i = 0; i < coverage->count && shown <= NAMES_SHOWN; i++) {
		const struct coverage_host *host = &coverage->hosts[i];

		if (host->seen && !host->silent)
			continue;
		if (shown++ == NAMES_SHOWN) {
			fprintf(text, " and %zu more: kmemtrace-fleet hosts names them",
				coverage->silent_hosts - NAMES_SHOWN);
			break;
		}
		fprintf(text, "%s%s (%s%s)", shown > 1 ? ", " : "", host->name,
			host->seen ? "since " : "never seen",
			host->seen ? date_text(host->end, date) : "");
	}
	return text_close(text, &line->text);
}

static void write_clock(FILE *text, const char *separator, const struct coverage_host *host)
{
	uint64_t ns = host->ahead ? host->ahead : host->behind;
	double hours = (double)ns / NSEC_PER_HOUR;
	const char *direction = host->ahead ? "ahead" : "behind";

	if (host->impossible)
		fprintf(text,
			"%s%s: it has an interval of more than a day: kmemtrace-fleet drop with --host removes its rows",
			separator, host->name);
	else if (hours < 48)
		fprintf(text, "%s%s: its clock is %.0f h %s", separator, host->name, hours,
			direction);
	else
		fprintf(text, "%s%s: its clock is %.0f d %s", separator, host->name, hours / 24,
			direction);
	if (host->behind && !host->ahead && !host->impossible)
		fputs(host->jumped ? ", or was" : ", or it stopped before the others began", text);
}

/* Names the first hosts with wrong clocks. */
static int add_clocks_line(const struct coverage *coverage, struct header *header)
{
	struct header_line *line = NULL;
	size_t size, shown = 0;
	FILE *text = NULL;

	for (size_t i = 0; i < coverage->count; i++) {
		const struct coverage_host *host = &coverage->hosts[i];

		if (!host->ahead && !host->behind && !host->impossible)
			continue;
		if (!line) {
			line = header_new_line(header, "clocks", true);
			text = line ? text_open(&line->text, &size) : NULL;
			if (!text)
				return -ENOMEM;
		}
		if (shown++ < NAMES_SHOWN)
			write_clock(text, shown > 1 ? "; " : "", host);
	}
	if (!text)
		return 0;
	if (shown > NAMES_SHOWN)
		fprintf(text, "; and %zu more", shown - NAMES_SHOWN);
	if (coverage->ahead_hosts)
		fputs("; if a clock that is ahead is right, all other hosts are silent", text);
	return text_close(text, &line->text);
}

static int add_events_lines(const struct coverage *coverage, struct header *header)
{
	const struct missing *missing = &coverage->missing;
	char text[MISSING_TEXT];
	int err = header_add_line(header, "events", missing_events(missing), "%s",
				  missing_counts_text(missing, text));

	for (enum missing_kind kind = 0; kind < MISSING_KINDS && !err; kind++)
		if (missing_text(missing, kind, text))
			err = header_add_line(header, "", true, "%s", text);
	return err;
}

static void add_fields(const struct coverage *coverage, struct header *header, const char *note)
{
	header_add_section(header, "coverage");
	header_add_number(header, "begin", coverage->begin);
	header_add_number(header, "end", coverage->end);
	header_add_number(header, "hosts_expected", coverage->expected);
	header_add_number(header, "hosts_seen", coverage->seen_expected);
	header_add_number(header, "hosts_not_expected", coverage->seen - coverage->seen_expected);
	header_add_number(header, "hosts_silent", coverage->silent_hosts);
	header_add_number(header, "hosts_ahead", coverage->ahead_hosts);
	header_add_number(header, "servers_missing", coverage->servers_missing);
	header_add_number(header, "intervals", coverage->intervals);
	header_add_number(header, "intervals_missing", count_missing(coverage));
	header_add_number(header, "intervals_missing_in_gaps", coverage->gaps);
	header_add_number(header, "intervals_missing_of_silent_hosts", coverage->silent);
	header_add_number(header, "recorded", coverage->missing.recorded);
	header_add_number(header, "lost", coverage->missing.lost);
	header_add_number(header, "skipped", coverage->missing.skipped);
	header_add_number(header, "uncounted", coverage->missing.uncounted);
	header_add_number(header, "unobserved_paths", coverage->missing.unobserved);
	header_add_number(header, "sampling", coverage->missing.sampling);
	header_add_bool(header, "names_lost", coverage->missing.names_lost);
	header_add_text(header, "note", note);
}

int coverage_add_header(const struct coverage *coverage, struct header *header, const char *note)
{
	int err = add_servers_line(coverage, header);

	add_fields(coverage, header, note);
	if (!err)
		err = add_hosts_line(coverage, header);
	if (!err)
		err = add_intervals_line(coverage, header);
	if (!err)
		err = add_silent_line(coverage, header);
	if (!err)
		err = add_clocks_line(coverage, header);
	if (!err)
		err = add_events_lines(coverage, header);
	if (!err && *note)
		err = header_add_line(header, "note", false, "%s", note);
	return err;
}

char *coverage_sentence(const struct coverage *coverage)
{
	const char *separator = "", *and = " and ";
	uint64_t hosts = coverage->expected - coverage->seen_expected, count = 0;
	char *text;
	size_t size;
	FILE *file = text_open(&text, &size);

	if (!file)
		return NULL;
	if (coverage->servers_missing) {
		fprintf(file, "%zu of %zu servers with all their hosts", coverage->servers_missing,
			coverage->servers);
		separator = and;
		count = 2;
	}
	if (hosts) {
		fprintf(file, "%s%" PRIu64 " of %zu hosts", separator, hosts, coverage->expected);
		separator = and;
		count += hosts;
	}
	if (count_missing(coverage)) {
		fprintf(file, "%s%" PRIu64 " of %" PRIu64 " intervals", separator,
			count_missing(coverage), coverage->intervals + count_missing(coverage));
		count += count_missing(coverage);
	}
	if (count)
		fprintf(file, " %s missing: the answer is about the others%s",
			count == 1 ? "is" : "are",
			hosts || count_missing(coverage) ? "; kmemtrace-fleet hosts names them"
							 : "");
	/* one host that lives, of a fleet that is dead, looks the same as a wrong clock */
	if (coverage->ahead_hosts)
		fprintf(file, "%sthe clock of %zu host%s is ahead, or all other hosts are silent",
			count ? "; " : "", coverage->ahead_hosts,
			plural_ending(coverage->ahead_hosts));
	return text_close(file, &text) ? NULL : text;
}
