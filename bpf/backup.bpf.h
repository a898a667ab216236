/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Backup programs for nested frees. If an interrupt frees an object while a free is being recorded,
 * the kernel does not run the program again, because it already runs on this CPU; the kernel only
 * counts a recursion miss. A backup program, the second program on the same tracepoint, records the
 * free for which the kernel skipped the first program. It must never record a free that the first
 * program recorded: that would look like a double free.
 *
 * An event is identified by the address of its arguments, which the programs get as their context.
 * Both programs are called from the same frame, one after the other, on one CPU, so they get the
 * same address. The frames of two events that are in flight at once do not overlap. The first
 * program stores this address as an in-flight mark, and the backup program clears it. If there is
 * no mark, the kernel skipped the first program.
 *
 * E is an event; N is an event of the same kind that interrupts E and ends before E continues:
 *	N comes in E's first program, before E's mark: the kernel skips N's first program. N's
 *	    backup program finds no mark of N and records N. E's mark does not exist yet or has
 *	    another address, so N does not clear it.
 *	N comes in E's first program, after E's mark: the same.
 *	N comes between E's two programs: both programs of N run. N's mark takes a slot that is not
 *	    E's, since E's mark is neither 0 nor dead (see below), and N's backup clears N's mark.
 *	N comes in E's backup program, before it clears the mark: N's first program records N and
 *	    marks it. The kernel skips N's backup program, so N's mark becomes stale. E's mark is
 *	    still there for E.
 *	N comes in E's backup program, after it cleared the mark: the same; E uses no slot any more.
 * So the mark of an event whose first program ran is there when its backup program looks for it.
 * The only effect of a stale mark is that the backup program does not record a later event at the
 * same address. That event stays counted as skipped.
 *
 * Stale marks would fill the list. A mark is dead if its address is in the page of our own context
 * and not above our context. It is on the same stack then, since stacks begin at page boundaries;
 * and stacks grow down, so an event that is still in flight has a higher address than ours. Only
 * first programs write marks, and a first program does not nest in itself, so no other program
 * fills the slot that it found free. A backup program can only clear slots. (On a kernel without a
 * recursion guard, a nested event has ended, and its mark is cleared, before the interrupted event
 * continues.)
 *
 * If a mark finds no free slot, the backup program of that kind records nothing more on that CPU,
 * because it can no longer know which first programs ran. An event that was in flight when marking
 * began has no mark either. So a backup program records only in the state KMT_MARKING_COMPLETE; the
 * state KMT_MARKING_BEGUN and a grace period come before it. kmemtraced sets KMT_MARKING_COMPLETE
 * only after a backup program has found its mark once. On a kernel that passes each program its own
 * copy of the arguments, no mark is ever found; without this rule, every free would be recorded
 * twice there.
 */
#ifndef BPF_BACKUP_BPF_H
#define BPF_BACKUP_BPF_H

#include "bpf/pointer.bpf.h"

#define SMALLEST_PAGE 4096 /* on any machine; stacks are whole pages */

static __always_inline uint32_t backup_state_of(uint32_t kind)
{
	return backup_enabled ? *(volatile uint32_t *)&totals.backup_state[kind] : KMT_MARKING_OFF;
}

/* The first slot is used: clear the dead marks and find a free slot. */
static __noinline int mark_in_flight_slow(struct kmt_marks *marks, void *context)
{
	unsigned long own = pointer_value(&context);
	volatile uint64_t *list = marks->list;

	for (uint32_t i = 0; i < KMT_MARKS; i++) {
		uint64_t other = list[i];

		if (other <= own && (other ^ own) < SMALLEST_PAGE)
			list[i] = 0;
	}
	/* a separate loop: the verifier follows each combination of the values a loop keeps */
	for (uint32_t i = 0; i < KMT_MARKS; i++)
		if (!list[i]) {
			list[i] = own;
			return 0;
		}
	marks->full = 1;
	return 0;
}

/* Called by the first program. */
static __always_inline void mark_in_flight(struct event_context *event, uint32_t kind,
					   void *context)
{
	struct kmt_marks *marks = &event->control->marks[kind];
	volatile uint64_t *list = marks->list;

	if (backup_state_of(kind) == KMT_MARKING_OFF)
		return;
	if (!list[0])
		list[0] = (unsigned long)context;
	else
		mark_in_flight_slow(marks, context);
}

static __noinline bool clear_mark_slow(struct kmt_marks *marks, void *context)
{
	uint64_t own = pointer_value(&context);
	volatile uint64_t *list = marks->list;

	for (uint32_t i = 1; i < KMT_MARKS; i++)
		if (list[i] == own) {
			list[i] = 0;
			return true;
		}
	return false;
}

/*
 * Called by the backup program. Returns true if it must record the event: then event is set, and
 * the free is counted in from_backup. The mark is nearly always in the first slot: the fast path.
 */
static __always_inline bool should_record(struct event_context *event, uint32_t kind, void *context)
{
	uint32_t state = backup_state_of(kind);
	struct kmt_marks *marks;

	if (state == KMT_MARKING_OFF || (traced_tgid && !find_traced_task(event)) ||
	    !find_cpu(event))
		return false;
	marks = &event->control->marks[kind];
	if (*(volatile uint64_t *)&marks->list[0] == (unsigned long)context)
		*(volatile uint64_t *)&marks->list[0] = 0;
	else if (!clear_mark_slow(marks, context))
		goto no_mark;
	if (state == KMT_MARKING_BEGUN)
		totals.matched[kind] = 1;
	return false;

no_mark:
	if (state != KMT_MARKING_COMPLETE || *(volatile uint64_t *)&marks->full)
		return false;
	/* without -p the ids are not read yet, and every task is traced */
	find_traced_task(event);
	__sync_fetch_and_add(&event->control->from_backup, 1);
	return true;
}

#endif
