/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copies of the programs, for kernels that preempt a task in a tracepoint (7.x). While a preempted
 * task is in a program, the kernel skips that program for all other tasks on the CPU. So each
 * tracepoint has several equal programs there: a later copy records the events for which the
 * kernel skipped the earlier copies. A task may be preempted, and may move to another CPU, between
 * two copies of one event.
 *
 * The copy that records an event marks it first. A later copy records an event only if it finds no
 * mark of it. A copy that finds no room for a mark leaves the event to the last copy, which
 * records without a mark. So no event is recorded twice, and an event is skipped only if the kernel
 * skipped all copies, or a copy could not mark it and the kernel skipped the last copy.
 *
 * All copies get the same context for one event: the address of the tracepoint's arguments, which
 * are on the stack, also after the task has moved to another CPU. So marks belong to the page of
 * the stack that the context is in, not to a CPU. Each page has a line of words in a table. A word
 * holds the position of the context in the page, and a hash of the event.
 *
 * Events may nest on one stack: an interrupt; or a preempted task that continues, and first frees
 * the memory of the task that ran before it (finish_task_switch()). Stacks grow down. So a mark at
 * or below our own context is of an event that is over, and a mark above may be of an event in
 * flight. The words of a line are in the order of the stack, the highest first; a 0 ends them. A
 * new mark takes the word of the first mark that is over, or of the 0, and ends the line.
 *
 * E is an event; N is an event that interrupts E on the same stack and ends before E continues:
 *	N comes while E marks: N marks in E's word, or in a word before it. A mark that is before
 *	    E's and below N's context is of an event that is over, and so is N when E continues.
 *	    E writes its mark last.
 *	N comes between two of E's copies: E's mark is above N's context, and stays.
 * The mark of an event that is over may stay, if the kernel skipped the last copy for it. It can
 * only hide a later event of the same address, pointer and call site from later copies. That event
 * stays counted as skipped.
 *
 * A line is never given to another page: its mark could be of an event in flight.
 *
 * Later copies of a tracepoint record nothing until one of them has found a mark: on a kernel that
 * passes each program its own copy of the arguments, each event would be recorded several times.
 *
 * skipped = runs of first copies that the kernel skipped + deferred - events recorded by later
 * copies. Between its event number and its tag, a copy is not preempted: the records of a preempted
 * task would hold up the ring, and would have times before those of later records.
 */
#ifndef BPF_COPIES_BPF_H
#define BPF_COPIES_BPF_H

#if !defined(KMT_WITHOUT_BTF) && !defined(KMT_WITHOUT_FETCH)

extern void bpf_preempt_disable(void) __ksym __weak;
extern void bpf_preempt_enable(void) __ksym __weak;

#define MARK_LINE_BITS 14
#define MARK_LINE_WORDS 7
#define MARK_LINE_TRIES 4 /* lines that a page may have */

struct mark_line {
	uint64_t page; /* 0: unused */
	uint64_t words[MARK_LINE_WORDS];
};

/* In a section of its own: kmemtraced makes this map only for copies. */
struct mark_line mark_lines[1 << MARK_LINE_BITS] SEC(".bss.marks")
	__attribute__((aligned(STACK_PAGE)));

/* As untraced_distance(). The empty asm: clang would turn the difference into a mask of ctx. */
static __always_inline uint64_t mark_distance(const void *context)
{
	uint64_t distance = (const char *)context - (const char *)mark_lines;

	asm volatile("" : "+r"(distance));
	return distance;
}

/* Not 0; relative to the table. */
static __always_inline uint64_t mark_page(uint64_t distance)
{
	return distance / STACK_PAGE + 1;
}

static __always_inline uint64_t mark_slot(uint64_t page)
{
	return page * 0x9e3779b97f4a7c15ULL >> (64 - MARK_LINE_BITS);
}

static __always_inline uint64_t mark_position(uint64_t word)
{
	return word % STACK_PAGE;
}

/* Contexts are at multiples of 8; the 1 makes a word that is not 0. */
static __always_inline uint64_t mark_word(uint64_t distance, uint64_t event)
{
	return distance % STACK_PAGE | (event * 0x9e3779b97f4a7c15ULL & ~(STACK_PAGE - 1ULL)) | 1;
}

static __noinline struct mark_line *find_other_line(uint64_t page)
{
	uint64_t slot = mark_slot(page);

	for (uint32_t i = 1; i < MARK_LINE_TRIES; i++)
		if (mark_lines[slot ^ i].page == page)
			return &mark_lines[slot ^ i];
	return NULL;
}

static __always_inline struct mark_line *find_line(uint64_t distance)
{
	uint64_t page = mark_page(distance), slot = mark_slot(page);

	if (mark_lines[slot].page == page)
		return &mark_lines[slot];
	return find_other_line(page);
}

/*
 * The first unused line of the page's lines becomes the page's. Lines before it are in use, and
 * stay so: find_line() finds the same line from then on. NULL: all are in use.
 */
static __noinline struct mark_line *claim_line(uint64_t distance)
{
	uint64_t page = mark_page(distance), slot = mark_slot(page);

	for (uint32_t i = 0; i < MARK_LINE_TRIES; i++) {
		struct mark_line *line = &mark_lines[slot ^ i];

		if (!line->page)
			__sync_val_compare_and_swap(&line->page, 0, page);
		/* an interrupt may have claimed it for the same page */
		if (line->page == page)
			return line;
	}
	return NULL;
}

static __always_inline bool is_over(uint64_t mark, uint64_t own)
{
	return !mark || mark_position(mark) <= mark_position(own);
}

static __noinline bool mark_other_word(struct mark_line *line, uint64_t word)
{
	volatile uint64_t *words;

	if (!line)
		return false;
	words = line->words;
	for (uint32_t i = 1; i < MARK_LINE_WORDS; i++) {
		if (!is_over(words[i], word))
			continue;
		if (i + 1 < MARK_LINE_WORDS)
			words[i + 1] = 0;
		words[i] = word;
		return true;
	}
	return false;
}

/* Marks an event. False: there is no room. event: a number that other events rarely have. */
static __always_inline bool mark_event(const void *context, uint64_t event)
{
	uint64_t distance = mark_distance(context), word = mark_word(distance, event);
	struct mark_line *line = find_line(distance);
	volatile uint64_t *words;

	if (!line)
		line = claim_line(distance);
	if (!line)
		return false;
	words = line->words;
	if (!is_over(words[0], word))
		return mark_other_word(line, word);
	words[1] = 0;
	words[0] = word;
	return true;
}

static __noinline bool find_other_word(struct mark_line *line, uint64_t word, bool clear)
{
	volatile uint64_t *words;

	if (!line)
		return false;
	words = line->words;
	for (uint32_t i = 1; i < MARK_LINE_WORDS; i++) {
		uint64_t other = words[i];

		if (!other)
			return false;
		if (other != word)
			continue;
		if (clear)
			words[i] = 0;
		return true;
	}
	return false;
}

static __always_inline bool is_marked(const void *context, uint64_t event, bool clear)
{
	uint64_t distance = mark_distance(context), word = mark_word(distance, event);
	struct mark_line *line = find_line(distance);
	volatile uint64_t *words;

	if (!line)
		return false;
	words = line->words;
	if (words[0] != word)
		return words[0] && find_other_word(line, word, clear);
	if (clear)
		words[0] = 0;
	return true;
}

/*
 * Called by copy number n of a tracepoint. Returns true if it must record the event; then event is
 * set.
 */
static __always_inline bool copy_records(struct event_context *event, enum kmt_copied_kind kind,
					 const uint32_t n, struct bpf_raw_tracepoint_args *ctx)
{
	uint64_t id = ctx->args[1] ^ ctx->args[0] << 20 ^ kind;
	bool last = n == last_copy;

	if (n == 1) {
		if (!find_context_by_stack(event, ctx))
			return false;
		if (mark_event(ctx, id))
			return true;
		__sync_fetch_and_add(&event->control->deferred, 1);
		return false;
	}
	if (traced_tgid && !find_traced_task(event))
		return false;
	if (is_marked(ctx, id, last)) {
		if (!totals.copy_matched[kind])
			totals.copy_matched[kind] = 1;
		return false;
	}
	if (!totals.copy_matched[kind] || (!last && !mark_event(ctx, id)) || !find_cpu(event))
		return false;
	find_traced_task(event);
	if (kind < KMT_COPIED_FREES)
		__sync_fetch_and_add(&event->control->from_backup, 1);
	else
		__sync_fetch_and_add(&event->control->from_copies, 1);
	return true;
}

/* (call_site, ptr) */
static __always_inline int copy_kfree(struct bpf_raw_tracepoint_args *ctx, const uint32_t n)
{
	struct event_context event;

	if (!copy_records(&event, KMT_COPIED_KFREE, n, ctx))
		return 0;
	bpf_preempt_disable();
	emit_free(&event, n == 1 ? KMT_KFREE : KMT_BACKUP_KFREE, ctx, 0);
	bpf_preempt_enable();
	return 0;
}

/* (call_site, ptr, cache) */
static __always_inline int copy_cache_free(struct bpf_raw_tracepoint_args *ctx, const uint32_t n)
{
	struct event_context event;

	if (n == 1)
		forget_cache(ctx->args[1]);
	if (!copy_records(&event, KMT_COPIED_CACHE_FREE, n, ctx))
		return 0;
	if (n > 1)
		forget_cache(ctx->args[1]);
	announce_cache(ctx->args[2], ctx->args[1], true);
	bpf_preempt_disable();
	emit_free(&event, n == 1 ? KMT_CACHE_FREE : KMT_BACKUP_CACHE_FREE, ctx, ctx->args[2]);
	bpf_preempt_enable();
	return 0;
}

/* (call_site, ptr, bytes_req, bytes_alloc, gfp_flags, node) */
static __always_inline int copy_kmalloc(struct bpf_raw_tracepoint_args *ctx, const uint32_t n)
{
	struct kmt_record sizes = {};
	struct event_context event;

	if (!copy_records(&event, KMT_COPIED_KMALLOC, n, ctx))
		return 0;
	sizes.requested = size_saturated(ctx->args[2]);
	sizes.allocated = size_saturated(ctx->args[3]);
	bpf_preempt_disable();
	emit(&event, KMT_KMALLOC, ctx->args[0], ctx->args[1], ctx->args[4], ctx->args[5],
	     sizes.cache);
	bpf_preempt_enable();
	return 0;
}

/* (call_site, ptr, cache, gfp_flags, node) */
static __always_inline int copy_cache_alloc(struct bpf_raw_tracepoint_args *ctx, const uint32_t n)
{
	struct event_context event;

	if (!copy_records(&event, KMT_COPIED_CACHE_ALLOC, n, ctx))
		return 0;
	announce_cache(ctx->args[2], ctx->args[1], false);
	bpf_preempt_disable();
	emit(&event, KMT_CACHE_ALLOC, ctx->args[0], ctx->args[1], ctx->args[3], ctx->args[4],
	     ctx->args[2]);
	bpf_preempt_enable();
	return 0;
}

/* The programs of copy n, named as attach_plan.programs. */
#define COPY(n)                                                       \
	SEC("raw_tp/kfree")                                           \
	int kfree_##n(struct bpf_raw_tracepoint_args *ctx)            \
	{                                                             \
		return copy_kfree(ctx, n);                            \
	}                                                             \
	SEC("raw_tp/kmem_cache_free")                                 \
	int kmem_cache_free_##n(struct bpf_raw_tracepoint_args *ctx)  \
	{                                                             \
		return copy_cache_free(ctx, n);                       \
	}                                                             \
	SEC("raw_tp/kmalloc")                                         \
	int kmalloc_##n(struct bpf_raw_tracepoint_args *ctx)          \
	{                                                             \
		return copy_kmalloc(ctx, n);                          \
	}                                                             \
	SEC("raw_tp/kmem_cache_alloc")                                \
	int kmem_cache_alloc_##n(struct bpf_raw_tracepoint_args *ctx) \
	{                                                             \
		return copy_cache_alloc(ctx, n);                      \
	}

COPY(1)
COPY(2)
COPY(3)
COPY(4)
_Static_assert(KMT_COPIES == 4, "all copies are here");

#endif
#endif
