// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The width of time slices, which doubles. */
#include "config.h"

#include <string.h>

#include "report/views/slices.h"

#define WIDTH_FIRST 1000000 /* ns, if the end is not known */

/* The first of 1, 2, 5, 10, 20, … that makes at most limit slices. */
static uint64_t width_for(uint64_t span, size_t limit)
{
	static const unsigned int factors[] = { 1, 2, 5 };
	uint64_t power = 1;

	for (size_t i = 0;; i++) {
		uint64_t width = factors[i % 3] * power;

		if ((span - 1) / width < limit)
			return width;
		if (i % 3 == 2)
			power *= 10;
	}
}

static void init_slices(struct slices *slices, uint64_t begin, uint64_t end, size_t limit)
{
	memset(slices, 0, sizeof(*slices));
	slices->begin = begin;
	slices->limit = limit;
	slices->width = WIDTH_FIRST;
	if (!end)
		return;
	slices->width = end > begin ? width_for(end - begin, limit) : 1;
	slices->most = end > begin ? (size_t)((end - begin - 1) / slices->width) + 1 : 1;
}

void slices_init(struct slices *slices, uint64_t begin, uint64_t end)
{
	init_slices(slices, begin, end, SLICES_MAX);
}

void slices_init_window(struct slices *slices, const struct analysis *analysis)
{
	slices_init_limit(slices, analysis, SLICES_MAX);
}

void slices_init_limit(struct slices *slices, const struct analysis *analysis, size_t limit)
{
	const struct status *status = &analysis->capture->status;
	uint64_t begin = analysis->begin, end = 0;

	if (begin < analysis->capture->checkpoint.begin)
		begin = analysis->capture->checkpoint.begin;
	if (begin < analysis->window_begin)
		begin = analysis->window_begin;
	if (status->complete != STATUS_CUT_OFF)
		end = status->end;
	if (end > analysis->window_end)
		end = analysis->window_end;
	init_slices(slices, begin, end, limit);
}

size_t slices_include(struct slices *slices, uint64_t time)
{
	uint64_t after = time > slices->begin ? time - slices->begin : 0;
	size_t index;

	while (!slices->most && after / slices->width >= slices->limit) {
		slices->width *= 2;
		slices->doublings++;
		slices->count = (slices->count + 1) / 2;
	}
	after /= slices->width;
	index = slices->most && after >= slices->most ? slices->most - 1 : (size_t)after;
	if (slices->count <= index)
		slices->count = index + 1;
	return index;
}

uint64_t slices_end(const struct slices *slices, size_t index, uint64_t end)
{
	uint64_t slice_end = slices->begin + (index + 1) * slices->width;

	return index + 1 >= slices->count || slice_end > end ? end : slice_end;
}

void slices_merge(int64_t *values)
{
	for (size_t i = 0; i < SLICES_MAX / 2; i++)
		values[i] = values[2 * i] + values[2 * i + 1];
	memset(values + SLICES_MAX / 2, 0, SLICES_MAX / 2 * sizeof(*values));
}
