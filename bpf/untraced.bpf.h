/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The untraced-task table of -p: recognizes tasks of other processes by the stack that their
 * events are on. To ask the kernel for the current process takes a helper call; where helper calls
 * are slow, that call would be most of the cost that -p adds to other processes.
 *
 * While events are counted by a key without a task, the table has the tasks that are not
 * kmemtraced's: all of their events are counted, and no helper call is needed to find out.
 *
 * The context of a tracepoint's programs, its arguments, is on the stack. While a stack belongs to
 * a task, that task is current for the code that runs on the stack. So it is enough to store once,
 * for a page of the current task's own stack, that the task is not traced. (An interrupt runs
 * either on the task's stack, and then the task is current, or on an interrupt stack that was
 * allocated earlier. kmemtraced does not use the table where this is not certain.) The kernel
 * reuses the stack of a task that has ended. If the new task is traced, the entries of its pages
 * are invalidated before it runs. A task never changes its process.
 *
 * An entry holds the whole page number, so it is correct whichever of two stores comes last.
 */
#ifndef BPF_UNTRACED_BPF_H
#define BPF_UNTRACED_BPF_H

#ifndef KMT_WITHOUT_BTF

#define STACK_BYTES 16384 /* the smallest stack of a 64-bit kernel */
#define STACK_PAGE 4096
#define UNTRACED_BITS 10

/* Page-aligned, so that page numbers relative to this table are whole pages of stacks. */
uint64_t untraced_stacks[1 << UNTRACED_BITS] __attribute__((aligned(STACK_PAGE)));

static __always_inline uint64_t untraced_slot(uint64_t page)
{
	return page * 0x9e3779b97f4a7c15ULL >> (64 - UNTRACED_BITS);
}

/*
 * Bytes from the table to the context. The verifier allows no arithmetic on a context other than a
 * difference of pointers.
 */
static __always_inline uint64_t untraced_distance(const void *context)
{
	return (const char *)context - (const char *)untraced_stacks;
}

/*
 * Called when the current task is not traced. Stores the page of the context if the page belongs to
 * the task's own stack; otherwise ~page, so that the next event in this page does not check again.
 */
static __noinline int store_untraced_stack(const void *context)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	uint64_t distance = untraced_distance(context), page = distance / STACK_PAGE;
	uint64_t own = 0, begin, stack;

	bpf_probe_read_kernel(&own, sizeof(own), &context);
	begin = own - distance % STACK_PAGE;
	stack = (unsigned long)BPF_CORE_READ(task, stack);
	untraced_stacks[untraced_slot(page)] = begin - stack <= STACK_BYTES - STACK_PAGE ? page
											 : ~page;
	return 0;
}

/*
 * Like find_context(), for an event whose program has this context; may answer from the table. With
 * KMT_TABLE_OF_OTHERS, the ids of a task that is not kmemtraced's may be 0.
 */
static __always_inline bool find_context_by_stack(struct event_context *event, const void *context)
{
	const uint32_t table = task_table; /* one load */
	const bool others = table == KMT_TABLE_OF_OTHERS;
	uint64_t page, entry;

	if (table == KMT_TABLE_NONE || !totals.untraced_table_valid)
		return find_context(event);
	page = untraced_distance(context) / STACK_PAGE;
	entry = untraced_stacks[untraced_slot(page)];
	if (others && entry == page) {
		event->ids = 0;
		return find_cpu(event);
	}
	if (entry == page)
		return false;
	if (find_traced_task(event) && (!others || event->ids >> 32 == count_own_tgid))
		return find_cpu(event);
	if (entry != ~page)
		store_untraced_stack(context);
	return others && find_cpu(event);
}

/* The tasks of these processes must not be in the table. */
static __always_inline bool is_never_in_table(uint32_t tgid)
{
	return task_table == KMT_TABLE_OF_OTHERS     ? tgid == count_own_tgid
	       : task_table == KMT_TABLE_OF_UNTRACED ? is_traced(tgid)
						     : false;
}

/* Called before the new task runs. */
static __always_inline void invalidate_untraced_stack(struct task_struct *task)
{
	const void *table = untraced_stacks;
	uint64_t page = 0, slot;

	if (!is_never_in_table(BPF_CORE_READ(task, tgid)))
		return;
	bpf_probe_read_kernel(&page, sizeof(page), &table);
	page = ((unsigned long)BPF_CORE_READ(task, stack) - page) / STACK_PAGE;
	for (uint32_t i = 0; i <= STACK_BYTES / STACK_PAGE; i++, page++) {
		slot = untraced_slot(page);
		if (untraced_stacks[slot] == page)
			untraced_stacks[slot] = 0;
	}
}

#else

static __always_inline bool find_context_by_stack(struct event_context *event, const void *context)
{
	return find_context(event);
}

#endif

#endif
