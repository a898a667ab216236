// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Draws a curve in one line. */
#include "config.h"

#include "report/render/curve.h"

static const char *const blocks[] = { " ",	"\u2581", "\u2582", "\u2583", "\u2584",
				      "\u2585", "\u2586", "\u2587", "\u2588" };
static const char *const ascii[] = { " ", "_", ".", ":", "-", "=", "+", "*", "#" };

#define LEVELS (sizeof(blocks) / sizeof(*blocks) - 1)

_Static_assert(sizeof(ascii) == sizeof(blocks), "as many characters");

/* 0 of nothing, else 1 to LEVELS. */
static size_t level_of(uint64_t number, uint64_t most)
{
	size_t level;

	if (!number)
		return 0;
	level = (size_t)((double)number / (double)most * LEVELS + 0.5);
	return level < 1 ? 1 : level > LEVELS ? LEVELS : level;
}

void curve_print(FILE *file, const uint64_t *numbers, size_t count, size_t width, bool utf8)
{
	uint64_t most = 0;
	size_t spaces = 0; /* none end the line */

	for (size_t i = 0; i < count; i++)
		if (numbers[i] > most)
			most = numbers[i];
	for (size_t at = 0; at < width && count; at++) {
		size_t first = at * count / width, end = (at + 1) * count / width;
		uint64_t part = numbers[first];
		size_t level;

		for (size_t i = first; i < end; i++)
			if (numbers[i] > part)
				part = numbers[i];
		level = level_of(part, most);
		if (!level) {
			spaces++;
			continue;
		}
		fprintf(file, "%*s%s", (int)spaces, "", utf8 ? blocks[level] : ascii[level]);
		spaces = 0;
	}
}
