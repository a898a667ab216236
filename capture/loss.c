// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Gaps in the sequence numbers of one CPU. The memory is bounded for any input: of very many spans,
 * neighbours are merged, while the count of lost events stays exact.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/loss.h"

#define SPANS_MAX ((size_t)1 << 16)
#define FAR_AHEAD ((uint64_t)1 << 30) /* numbers: loss_widen() distinguishes nearer ones */

void loss_init(struct loss *loss, uint64_t begin)
{
	memset(loss, 0, sizeof(*loss));
	for (size_t i = 0; i < LOSS_MEMORY; i++)
		loss->times[i] = begin;
}

int loss_begin_file(struct loss *loss, uint64_t sequence, uint64_t time)
{
	if (sequence > LOSS_SEQUENCE_MAX)
		return -ERANGE;
	if (loss->records || loss->next)
		return sequence > loss->next ? loss_confirm(loss, sequence, time) : 0;
	loss->next = sequence;
	return 0;
}

void loss_deinit(struct loss *loss)
{
	free(loss->spans);
	loss->spans = NULL;
	loss->count = loss->space = loss->open = 0;
}

static uint64_t span_size(const struct loss_span *span)
{
	return span->last - span->first + 1;
}

/*
 * Returns the oldest of the last times, not the newest: an event that was interrupted precedes the
 * lost events of the interrupt in the stream, but may have a later time.
 */
static uint64_t oldest_time(const struct loss *loss)
{
	return loss->times[loss->records % LOSS_MEMORY];
}

static void confirm_oldest(struct loss *loss)
{
	loss->confirmed += span_size(&loss->spans[loss->open++]);
}

/*
 * Halves the number of confirmed spans. If there are few, the older half of the open spans is
 * confirmed first: an interrupt displaces a record by fewer than SPANS_MAX / 4 gaps.
 */
static void thin_out(struct loss *loss)
{
	size_t kept = 0;

	while (loss->open < SPANS_MAX / 2 && loss->count - loss->open > SPANS_MAX / 4)
		confirm_oldest(loss);
	for (size_t i = 0; i < loss->open; i += 2, kept++) {
		const struct loss_span *other = &loss->spans[i + 1 < loss->open ? i + 1 : i];
		struct loss_span merged = loss->spans[i];

		merged.last = other->last;
		if (other->after < merged.after)
			merged.after = other->after;
		if (other->before > merged.before)
			merged.before = other->before;
		loss->spans[kept] = merged;
	}
	memmove(loss->spans + kept, loss->spans + loss->open,
		(loss->count - loss->open) * sizeof(*loss->spans));
	loss->count -= loss->open - kept;
	loss->open = kept;
}

/* Makes room for one more span. Any index into spans is invalid afterwards. */
static int reserve_span(struct loss *loss)
{
	struct loss_span *spans;
	size_t space;

	if (loss->count == SPANS_MAX)
		thin_out(loss);
	if (loss->count < loss->space)
		return 0;
	space = loss->space ? loss->space * 2 : 16;
	spans = reallocarray(loss->spans, space, sizeof(*spans));
	if (!spans)
		return -ENOMEM;
	loss->spans = spans;
	loss->space = space;
	return 0;
}

static void insert_span(struct loss *loss, size_t index, const struct loss_span *span)
{
	memmove(loss->spans + index + 1, loss->spans + index,
		(loss->count - index) * sizeof(*loss->spans));
	loss->spans[index] = *span;
	loss->count++;
}

/* The index of the first span, from start on, whose last number is not below sequence. */
static size_t find_span(const struct loss *loss, size_t start, uint64_t sequence)
{
	size_t end = loss->count;

	while (start < end) {
		size_t middle = start + (end - start) / 2;

		if (loss->spans[middle].last < sequence)
			start = middle + 1;
		else
			end = middle;
	}
	return start;
}

/* Removes one number from an open gap. -EEXIST: the number is not missing. */
static int fill_gap(struct loss *loss, uint64_t sequence)
{
	struct loss_span *gap, rest;
	size_t index;
	int err;

	err = reserve_span(loss);
	if (err)
		return err;
	index = find_span(loss, loss->open, sequence);
	if (index == loss->count || loss->spans[index].first > sequence)
		return -EEXIST;
	gap = &loss->spans[index];
	rest = *gap;
	if (gap->first == gap->last) {
		loss->count--;
		memmove(gap, gap + 1, (loss->count - index) * sizeof(*gap));
	} else if (sequence == gap->first) {
		gap->first++;
	} else if (sequence == gap->last) {
		gap->last--;
	} else {
		gap->last = sequence - 1;
		rest.first = sequence + 1;
		insert_span(loss, index + 1, &rest);
	}
	return 0;
}

int loss_jump(struct loss *loss, uint64_t sequence, uint64_t time)
{
	struct loss_span gap = { .first = loss->next, .last = sequence - 1, .before = time };
	int err;

	if (sequence < loss->next)
		return fill_gap(loss, sequence);
	err = reserve_span(loss);
	if (err)
		return err;
	gap.after = oldest_time(loss);
	insert_span(loss, loss->count, &gap);
	loss->next = sequence + 1;
	return 0;
}

int loss_confirm(struct loss *loss, uint64_t sequence, uint64_t time)
{
	struct loss_span *gap, below;
	int err;

	if (sequence > LOSS_SEQUENCE_MAX)
		return -ERANGE;
	err = reserve_span(loss);
	if (err)
		return err;
	while (loss->open < loss->count && loss->spans[loss->open].last < sequence)
		confirm_oldest(loss);
	if (loss->open < loss->count && loss->spans[loss->open].first < sequence) {
		gap = &loss->spans[loss->open];
		below = *gap;
		below.last = sequence - 1;
		gap->first = sequence;
		insert_span(loss, loss->open, &below);
		confirm_oldest(loss);
	}
	if (sequence > loss->next) {
		below = (struct loss_span){ .first = loss->next,
					    .last = sequence - 1,
					    .after = oldest_time(loss),
					    .before = time };
		insert_span(loss, loss->count, &below);
		confirm_oldest(loss);
		loss->next = sequence;
	}
	return 0;
}

int loss_begin_packet(struct loss *loss, uint64_t sequence, uint64_t time)
{
	if (sequence <= loss->next || sequence - loss->next <= FAR_AHEAD)
		return 0;
	return loss_confirm(loss, sequence, time);
}

int loss_drop_span(struct loss *loss, const struct loss_span *span)
{
	int err;

	err = loss_confirm(loss, loss->next, span->before);
	if (!err)
		err = reserve_span(loss);
	if (err)
		return err;
	insert_span(loss, find_span(loss, 0, span->first), span);
	loss->open++;
	loss->confirmed += span_size(span);
	loss->records -= span_size(span);
	for (size_t i = 0; i < LOSS_MEMORY; i++)
		loss->times[i] = span->after;
	return 0;
}

uint64_t loss_missing(const struct loss *loss)
{
	uint64_t missing = loss->confirmed;

	for (size_t i = loss->open; i < loss->count; i++)
		missing += span_size(&loss->spans[i]);
	return missing;
}
