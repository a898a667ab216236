/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Frees that an interrupt nests into a free: the kernel skips the program that is under way on
 * the CPU already, and counts it. A second program on the same tracepoint tells what the first
 * was kept from, and must never tell what the first told: that would read as a double free.
 *
 * An event is known by the address of its arguments, the context of its programs: both are
 * called from the same frame, one after the other, on one CPU, so they get the same address;
 * and the frames of two events that are under way at once lie apart. The first program leaves
 * this address as a mark, the second wipes it; where there is none, the first was skipped.
 *
 * E is an event, N one of the same kind that interrupts it and is over before E goes on:
 *	N before E's mark, in the first program: N's first is skipped, its second finds no mark of
 *	    N and tells it. E's mark is not there yet or has another address: it stays.
 *	N after E's mark, in the first program: the same.
 *	N between E's programs: both of N's run; N's mark takes a place that E's does not have,
 *	    since E's is neither 0 nor dead (see below), and N's second wipes N's.
 *	N in E's second, before it wipes: N's first tells N and marks it, N's second is skipped, so
 *	    that N's mark is stale. E's is still there for E.
 *	N in E's second, after it has wiped: the same; the place is no longer E's.
 * So the mark of an event whose first program ran is there when its second looks for it. A stale
 * mark can only keep a later event at the same address from being told a second time: that one
 * stays counted as skipped.
 *
 * Stale marks would fill the list. One is dead if it lies in the page of our own frame, so on the
 * same stack (stacks begin at pages), and not above it: stacks grow down, so whatever had its
 * arguments there and was still under way would have us above it. Only first programs write
 * marks, and a first program does not nest in itself, so nobody else fills the place that it
 * found free; second ones at most empty it once more. (Where kernels have no guard, an event that
 * nests is over, and its mark wiped, before the one below goes on.)
 *
 * Where there is no room for a mark, the second program of that kind tells nothing on that CPU
 * any more: it could not know. An event under way when marking began has no mark either: hence
 * the state between off and on, and a grace period before on. And on is only for a kernel where a
 * second program has once found its mark: another that hands each program a copy of the
 * arguments would have everything told twice.
 */
#ifndef BPF_BACKUP_BPF_H
#define BPF_BACKUP_BPF_H

#define SMALLEST_PAGE 4096 /* of any machine; stacks are whole pages */

/* The verifier allows no arithmetic on its pointers: read one back as plain memory. */
static __always_inline unsigned long pointer_value(void *const *pointer)
{
	unsigned long value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), pointer);
	return value;
}

static __always_inline uint32_t backup_state_of(uint32_t kind)
{
	return backup_enabled ? *(volatile uint32_t *)&totals.backup_state[kind] : KMT_BACKUP_OFF;
}

/* The first place is taken: wipe what is dead, and find another. */
static __noinline int mark_in_flight_slow(struct kmt_marks *marks, void *context)
{
	unsigned long own = pointer_value(&context);
	volatile uint64_t *list = marks->list;

	for (uint32_t i = 0; i < KMT_MARKS; i++) {
		uint64_t other = list[i];

		if (other <= own && (other ^ own) < SMALLEST_PAGE)
			list[i] = 0;
	}
	/* a loop of its own: the verifier follows each combination of what a loop carries on */
	for (uint32_t i = 0; i < KMT_MARKS; i++)
		if (!list[i]) {
			list[i] = own;
			return 0;
		}
	marks->full = 1;
	return 0;
}

/* The first program is here. */
static __always_inline void mark_in_flight(struct event_context *event, uint32_t kind,
					   void *context)
{
	struct kmt_marks *marks = &event->control->marks[kind];
	volatile uint64_t *list = marks->list;

	if (backup_state_of(kind) == KMT_BACKUP_OFF)
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
 * The second program is here. Is the event to be told by it? Then place is set, and the event
 * counts as rescued. Most often its mark is the first, and nothing else need be known.
 */
static __always_inline bool claim_event(struct event_context *event, uint32_t kind, void *context)
{
	uint32_t state = backup_state_of(kind);
	struct kmt_marks *marks;

	if (state == KMT_BACKUP_OFF || (traced_tgid && !find_task(event)) || !find_cpu(event))
		return false;
	marks = &event->control->marks[kind];
	if (*(volatile uint64_t *)&marks->list[0] == (unsigned long)context)
		*(volatile uint64_t *)&marks->list[0] = 0;
	else if (!clear_mark_slow(marks, context))
		goto not_in_flight;
	if (state == KMT_BACKUP_MARKING)
		totals.matched[kind] = 1;
	return false;

not_in_flight:
	if (state != KMT_BACKUP_ON || *(volatile uint64_t *)&marks->full)
		return false;
	find_task(event);
	__sync_fetch_and_add(&event->control->from_backup, 1);
	return true;
}

#endif
