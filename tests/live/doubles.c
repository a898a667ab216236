// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds frees that two programs recorded: doubles DIR. These are two records in a row of one
 * object, both frees, by the same call site, task and CPU, one of them by a backup program. Also
 * counts such pairs without a backup program, which only an allocation between them that was not
 * recorded can explain.
 */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "capture/merge.h"

#define NEAR 10000 /* ns: the two programs run one after the other, except for an interrupt */

/* The last event of each object, by pointer: a hash table with open addressing. */
struct table {
	struct event *events; /* pointer 0: a free slot */
	size_t size, used;    /* size is a power of two */
};

static struct event *find_event(struct event *events, size_t size, uint64_t pointer)
{
	size_t at = pointer * 0x9e3779b97f4a7c15 >> 20;

	while (events[at & (size - 1)].pointer && events[at & (size - 1)].pointer != pointer)
		at++;
	return &events[at & (size - 1)];
}

static int grow_table(struct table *table)
{
	size_t size = table->size ? 2 * table->size : 1 << 16;
	struct event *events = calloc(size, sizeof(*events));

	if (!events)
		return -1;
	for (size_t i = 0; i < table->size; i++)
		if (table->events[i].pointer)
			*find_event(events, size, table->events[i].pointer) = table->events[i];
	free(table->events);
	table->events = events;
	table->size = size;
	return 0;
}

static bool is_from_backup(const struct event *event)
{
	return event->id == KMT_BACKUP_KFREE || event->id == KMT_BACKUP_CACHE_FREE;
}

/* The tracepoint of a free, as the id of its first program's record; 0: not a free. */
static uint8_t free_of(const struct event *event)
{
	if (event->id == KMT_KFREE || event->id == KMT_BACKUP_KFREE)
		return KMT_KFREE;
	if (event->id == KMT_CACHE_FREE || event->id == KMT_BACKUP_CACHE_FREE)
		return KMT_CACHE_FREE;
	return 0;
}

struct counts {
	uint64_t from_backup, doubles, unseen;
};

static void compare_frees(const struct event *last, const struct event *event,
			  struct counts *counts)
{
	if (!last->pointer || !free_of(event) || free_of(last) != free_of(event) ||
	    last->cpu != event->cpu || last->task != event->task ||
	    last->call_site != event->call_site || event->time - last->time > NEAR)
		return;
	if (is_from_backup(last) || is_from_backup(event)) {
		counts->doubles++;
		printf("double 0x%" PRIx64 " cpu%u, numbers %" PRIu32 " and %" PRIu32 ", %" PRIu64
		       " ns apart\n",
		       event->pointer, event->cpu, last->sequence, event->sequence,
		       event->time - last->time);
	} else {
		counts->unseen++;
	}
}

int main(int argc, char **argv)
{
	struct table table = { 0 };
	struct counts counts = { 0 };
	const struct event *events;
	struct capture capture;
	struct merge *merge;
	int got;

	if (argc != 2 || capture_open(&capture, argv[1]) || merge_open(&merge, &capture, 1, 0))
		return 2;
	while ((got = merge_next(merge, &events)) > 0)
		for (int i = 0; i < got; i++) {
			struct event *last;

			counts.from_backup += is_from_backup(&events[i]);
			if (!event_has_object(&events[i]))
				continue;
			if (2 * table.used >= table.size && grow_table(&table))
				return 2;
			last = find_event(table.events, table.size, events[i].pointer);
			table.used += !last->pointer;
			compare_frees(last, &events[i], &counts);
			*last = events[i];
		}
	merge_close(merge);
	capture_close(&capture);
	free(table.events);
	printf("from_backup %" PRIu64 "\ndoubles %" PRIu64 "\nunseen %" PRIu64 "\n",
	       counts.from_backup, counts.doubles, counts.unseen);
	return got ? 2 : 0;
}
