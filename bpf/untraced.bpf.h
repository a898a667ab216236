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
#define BYSTANDER_BITS 10

/* It begins a page, so that pages that are counted from it are those of stacks. */
uint64_t bystanders[1 << BYSTANDER_BITS] __attribute__((aligned(STACK_PAGE)));

static __always_inline uint64_t bystander_slot(uint64_t page)
{
	return page * 0x9e3779b97f4a7c15ULL >> (64 - BYSTANDER_BITS);
}

/* The verifier allows no arithmetic on a context but its distance: pages are counted from here. */
static __always_inline uint64_t bystander_distance(const void *context)
{
	return (const char *)context - (const char *)bystanders;
}

/* The current task is not wanted. Of a page that is not its own that is noted too, as ~page. */
static __noinline int note_bystander(const void *context)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	uint64_t distance = bystander_distance(context), page = distance / STACK_PAGE;
	uint64_t own = 0, begin, stack;

	bpf_probe_read_kernel(&own, sizeof(own), &context);
	begin = own - distance % STACK_PAGE;
	stack = (unsigned long)BPF_CORE_READ(task, stack);
	bystanders[bystander_slot(page)] = begin - stack <= STACK_BYTES - STACK_PAGE ? page : ~page;
	return 0;
}

/* As find_place(), of an event whose program has this context. */
static __always_inline bool find_place_by(struct place *place, const void *context)
{
	uint64_t page, noted;

	if (!wanted_tgid || !totals.bystanders)
		return find_place(place);
	page = bystander_distance(context) / STACK_PAGE;
	noted = bystanders[bystander_slot(page)];
	if (noted == page)
		return false;
	if (find_task(place))
		return find_cpu(place);
	if (noted != ~page)
		note_bystander(context);
	return false;
}

/* Before a new task runs. */
static __always_inline void welcome(struct task_struct *task)
{
	const void *table = bystanders;
	uint64_t page = 0, slot;

	if (!wanted_tgid || !is_wanted(BPF_CORE_READ(task, tgid)))
		return;
	bpf_probe_read_kernel(&page, sizeof(page), &table);
	page = ((unsigned long)BPF_CORE_READ(task, stack) - page) / STACK_PAGE;
	for (uint32_t i = 0; i <= STACK_BYTES / STACK_PAGE; i++, page++) {
		slot = bystander_slot(page);
		if (bystanders[slot] == page)
			bystanders[slot] = 0;
	}
}

#else

static __always_inline bool find_place_by(struct place *place, const void *context)
{
	return find_place(place);
}

#endif

#endif
