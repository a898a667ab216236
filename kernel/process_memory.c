// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The memory of processes by process id and time. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"
#include "kernel/process_memory.h"

bool process_pages_parse(struct process_pages *pages, const char *text)
{
	struct line line;
	uint64_t library;

	return line_next(&line, &text) && line_u64(&line, 10, &pages->size) &&
	       line_u64(&line, 10, &pages->resident) && line_u64(&line, 10, &pages->shared) &&
	       line_u64(&line, 10, &pages->text) && line_u64(&line, 10, &library) &&
	       line_u64(&line, 10, &pages->data);
}

int process_memory_write(FILE *file, const struct process_memory *memory)
{
	const struct process_pages *pages = &memory->pages;

	if (memory->is_gone)
		fprintf(file, "gone %" PRIu32 " %" PRIu64 "\n", memory->pid, memory->time);
	else
		fprintf(file,
			"statm %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
			" %" PRIu64 "\n",
			memory->pid, memory->time, pages->size, pages->resident, pages->shared,
			pages->text, pages->data);
	return text_write_result(file);
}

int process_reading_write(FILE *file, const struct process_reading *reading)
{
	fprintf(file, "reading %" PRIu64 " %" PRIu64 "\n", reading->begin, reading->end);
	return text_write_result(file);
}

/* Only a damaged table has two lines of one process and time: any order, but always the same. */
static int compare_pages(const struct process_pages *left, const struct process_pages *right)
{
	const uint64_t a[] = { left->size, left->resident, left->shared, left->text, left->data },
		       b[] = { right->size, right->resident, right->shared, right->text,
			       right->data };

	for (size_t i = 0; i < sizeof(a) / sizeof(a[0]); i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static int compare_memories(const void *left, const void *right)
{
	const struct process_memory *a = left, *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->is_gone != b->is_gone)
		return a->is_gone ? -1 : 1;
	return compare_pages(&a->pages, &b->pages);
}

static int compare_readings(const void *left, const void *right)
{
	const struct process_reading *a = left, *b = right;

	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return (a->begin > b->begin) - (a->begin < b->begin);
}

static bool parse_memory(struct process_memory *memory, struct line *line)
{
	struct process_pages *pages = &memory->pages;

	memory->is_gone = line_key(line, "gone");
	if (!memory->is_gone && !line_key(line, "statm"))
		return false;
	if (!line_u32(line, &memory->pid) || !line_u64(line, 10, &memory->time))
		return false;
	return memory->is_gone ||
	       (line_u64(line, 10, &pages->size) && line_u64(line, 10, &pages->resident) &&
		line_u64(line, 10, &pages->shared) && line_u64(line, 10, &pages->text) &&
		line_u64(line, 10, &pages->data));
}

static int add_memory(struct process_memories *memories, const struct process_memory *memory)
{
	struct process_memory *list = array_grow(memories->list, memories->count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	memories->list = list;
	list[memories->count++] = *memory;
	return 0;
}

static int add_reading(struct process_memories *memories, const struct process_reading *reading)
{
	struct process_reading *list =
		array_grow(memories->readings, memories->reading_count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	memories->readings = list;
	list[memories->reading_count++] = *reading;
	return 0;
}

int process_memories_parse(struct process_memories *memories, const char *text)
{
	struct line line;
	int err = 0;

	*memories = (struct process_memories){ 0 };
	while (!err && line_next(&line, &text)) {
		struct process_memory memory = { 0 };
		struct process_reading reading;

		if (parse_memory(&memory, &line))
			err = add_memory(memories, &memory);
		else if (line_key(&line, "reading") && line_u64(&line, 10, &reading.begin) &&
			 line_u64(&line, 10, &reading.end) && reading.begin <= reading.end)
			err = add_reading(memories, &reading);
	}
	if (err) {
		process_memories_deinit(memories);
		return err;
	}
	if (memories->count)
		qsort(memories->list, memories->count, sizeof(*memories->list), compare_memories);
	if (memories->reading_count)
		qsort(memories->readings, memories->reading_count, sizeof(*memories->readings),
		      compare_readings);
	return 0;
}

void process_memories_deinit(struct process_memories *memories)
{
	free(memories->list);
	free(memories->readings);
	*memories = (struct process_memories){ 0 };
}

const struct process_memory *process_memories_find(const struct process_memories *memories,
						   uint32_t pid, uint64_t time)
{
	size_t low = 0, high = memories->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct process_memory *memory = &memories->list[middle];

		if (memory->pid < pid || (memory->pid == pid && memory->time <= time))
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || memories->list[low - 1].pid != pid || memories->list[low - 1].is_gone)
		return NULL;
	return &memories->list[low - 1];
}

uint64_t process_memories_read_since(const struct process_memories *memories,
				     const struct process_memory *memory, uint64_t time)
{
	size_t low = 0, high = memories->reading_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (memories->readings[middle].end <= time)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || memories->readings[low - 1].begin < memory->time)
		return memory->time;
	return memories->readings[low - 1].begin;
}
