/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records allocations, and the stacks of the allocations that are sampled (kernel/sampling.h). An
 * allocation that is not sampled pays for a subtraction in the control block of its CPU, and for
 * nothing if sampling is off.
 *
 * The count of bytes is read, and written later, without an atomic operation. If N interrupts E
 * between the two, both use the count as E found it, and E's result replaces N's. Each still is
 * sampled with its own probability, because the count that it uses is exponentially distributed
 * whatever its size is: N got the count that it would have got without E, and so did E. The rest
 * that E leaves is that of a count which was enough for E, again an exponential one. So no estimate
 * gets a bias. Only the choices of N and E depend on one another, which is too rare to matter for
 * the error of an estimate.
 *
 * kmemtraced may change the interval at any time, and a CPU may raise it while its ring fills
 * (next_interval). A CPU takes the new one at its next sample, for the count that it draws then.
 * Whether an allocation is sampled depends on the interval of its own count, which the sample's
 * record has. Only at the sample where the interval changes may an event that interrupts another
 * one get the interval of its neighbour.
 */
#ifndef BPF_SAMPLING_BPF_H
#define BPF_SAMPLING_BPF_H

#define RING_DOUBLINGS 6

/*
 * The interval of the next count: that of kmemtraced, or a longer one while more than half of the
 * ring waits for it, because it did not get a CPU. Each twelfth of the ring doubles it once: so the
 * samples last longer than kmemtraced waits, instead of being lost.
 */
static __always_inline uint64_t next_interval(const struct event_context *event)
{
	uint64_t interval = *(volatile uint64_t *)&totals.sample_interval, waiting;

	if (!raises_interval)
		return interval;
	waiting = slots_waiting(event);
	if (waiting <= ring_slots / 2)
		return interval;
	waiting = (waiting - ring_slots / 2) / (ring_slots / (2 * RING_DOUBLINGS) + 1) + 1;
#pragma unroll
	for (unsigned int i = 0; i < RING_DOUBLINGS; i++)
		if (i < waiting && interval <= SAMPLING_MOST / 2)
			interval *= 2;
	return interval;
}

static __always_inline bool is_sampled(struct kmt_control *control, uint64_t pointer, uint32_t size)
{
	int64_t left;

	if (pointer <= KMT_ZERO_SIZE_PTR)
		return false;
	if (sample_interval == SAMPLING_EACH)
		return true;
	left = *(volatile int64_t *)&control->until_sample - size;
	if (left > 0) {
		*(volatile int64_t *)&control->until_sample = left;
		if (!size)
			control->unsized++;
		return false;
	}
	return true;
}

/* Records an allocation with its stack. about: all of the record but time, task and sequence. */
static __noinline int emit_sample(void *ctx, struct event_context *event, struct kmt_record *about)
{
	struct kmt_control *control = event->control;
	struct kmt_record *record, *stack;
	struct kmt_record header = {};
	uint32_t sequence = 0, interval = SAMPLING_EACH;
	int result = 0;
	uint64_t id, user_id = 0;

	/* first: events that interrupt this one find a new count */
	if (sample_interval != SAMPLING_EACH) {
		interval = control->sample_interval;
		control->sample_interval = next_interval(event);
		*(volatile int64_t *)&control->until_sample =
			sampling_draw((uint64_t)bpf_get_prandom_u32() << 32 | bpf_get_prandom_u32(),
				      control->sample_interval);
	}
	if (profile) {
		find_traced_task(event); /* its ids */
		if (!sampled_add(about->pointer)) {
			__sync_fetch_and_add(&control->dropped, 1);
			return 0;
		}
		name_task(event->ids);
	}
	__sync_fetch_and_add(&control->samples, 1);
	id = find_stack(ctx, control, 0);
	/* an interrupt allocates for another task than the current one */
	if (user_stacks && find_kernel_context(control) == KMT_CONTEXT_TASK && event->ids >> 32)
		user_id = find_stack(ctx, control, event->ids >> 32);
	record = take_stack_and_slot(event, &sequence, ring_slots, &stack);
	if (!record) {
		count_lost(control, event->ids);
		return 0;
	}
	record->time = stack->time = bpf_ktime_get_ns();
	record->pointer = stack->pointer = about->pointer;
	record->call_site = stack->call_site = about->call_site;
	record->task = stack->task = event->ids;
	record->gfp = about->gfp;
	record->cache = about->cache;
	stack->gfp = interval;
	stack->payload = id;
	((struct kmt_long_record *)stack)->more[0] = user_id;
	header.id = KMT_STACK;
	header.words = KMT_STACK_WORDS;
	header.node = kmt_node_word(KMT_NODE_ANY, find_kernel_context(control));
#ifdef KMT_WITHOUT_FETCH
	header.sequence = sequence;
#else
	header.sequence = sequence - 1;
#endif
	about->words = KMT_RECORD_WORDS;
	about->node = kmt_node_word(about->node, find_kernel_context(control));
	about->sequence = sequence;
	commit_stack_and_event(stack, header.tag, record, about->tag);
	/* clang would leave a pointer in r0 if it knew the result, and the verifier refuse it */
	asm volatile("" : "+r"(result));
	return result;
}

#endif
