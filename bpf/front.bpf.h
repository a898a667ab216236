/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Front programs, for kernels that preempt a task in a tracepoint (7.x). A front program is
 * attached to the function __traceiter_X, which calls the programs of the tracepoint X one after
 * the other. So it runs before the copies (copies.bpf.h) of the same event. It is a kprobe.multi
 * program: the kernel does not preempt a task in it, so no task keeps it from running for other
 * tasks. But the kernel does not run it
 *	where it interrupts a kprobe program, or a system call on a BPF map, on the same CPU;
 *	where ftrace's own guard against recursion stops it, which nothing counts.
 * The copies record these events.
 *
 * It marks the event before it records it, as a copy does, with the context that the copies will
 * get: that is at a fixed distance from the front program's stack pointer, since the same functions
 * of the kernel are called between. A front program records nothing until it has learned this
 * distance from the events of a thread of kmemtraced: the front program stores its stack pointer,
 * and copy 1 recognizes the event by all its arguments. FRONT_AGREED events in succession must give
 * the same distance. They also show that the front program reads all arguments correctly.
 *
 * E is an event; N is an event that interrupts E on the same stack and ends before E continues:
 *	N comes in E's front program: N has copies only, and they mark as in marks.bpf.h.
 *	N comes between E's front program and a copy of E: N's stack pointer in __traceiter_X is
 *	    lower than E's by more than the registers that an interrupt saves; kmemtraced checks
 *	    that the distances of the tracepoints differ by less. So N's context is below E's.
 *
 * skipped = runs of first copies that the kernel skipped + front_found + deferred - events recorded
 * by front programs and later copies: the kernel runs copy 1 for each event, or counts it.
 *
 * On 7.2 amd64 an event costs about 1,100 instructions with front programs and four copies, 830
 * with four copies, and 270 with one program.
 */
#ifndef BPF_FRONT_BPF_H
#define BPF_FRONT_BPF_H

#ifdef KMT_WITH_COPIES

#define FRONT_AGREED 8
#define FRONT_ARGUMENTS 6

/* The number of a tracepoint's arguments. The last two of an allocation have 32 bits. */
static __always_inline uint32_t argument_count(enum kmt_copied_kind kind)
{
	return kind == KMT_COPIED_KFREE		? 2
	       : kind == KMT_COPIED_CACHE_FREE	? 3
	       : kind == KMT_COPIED_CACHE_ALLOC ? 5
						: FRONT_ARGUMENTS;
}

static __always_inline uint64_t hash_arguments(enum kmt_copied_kind kind, const uint64_t *arguments)
{
	uint32_t count = argument_count(kind);
	uint64_t hash = 0, argument;

#pragma unroll
	for (uint32_t i = 0; i < FRONT_ARGUMENTS; i++) {
		if (i >= count)
			break;
		argument = arguments[i];
		if (kind >= KMT_COPIED_FREES && i + 2 >= count)
			argument = (uint32_t)argument;
		hash = (hash ^ argument) * 0x9e3779b97f4a7c15ULL;
	}
	return hash;
}

static __always_inline bool is_learner(const struct kmt_front *front)
{
	return (uint32_t)bpf_get_current_pid_tgid() == front->learner;
}

/* Copy 1, at an event of the learner with the same arguments as the front program's last. */
static __noinline int learn_distance(struct kmt_front *front, uint64_t context, uint64_t hash)
{
	uint64_t distance;

	if (!front || !is_learner(front) || !front->stack || front->arguments != hash)
		return 0;
	distance = front->stack - context;
	/* an event of a task that may not be preempted does not show the preempt count */
	if (preempt_count() != preempt_count_base())
		return 0;
	if (distance != front->candidate)
		front->agreed = 0;
	front->candidate = distance;
	front->stack = 0;
	if (++front->agreed >= FRONT_AGREED)
		front->distance = distance;
	return 0;
}

/* Called by copy 1: has the front program recorded the event? */
static __always_inline bool front_has_recorded(struct event_context *event,
					       enum kmt_copied_kind kind,
					       struct bpf_raw_tracepoint_args *ctx, uint64_t id)
{
	struct kmt_front *front = &totals.fronts[kind];
	uint64_t context = mark_distance(ctx);

	if (is_marked(context, id, false)) {
		/* not atomic: on one CPU, copy 1 of a tracepoint runs for one event at a time */
		if (find_cpu(event))
			event->control->front_found[kind]++;
		return true;
	}
	if (!front->distance)
		learn_distance(front, context, hash_arguments(kind, ctx->args));
	else if (find_cpu(event))
		__sync_fetch_and_add(&event->control->from_first, 1);
	return false;
}

#if defined(__TARGET_ARCH_x86) && !defined(KMT_WITHOUT_PREEMPT_COUNT)

struct pt_regs { /* the registers of a kprobe program's context */
	uint64_t r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs,
		flags, sp, ss;
};

/* The front program, at an event of the learner. */
static __noinline int learn_stack(struct kmt_front *front, uint64_t stack, uint64_t hash)
{
	uint32_t count = preempt_count();

	if (!front || !is_learner(front))
		return 0;
	if (count != front->preempt_count)
		front->agreed = 0;
	front->preempt_count = count;
	front->arguments = hash;
	front->stack = stack;
	return 0;
}

/* Reads the arguments of __traceiter_X: its own data, then the arguments of the tracepoint. */
static __always_inline void read_arguments(enum kmt_copied_kind kind, struct pt_regs *ctx,
					   uint64_t arguments[FRONT_ARGUMENTS])
{
	uint32_t last = 0;

	arguments[0] = ctx->si;
	arguments[1] = ctx->dx;
	arguments[2] = ctx->cx;
	arguments[3] = ctx->r8;
	arguments[4] = ctx->r9;
	/* the seventh argument is on the stack, above the return address */
	if (argument_count(kind) == FRONT_ARGUMENTS)
		bpf_probe_read_kernel(&last, sizeof(last),
				      (const void *)(ctx->sp + sizeof(uint64_t)));
	arguments[5] = last;
}

/*
 * Called by a front program. Returns true if it must record the event; then event and arguments are
 * set.
 */
static __always_inline bool front_records(struct event_context *event, enum kmt_copied_kind kind,
					  struct pt_regs *ctx, uint64_t arguments[FRONT_ARGUMENTS])
{
	struct kmt_front *front = &totals.fronts[kind];
	uint64_t distance = front->distance;

	read_arguments(kind, ctx, arguments);
	if (!distance) {
		learn_stack(front, ctx->sp, hash_arguments(kind, arguments));
		return false;
	}
	if (!find_context(event))
		return false;
	/* not atomic: on one CPU, one kprobe program runs at a time */
	if (!mark_event(ctx->sp - distance, mark_id(arguments[0], arguments[1], kind),
			front->preempt_count)) {
		event->control->front_deferred++;
		return false;
	}
	event->control->from_front++;
	return true;
}

SEC("kprobe.multi")
int front_kfree(struct pt_regs *ctx)
{
	uint64_t arguments[FRONT_ARGUMENTS];
	struct event_context event;

	if (!front_records(&event, KMT_COPIED_KFREE, ctx, arguments))
		return 0;
	return emit_free(&event, KMT_KFREE, (void *)arguments, 0);
}

SEC("kprobe.multi")
int front_kmem_cache_free(struct pt_regs *ctx)
{
	uint64_t arguments[FRONT_ARGUMENTS];
	struct event_context event;

	if (!front_records(&event, KMT_COPIED_CACHE_FREE, ctx, arguments))
		return 0;
	forget_cache(arguments[1]);
	announce_cache(arguments[2], arguments[1], true);
	return emit_free(&event, KMT_CACHE_FREE, (void *)arguments, arguments[2]);
}

SEC("kprobe.multi")
int front_kmalloc(struct pt_regs *ctx)
{
	uint64_t arguments[FRONT_ARGUMENTS];
	struct kmt_record sizes = {};
	struct event_context event;

	if (!front_records(&event, KMT_COPIED_KMALLOC, ctx, arguments))
		return 0;
	sizes.requested = size_saturated(arguments[2]);
	sizes.allocated = size_saturated(arguments[3]);
	return emit_allocation(ctx, &event, KMT_KMALLOC, arguments[0], arguments[1], arguments[4],
			       arguments[5], sizes.cache, sizes.allocated);
}

SEC("kprobe.multi")
int front_kmem_cache_alloc(struct pt_regs *ctx)
{
	uint64_t arguments[FRONT_ARGUMENTS];
	struct event_context event;

	if (!front_records(&event, KMT_COPIED_CACHE_ALLOC, ctx, arguments))
		return 0;
	announce_cache(arguments[2], arguments[1], false);
	return emit_allocation(ctx, &event, KMT_CACHE_ALLOC, arguments[0], arguments[1],
			       arguments[3], arguments[4], arguments[2], cache_size(arguments[2]));
}

#endif
#endif
#endif
