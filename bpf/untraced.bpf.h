/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tasks that nobody wants, known by the stack that their events are on: to ask the kernel for the
 * current process is a call, and where calls are slow it would be most of what -p costs them.
 *
 * The arguments of a tracepoint, the context of its programs, lie on the stack. While a stack is a
 * task's, code that runs on it has this task for its current one; so of a page that lies within
 * the current task's own stack it is enough to note once that the task is not wanted. (Interrupts
 * run on the task's stack, and then it is current; or on one of their own that was made before:
 * kmemtraced lets this be where that is not sure.) The stack of a task that has ended goes to
 * another: if that one is wanted, its pages are wiped before it runs. A task never changes its
 * process.
 *
 * Entries are told apart by the whole number of the page, so whichever of two stores to one entry
 * comes last, it is true.
 */
#ifndef BPF_UNTRACED_BPF_H
#define BPF_UNTRACED_BPF_H

#ifndef KMT_WITHOUT_BTF

#define STACK_BYTES 16384 /* at least, of a 64-bit kernel */
#define STACK_PAGE 4096
#define UNTRACED_BITS 10

/* It begins a page, so that pages that are counted from it are those of stacks. */
uint64_t untraced_stacks[1 << UNTRACED_BITS] __attribute__((aligned(STACK_PAGE)));

static __always_inline uint64_t untraced_slot(uint64_t page)
{
	return page * 0x9e3779b97f4a7c15ULL >> (64 - UNTRACED_BITS);
}

/* The verifier allows no arithmetic on a context but its distance: pages are counted from here. */
static __always_inline uint64_t untraced_distance(const void *context)
{
	return (const char *)context - (const char *)untraced_stacks;
}

/* The current task is not wanted. Of a page that is not its own that is noted too, as ~page. */
static __noinline int cache_untraced_stack(const void *context)
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

/* As find_context(), of an event whose program has this context. */
static __always_inline bool find_context_cached(struct event_context *event, const void *context)
{
	uint64_t page, noted;

	if (!traced_tgid || !totals.untraced_cache_valid)
		return find_context(event);
	page = untraced_distance(context) / STACK_PAGE;
	noted = untraced_stacks[untraced_slot(page)];
	if (noted == page)
		return false;
	if (find_task(event))
		return find_cpu(event);
	if (noted != ~page)
		cache_untraced_stack(context);
	return false;
}

/* Before a new task runs. */
static __always_inline void invalidate_untraced_stack(struct task_struct *task)
{
	const void *table = untraced_stacks;
	uint64_t page = 0, slot;

	if (!traced_tgid || !is_traced(BPF_CORE_READ(task, tgid)))
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

static __always_inline bool find_context_cached(struct event_context *event, const void *context)
{
	return find_context(event);
}

#endif

#endif
