// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Events that wait for their stacks. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/import/dat_stacks.h"
#include "kernel/possible.h"
#include "kernel/stacks.h"

#define HELD_MAX 4096
/* ftrace writes a stack some microseconds after its event; longer, if the machine stops meanwhile.
 */
#define WAIT_NS 10000000

struct held_dat_event {
	struct import_event event;
	char cache[DAT_CACHE_NAME];
	uint64_t frames[STACK_FRAMES_MAX];
};

int dat_stacks_init(struct dat_stacks *stacks, struct tep_handle *tep)
{
	*stacks = (struct dat_stacks){
		.event = tep_find_event_by_name(tep, "ftrace", "kernel_stack"),
		.word_bytes = (unsigned int)tep_get_long_size(tep),
	};
	if (stacks->event)
		stacks->caller = tep_find_any_field(stacks->event, "caller");
	if (!stacks->caller || (stacks->word_bytes != 4 && stacks->word_bytes != 8)) {
		stacks->event = NULL;
		return 0;
	}
	stacks->held = calloc(HELD_MAX, sizeof(*stacks->held));
	return stacks->held ? 0 : -ENOMEM;
}

void dat_stacks_deinit(struct dat_stacks *stacks)
{
	free(stacks->held);
	stacks->held = NULL;
}

bool dat_stacks_is(const struct dat_stacks *stacks, const struct tep_event *event)
{
	return event && stacks->event && stacks->event->id == event->id;
}

static struct held_dat_event *get_held(const struct dat_stacks *stacks, size_t index)
{
	return &stacks->held[(stacks->first + index) % HELD_MAX];
}

static int release_first(struct dat_stacks *stacks, struct import_target *target)
{
	struct held_dat_event *held = get_held(stacks, 0);

	held->event.has_stack = stacks->seen;
	stacks->first = (stacks->first + 1) % HELD_MAX;
	stacks->count--;
	return import_target_put_event(target, &held->event);
}

/* Imports events from the first on that have a stack, or waited long before this time. */
static int release_old(struct dat_stacks *stacks, struct import_target *target, uint64_t time)
{
	int err = 0;

	while (!err && stacks->count) {
		const struct held_dat_event *held = get_held(stacks, 0);

		if (!held->event.frame_count && stacks->count < HELD_MAX &&
		    (time < held->event.time || time - held->event.time < WAIT_NS))
			break;
		err = release_first(stacks, target);
	}
	return err;
}

int dat_stacks_put(struct dat_stacks *stacks, struct import_target *target,
		   const struct import_event *event)
{
	struct held_dat_event *held;
	int err;

	if (!stacks->event)
		return import_target_put_event(target, event);
	err = release_old(stacks, target, event->time);
	if (err)
		return err;
	held = get_held(stacks, stacks->count++);
	held->event = *event;
	if (event->cache) {
		snprintf(held->cache, sizeof(held->cache), "%s", event->cache);
		held->event.cache = held->cache;
	}
	held->event.frames = held->frames;
	return 0;
}

/* Without the -1 at the end of a stack, and for ftrace's own trampoline. */
static uint32_t read_frames(const struct dat_stacks *stacks, const struct import_target *target,
			    const struct tep_record *record, uint64_t frames[STACK_FRAMES_MAX])
{
	const char *data = record->data;
	uint32_t count = 0;

	for (int at = stacks->caller->offset;
	     at >= 0 && count < STACK_FRAMES_MAX && at + (int)stacks->word_bytes <= record->size;
	     at += (int)stacks->word_bytes) {
		uint64_t address =
			tep_read_number(stacks->event->tep, data + at, (int)stacks->word_bytes);

		if (address_is_possible(address, target->metadata.word_bits))
			frames[count++] = address;
	}
	return count;
}

static bool has_frame(const uint64_t *frames, uint32_t count, uint64_t address)
{
	for (uint32_t i = 0; i < count; i++)
		if (frames[i] == address)
			return true;
	return false;
}

void dat_stacks_take(struct dat_stacks *stacks, const struct import_target *target,
		     const struct tep_record *record)
{
	uint64_t frames[STACK_FRAMES_MAX];
	uint32_t count = read_frames(stacks, target, record, frames);

	stacks->last = NULL;
	/* the caller of the allocator is one of the frames */
	for (size_t i = stacks->count; i--;) {
		struct held_dat_event *held = get_held(stacks, i);
		bool allocates = held->event.id == KMT_KMALLOC || held->event.id == KMT_CACHE_ALLOC;

		if (held->event.cpu != (unsigned int)record->cpu || held->event.frame_count ||
		    !has_frame(frames, count, held->event.call_site))
			continue;
		stacks->seen = true;
		/* the stack of a free has no place in a capture */
		if (!allocates)
			return;
		memcpy(held->frames, frames, count * sizeof(*frames));
		held->event.frame_count = count;
		stacks->last = held;
		return;
	}
	stacks->unmatched++;
}

const uint64_t *dat_stacks_last(const struct dat_stacks *stacks, uint32_t *count)
{
	*count = stacks->last ? stacks->last->event.frame_count : 0;
	return stacks->last ? stacks->last->frames : NULL;
}

int dat_stacks_finish(struct dat_stacks *stacks, struct import_target *target)
{
	int err = 0;

	while (!err && stacks->count)
		err = release_first(stacks, target);
	return err;
}
