// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Draws the line over itself. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/progress.h"

#define NSEC_PER_SEC 1000000000ULL

uint64_t progress_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

void progress_line_init(struct progress_line *line, bool quiet, uint64_t delay)
{
	memset(line, 0, sizeof(*line));
	line->shown = !quiet && isatty(STDERR_FILENO);
	line->begin = progress_now();
	line->due = line->begin + delay;
}

void progress_line_draw(struct progress_line *line, uint64_t now, const char *format, ...)
{
	va_list arguments;
	char text[160];

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fprintf(stderr, "\r%s\033[K", text);
	fflush(stderr);
	line->dirty = true;
	line->due = now + PROGRESS_INTERVAL;
}

void progress_line_bytes(void *data, uint64_t done, uint64_t bytes)
{
	struct progress_line *line = data;
	uint64_t now;

	if (!line || !line->shown)
		return;
	now = progress_now();
	if (!progress_line_is_due(line, now))
		return;
	progress_line_draw(line, now, "%s: %3.0f%% of %.1f MB, %.0f MB/s", line->what,
			   bytes ? 100.0 * (double)done / (double)bytes : 100.0,
			   (double)bytes / 1e6, (double)done * 1e3 / (double)(now - line->begin));
}

void progress_line_clear(struct progress_line *line)
{
	if (!line || !line->dirty)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	line->dirty = false;
}
