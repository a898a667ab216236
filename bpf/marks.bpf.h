/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The in-flight marks of copies (copies.bpf.h) and front programs (front.bpf.h). All copies get the
 * same context for one event: the address of the tracepoint's arguments, which are on the stack,
 * also after the task has moved to another CPU. So marks belong to the page of the stack that the
 * context is in, not to a CPU. Each page has a line of words in a table. A word holds the position
 * of the context in the page, and a hash of the event.
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
 *	N comes between two of E's programs: E's mark is above N's context, and stays.
 * The mark of an event that is over may stay, if the kernel skipped the last copy for it. It can
 * only hide a later event of the same address, pointer and call site from later copies. That event
 * stays counted as skipped.
 *
 * Such marks can fill a line. Then a task that may be preempted empties it: an event that nests in
 * another on the stack of a task is in an interrupt, or in the scheduler, which a task enters and
 * leaves with preemption off. (And no program allocates memory: its maps do so in advance.)
 *
 * A line is never given to another page: its mark could be of an event in flight.
 */
#ifndef BPF_MARKS_BPF_H
#define BPF_MARKS_BPF_H

#ifdef KMT_WITH_COPIES

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

static __noinline bool mark_other_word(struct mark_line *line, uint64_t word, uint32_t base_count)
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
	if (preempt_count() != base_count)
		return false;
	words[1] = 0;
	words[0] = word;
	return true;
}

/*
 * Marks an event whose context is at this distance. False: there is no room. event: see mark_id().
 * base_count: the preempt count that the program has at events of tasks that may be preempted.
 */
static __always_inline bool mark_event(uint64_t distance, uint64_t event, uint32_t base_count)
{
	uint64_t word = mark_word(distance, event);
	struct mark_line *line = find_line(distance);
	volatile uint64_t *words;

	if (!line)
		line = claim_line(distance);
	if (!line)
		return false;
	words = line->words;
	if (!is_over(words[0], word))
		return mark_other_word(line, word, base_count);
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

static __always_inline bool is_marked(uint64_t distance, uint64_t event, bool clear)
{
	uint64_t word = mark_word(distance, event);
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

/* A number that few other events have. */
static __always_inline uint64_t mark_id(uint64_t call_site, uint64_t pointer,
					enum kmt_copied_kind kind)
{
	return pointer ^ call_site << 20 ^ kind;
}

#endif
#endif
