/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the missing sequence numbers of one CPU's events. The writer and all readers use it, so
 * that their counts agree.
 *
 * A missing number may come later. An event takes its number first and its slot in the ring later;
 * if an interrupt comes between these steps, the events of the interrupt take their slots first. A
 * gap is therefore open until it is confirmed as lost: its numbers may still come.
 */
#ifndef CAPTURE_LOSS_H
#define CAPTURE_LOSS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The events first..last were lost, between the two times (ns, inclusive). If one CPU has more than
 * 2^16 spans, neighbours are merged. A merged span has recorded events too: the number of lost
 * events is loss.confirmed, not the sum of the spans.
 */
struct loss_span {
	uint64_t first, last;	/* sequence numbers */
	uint64_t after, before; /* ns */
};

/* No CPU counts that far: a higher number is damage. */
#define LOSS_SEQUENCE_MAX ((uint64_t)1 << 62)

/* A lost event is not earlier than the earliest of this many records before the gap. */
#define LOSS_MEMORY 8

struct loss {
	uint64_t next;		 /* above all numbers that were seen or confirmed as lost */
	uint64_t records;	 /* seen, without repeated numbers */
	uint64_t confirmed;	 /* lost, in spans[0..open) */
	struct loss_span *spans; /* in order of first */
	size_t count, space;
	size_t open;		     /* spans[open..] may still be filled */
	uint64_t times[LOSS_MEMORY]; /* ns: of the last records, a ring buffer */
};

/* The number of the first event is 0. begin: ns, the start of the capture. */
void loss_init(struct loss *loss, uint64_t begin);

/*
 * The stream begins, or goes on in another file, with this number: that of the first packet, which
 * has no records. Numbers below it belong to earlier files; those that no earlier file had, if
 * there was one, are lost. 0 or -errno of loss_confirm().
 */
int loss_begin_file(struct loss *loss, uint64_t sequence, uint64_t time);
void loss_deinit(struct loss *loss);

/* The slow path of loss_record(): opens or fills a gap. 0, -ENOMEM, or -EEXIST: repeated. */
int loss_jump(struct loss *loss, uint64_t sequence, uint64_t time);

/* Counts a record, in the order of the stream. 0, -ENOMEM, or -EEXIST: the number came before. */
static inline int loss_record(struct loss *loss, uint64_t sequence, uint64_t time)
{
	int err = 0;

	if (sequence == loss->next)
		loss->next++;
	else
		err = loss_jump(loss, sequence, time);
	if (!err)
		loss->times[loss->records++ % LOSS_MEMORY] = time;
	return err;
}

/*
 * No later record has a number below this one: the missing numbers below it are confirmed as lost.
 * time (ns): all numbers from loss->next on were lost at this time or earlier. 0, -ENOMEM, or
 * -ERANGE: the number is above LOSS_SEQUENCE_MAX.
 */
int loss_confirm(struct loss *loss, uint64_t sequence, uint64_t time);

/*
 * Call it before the records of a packet, with the lowest number of the packet, from its header. It
 * confirms a gap of more than 2^30 numbers, which loss_widen() could not resolve. It does nothing
 * if fewer events were lost.
 */
int loss_begin_packet(struct loss *loss, uint64_t sequence, uint64_t time);

/*
 * The records of the span came, but could not be stored: they count as lost, and so do all numbers
 * that are missing now. 0 or -ENOMEM.
 */
int loss_drop_span(struct loss *loss, const struct loss_span *span);

/* The number of missing events now, confirmed or not. */
uint64_t loss_missing(const struct loss *loss);

/* The 64-bit number whose low half is sequence and that is nearest to loss->next. */
static inline uint64_t loss_widen(const struct loss *loss, uint32_t sequence)
{
	uint32_t ahead = sequence - (uint32_t)loss->next;
	uint32_t behind = -ahead;

	if (!ahead)
		return loss->next;
	if (ahead <= behind || behind > loss->next)
		return loss->next + ahead;
	return loss->next - behind;
}

/* The same as loss_record() with the low half of the number, which is all that a record holds. */
static inline int loss_record_low(struct loss *loss, uint32_t sequence, uint64_t time)
{
	if (sequence != (uint32_t)loss->next)
		return loss_record(loss, loss_widen(loss, sequence), time);
	return loss_record(loss, loss->next, time);
}

#endif
