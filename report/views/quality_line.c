// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Composes the line of the reasons why figures are uncertain. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/views/quality_line.h"

#define LINE_WIDTH 69 /* columns behind the label, of 80 */
#define MORE "; more: -v"

void quality_add(struct quality *quality, const char *format, ...)
{
	va_list arguments;

	if (quality->count == QUALITY_REASONS_MAX)
		return;
	va_start(arguments, format);
	vsnprintf(quality->reasons[quality->count++], sizeof(quality->reasons[0]), format,
		  arguments);
	va_end(arguments);
}

void quality_add_missing_events(struct quality *quality, const struct missing *missing)
{
	double percent = missing_percent(missing);
	char text[MISSING_TEXT];

	if (percent >= 1)
		snprintf(text, sizeof(text), "%.*f%%", percent < 9.95 ? 1 : 0, percent);
	else if (percent > 0 && percent < 0.001)
		strcpy(text, "<0.001%");
	else
		missing_percent_text(percent, text);
	if (missing_events(missing))
		quality_add(quality, "%s%.20s of events missing",
			    missing_percent_is_bound(missing) ? "at most " : "", text);
	else if (missing->skipped_partial)
		quality_add(quality, "skipped events are not counted");
}

void quality_add_missing_names(struct quality *quality, const struct missing *missing)
{
	if (missing->names_lost)
		quality_add(quality, "names are lost");
}

void quality_add_missing_paths(struct quality *quality, const struct missing *missing)
{
	char paths[MISSING_TEXT];

	if (missing->unobserved)
		quality_add(quality, "%s", missing_paths_text(missing, paths));
}

/* The reasons from the first on that fit the line; at least one. */
static size_t count_fitting(const struct quality *quality)
{
	size_t width = strlen(quality->reasons[0]), fitting = 1;

	for (; fitting < quality->count; fitting++) {
		size_t rest = fitting + 1 < quality->count ? strlen(MORE) : 0;

		width += strlen("; ") + strlen(quality->reasons[fitting]);
		if (width + rest > LINE_WIDTH)
			break;
	}
	return fitting;
}

int quality_add_line(const struct quality *quality, struct header *header, uint64_t events)
{
	struct header_line *line;
	size_t fitting, size;
	FILE *text;

	if (!quality->count)
		return header_add_line(header, "quality", false,
				       "exact: %" PRIu64 " event%s, none lost or skipped", events,
				       events == 1 ? "" : "s");
	line = header_new_line(header, "quality", true);
	text = line ? text_open(&line->text, &size) : NULL;
	if (!text)
		return -ENOMEM;
	fitting = count_fitting(quality);
	for (size_t i = 0; i < fitting; i++)
		fprintf(text, "%s%s", i ? "; " : "", quality->reasons[i]);
	if (fitting < quality->count)
		fputs(MORE, text);
	return text_close(text, &line->text);
}
