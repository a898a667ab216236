// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the keys and counts, and makes a record of each. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "analysis/fields/counted.h"
#include "base/array.h"
#include "kernel/record_kinds.h"
#include "tracer/live_counts.h"

/* Objects get addresses that no other count has. */
#define FIRST_POINTER 0x100000
#define POINTER_STEP 4096

#define LAST_PARTS (KMT_COUNT_LAST | KMT_COUNT_VICTIM)
#define TASK_PARTS (KMT_COUNT_TID | KMT_COUNT_PID)

static uint32_t word_count(uint32_t parts)
{
	return !!(parts & KMT_COUNT_HEAD) + !!(parts & KMT_COUNT_SITE) + !!(parts & LAST_PARTS) +
	       !!(parts & TASK_PARTS) + !!(parts & KMT_COUNT_UID) + 2 * !!(parts & KMT_COUNT_COMM);
}

void live_counts_set(struct count_settings *settings, uint32_t parts)
{
	uint32_t words = word_count(parts);

	settings->parts = parts;
	/* a key has at least one word: 0, if all events have the same key */
	settings->key_size = (words ? words : 1) * (uint32_t)sizeof(uint64_t);
	settings->head = (parts & KMT_COUNT_KIND ? 0xffULL : 0) |
			 (parts & KMT_COUNT_OBJECT ? 3ULL << 8 : 0) |
			 (parts & KMT_COUNT_MODE ? 3ULL << 10 : 0) |
			 (parts & KMT_COUNT_NODE ? 0xffffULL << 16 : 0) |
			 (parts & KMT_COUNT_GFP ? 0xffffffffULL << 32 : 0);
	settings->task = (parts & KMT_COUNT_TID ? 0xffffffffULL : 0) |
			 (parts & KMT_COUNT_PID ? 0xffffffffULL << 32 : 0);
}

uint32_t live_counts_slots(const struct rings *rings, uint32_t groups)
{
	uint32_t slots = 1;

	while (2 * slots <= groups && 2 * slots * sizeof(struct kmt_count_slot) <=
					      rings->slots * sizeof(struct kmt_record))
		slots *= 2;
	return slots;
}

/* Adds the count of a key on one CPU. */
static int add_live_count(struct live_counts *counts, const uint64_t *key,
			  const struct kmt_count *value, uint32_t cpu)
{
	struct live_count *list;

	if (!value->events)
		return 0;
	list = array_grow(counts->list, counts->count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	counts->list = list;
	list += counts->count++;
	*list = (struct live_count){ .time = value->since, .events = value->events, .cpu = cpu };
	memcpy(list->key, key, sizeof(list->key));
	return 0;
}

/* The slots behind the table stay empty. */
static int read_table(struct live_counts *counts, const struct rings *rings, uint32_t cpu)
{
	const struct kmt_count_slot *table = (const void *)rings->list[cpu].slots;
	int err = 0;

	for (uint32_t i = 0; table && i < live_counts_slots(rings, UINT32_MAX) && !err; i++)
		err = add_live_count(counts, table[i].key, &table[i].count, cpu);
	return err;
}

static int read_map(struct live_counts *counts, int map_fd, unsigned int cpus)
{
	uint64_t key[KMT_COUNT_WORDS] = { 0 }, *previous = NULL;
	struct kmt_count *values = calloc(cpus, sizeof(*values));
	int err = values ? 0 : -ENOMEM;
	uint64_t since = 0;

	while (!err && !bpf_map_get_next_key(map_fd, previous, key)) {
		previous = key;
		if (bpf_map_lookup_elem(map_fd, key, values))
			err = -errno;
		/* only the CPU of the first event has its time */
		for (unsigned int i = 0; i < cpus; i++)
			if (values[i].since)
				since = values[i].since;
		for (unsigned int i = 0; i < cpus && !err; i++) {
			values[i].since = since;
			err = add_live_count(counts, key, &values[i], i);
		}
	}
	free(values);
	return err;
}

static int compare_keys(const struct live_count *a, const struct live_count *b)
{
	return memcmp(a->key, b->key, sizeof(a->key));
}

/* By key; then by time or, if the query asks for CPUs, by CPU. */
static int compare_counts(const void *left, const void *right, void *data)
{
	const struct live_counts *counts = data;
	const struct live_count *a = left, *b = right;
	int order = compare_keys(a, b);

	if (!order && counts->parts & COUNTED_CPU)
		order = (a->cpu > b->cpu) - (a->cpu < b->cpu);
	return order ? order : (a->time > b->time) - (a->time < b->time);
}

static int compare_times(const void *left, const void *right)
{
	const struct live_count *a = left, *b = right;

	return a->time != b->time ? (a->time > b->time) - (a->time < b->time) : compare_keys(a, b);
}

/* Adds the counts of one key, or of one key and CPU; gives each a time of its own. */
static void merge_live_counts(struct live_counts *counts, uint64_t begin)
{
	struct live_count *list = counts->list, *last = NULL;
	size_t count = 0;

	qsort_r(list, counts->count, sizeof(*list), compare_counts, counts);
	for (size_t i = 0; i < counts->count; i++) {
		if (last && !compare_keys(last, &list[i]) &&
		    (!(counts->parts & COUNTED_CPU) || last->cpu == list[i].cpu)) {
			last->events += list[i].events;
			continue;
		}
		last = &list[count++];
		*last = list[i];
		if (last->time < begin)
			last->time = begin;
	}
	counts->count = count;
	qsort(list, count, sizeof(*list), compare_times);
	for (size_t i = 1; i < count; i++)
		if (list[i].time <= list[i - 1].time)
			list[i].time = list[i - 1].time + 1;
}

int live_counts_read(struct live_counts *counts, const struct rings *rings, int map_fd,
		     uint64_t begin)
{
	int err = read_map(counts, map_fd, rings->possible_cpus);

	for (uint32_t i = 0; i < rings->possible_cpus && !err; i++)
		err = read_table(counts, rings, i);
	if (!err && counts->count)
		merge_live_counts(counts, begin);
	return err;
}

void live_counts_deinit(struct live_counts *counts)
{
	free(counts->list);
}

/* The next word of the key; 0 if the key has none of the parts. */
static uint64_t next_word(const struct live_counts *counts, const uint64_t **at, uint32_t parts)
{
	return counts->parts & parts ? *(*at)++ : 0;
}

void live_counts_record(const struct live_counts *counts, size_t index, struct kmt_record *record)
{
	const struct live_count *count = &counts->list[index];
	const uint64_t *at = count->key;
	uint64_t head = next_word(counts, &at, KMT_COUNT_HEAD);
	struct task task;

	live_counts_describe_task(counts, index, &task);
	memset(record, 0, sizeof(*record));
	record->time = count->time;
	record->id = counts->parts & KMT_COUNT_KIND ? (uint8_t)head : KMT_KFREE;
	record->words = KMT_RECORD_WORDS;
	record->node = counts->parts & KMT_COUNT_NODE ? (int16_t)(head >> 16) : KMT_NODE_ANY;
	record->gfp = (uint32_t)(head >> 32);
	record->pointer = FIRST_POINTER + index * POINTER_STEP;
	if (counts->parts & KMT_COUNT_OBJECT && (head >> 8 & 3) < 2)
		record->pointer = (head >> 8 & 3) * KMT_ZERO_SIZE_PTR;
	record->call_site = next_word(counts, &at, KMT_COUNT_SITE);
	record->cache = next_word(counts, &at, LAST_PARTS);
	if (!(counts->parts & KMT_COUNT_LAST) && record->id != KMT_OOM_KILL)
		record->cache = (head >> 10 & 3) << 32;
	record->task = task.tid;
}

/* Without the thread, each count has a task of its own, with a number that no thread has. */
void live_counts_describe_task(const struct live_counts *counts, size_t index, struct task *task)
{
	const struct live_count *count = &counts->list[index];
	const uint64_t *at = count->key;
	uint64_t ids, uid;

	at += !!(counts->parts & KMT_COUNT_HEAD) + !!(counts->parts & KMT_COUNT_SITE) +
	      !!(counts->parts & LAST_PARTS);
	ids = next_word(counts, &at, TASK_PARTS);
	uid = next_word(counts, &at, KMT_COUNT_UID);
	*task = (struct task){
		.tid = counts->parts & KMT_COUNT_TID ? (uint32_t)ids : UINT32_MAX - (uint32_t)index,
		.tgid = (uint32_t)(ids >> 32),
		.since = count->time,
		.has_uid = counts->parts & KMT_COUNT_UID,
		.uid = (uint32_t)uid,
	};
	if (counts->parts & KMT_COUNT_COMM)
		memcpy(task->comm, at, sizeof(task->comm) - 1);
}

static int compare_time(const void *key, const void *element)
{
	const uint64_t *time = key;
	const struct live_count *count = element;

	return (*time > count->time) - (*time < count->time);
}

uint64_t live_counts_weight(const struct live_counts *counts, uint64_t time)
{
	const struct live_count *count =
		bsearch(&time, counts->list, counts->count, sizeof(*counts->list), compare_time);

	return count ? count->events : 0;
}
