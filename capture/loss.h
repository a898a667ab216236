/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Follows the sequence numbers of one CPU's events and finds those that are missing. The writer
 * and all readers use it, so they agree.
 *
 * A number may be missing and come later: an interrupt between an event's number and its slot
 * puts its own events first. A gap is therefore a suspicion until it is settled.
 */
#ifndef CAPTURE_LOSS_H
#define CAPTURE_LOSS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Lost events first..last; they happened between the two times (ns, inclusive). Where there are
 * very many (2^16 on one CPU), neighbours are merged and what lies between them was recorded:
 * loss.confirmed is the count, not the sum of the spans.
 */
struct loss_span {
	uint64_t first, last;	/* sequence numbers */
	uint64_t after, before; /* ns */
};

#define LOSS_SEQUENCE_MAX ((uint64_t)1 << 62) /* no CPU comes that far: a higher one is damage */
#define LOSS_MEMORY 8 /* a lost event may lie this many records before its gap shows */

struct loss {
	uint64_t next;		 /* lowest number that has not been seen or passed */
	uint64_t records;	 /* taken */
	uint64_t confirmed;	 /* lost, in spans[0..open) */
	struct loss_span *spans; /* in order of first */
	size_t count, space;
	size_t open;		     /* spans[open..] may still be filled */
	uint64_t times[LOSS_MEMORY]; /* of the last records, a circle */
};

/* The first event's number is 0; begin is the time of the capture's start (ns). */
void loss_init(struct loss *loss, uint64_t begin);
void loss_deinit(struct loss *loss);

/* The slow path of loss_record(): a gap opens or is filled. 0, -ENOMEM, or -EEXIST if taken. */
int loss_jump(struct loss *loss, uint64_t sequence, uint64_t time);

/* A record, in the order of the stream. Returns 0, -ENOMEM, or -EEXIST: the number came twice. */
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
 * No record below this number will come any more: open gaps below it are lost. Numbers from
 * next to sequence that never came are lost too, before the time given. 0, -ENOMEM, or -ERANGE.
 */
int loss_confirm(struct loss *loss, uint64_t sequence, uint64_t time);

/*
 * No record to come is below this number, as a packet's header tells. Needed before loss_widen()
 * where very many are lost; does nothing where few are. As loss_confirm().
 */
int loss_approach(struct loss *loss, uint64_t sequence, uint64_t time);

/*
 * Takes back records that came but were not kept, between the two times: they are lost after
 * all, and with them whatever is missing by now. 0 or -ENOMEM.
 */
int loss_forget(struct loss *loss, const struct loss_span *span);

/* Missing by now, settled or not. */
uint64_t loss_missing(const struct loss *loss);

/* The 64-bit number whose low half is sequence and that is nearest to loss->next. */
static inline uint64_t loss_widen(const struct loss *loss, uint32_t sequence)
{
	uint32_t ahead = sequence - (uint32_t)loss->next;
	uint32_t behind = -ahead;

	if (ahead <= behind || behind > loss->next)
		return loss->next + ahead;
	return loss->next - behind;
}

/* The same of a record that tells the low half of its number, as all do. */
static inline int loss_follow(struct loss *loss, uint32_t sequence, uint64_t time)
{
	if (sequence != (uint32_t)loss->next)
		return loss_record(loss, loss_widen(loss, sequence), time);
	return loss_record(loss, loss->next, time);
}

#endif
