// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Draws the progress line over itself, and remembers whether the terminal shows one. */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/progress.h"

#define NSEC_PER_SEC 1000000000ULL
#define CLEAR_LINE "\033[K"

/* A process has one terminal, and so one line. */
static bool on_terminal;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

void progress_line_init(struct progress_line *line, bool quiet, uint64_t delay)
{
	memset(line, 0, sizeof(*line));
	line->enabled = !quiet && isatty(STDERR_FILENO);
	line->begin = line->last = now_ns();
	line->due = line->begin + delay;
}

__attribute__((format(printf, 3, 4))) static void
draw_progress(struct progress_line *line, uint64_t now, const char *format, ...)
{
	va_list arguments;
	char text[160];

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fprintf(stderr, "\r%s" CLEAR_LINE, text);
	on_terminal = true;
	line->due = now + PROGRESS_INTERVAL;
}

void progress_line_bytes(void *data, uint64_t done, uint64_t bytes)
{
	struct progress_line *line = data;
	uint64_t now;

	if (!line || !line->enabled)
		return;
	now = now_ns();
	if (now < line->due)
		return;
	draw_progress(line, now, "%s: %3.0f%% of %.1f MB, %.0f MB/s", line->file,
		      bytes ? 100.0 * (double)done / (double)bytes : 100.0, (double)bytes / 1e6,
		      (double)done * 1e3 / (double)(now - line->begin));
}

void progress_line_events(struct progress_line *line, uint64_t events, uint64_t lost)
{
	uint64_t now;

	if (!line->enabled)
		return;
	now = now_ns();
	if (now < line->due || now == line->last)
		return;
	draw_progress(line, now, "%7.1f s  %" PRIu64 " events  %.0f/s  %" PRIu64 " lost",
		      (double)(now - line->begin) / 1e9, events,
		      (double)(events - line->last_events) * 1e9 / (double)(now - line->last),
		      lost);
	line->last = now;
	line->last_events = events;
}

void progress_line_clear(void)
{
	if (!on_terminal)
		return;
	fputs("\r" CLEAR_LINE, stderr);
	on_terminal = false;
}
