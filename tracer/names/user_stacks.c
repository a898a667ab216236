// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Stacks and changes of mappings meet in the order of time. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "kernel/ring.h"
#include "kernel/stacks.h"
#include "tracer/names/table_switch.h"
#include "tracer/names/user_stacks.h"

#define TABLE "kernel/user_symbols"
#define TABLE_BYTES_MAX ((long)60 << 20) /* a reader of captures takes 64 MiB */
#define OFFSET_BITS 40			 /* of a file that has names */

static int fail_stack_table(struct user_stacks *stacks, int err)
{
	snprintf(stacks->errmsg, sizeof(stacks->errmsg), "%s/" TABLE ": %s",
		 stacks->directory->path, strerror(-err));
	return err;
}

int user_stacks_open(struct user_stacks *stacks, struct directory *directory,
		     unsigned int possible_cpus)
{
	int err;

	memset(stacks, 0, sizeof(*stacks));
	stacks->directory = directory;
	err = process_maps_init(&stacks->maps);
	if (!err)
		err = hash_map_init(&stacks->wanted_index);
	if (!err)
		err = hash_map_init(&stacks->written_files);
	if (err)
		return fail_stack_table(stacks, err);
	stacks->file = directory_open(directory, TABLE, true);
	if (!stacks->file)
		return fail_stack_table(stacks, -errno);
	err = mapping_events_open(&stacks->events, &stacks->maps, possible_cpus);
	if (err) {
		snprintf(stacks->errmsg, sizeof(stacks->errmsg),
			 "--user-stacks: perf events of mappings: %s", strerror(-err));
		return err;
	}
	/* the events are open already: they have each change that this reading misses */
	err = process_maps_read(&stacks->maps);
	return err ? fail_stack_table(stacks, err) : 0;
}

int user_stacks_add(struct user_stacks *stacks, const struct kmt_stack_message *message)
{
	struct kmt_stack_message *list =
		array_grow(stacks->waiting, stacks->waiting_count, sizeof(*list));

	if (!list)
		return fail_stack_table(stacks, -ENOMEM);
	stacks->waiting = list;
	list += stacks->waiting_count++;
	/* the message ends after its frames */
	memcpy(list, message, offsetof(struct kmt_stack_message, frames));
	memcpy(list->frames, message->frames, message->count * sizeof(*message->frames));
	return 0;
}

/* The line of a file, before the first frame with it. */
static int write_file_line(struct user_stacks *stacks, uint32_t number)
{
	char build_id[64];
	int at = 0;
	const char *text = texts_get(&stacks->maps.files, number);

	if (hash_map_find(&stacks->written_files, number) != HASH_MAP_NONE)
		return 0;
	sscanf(text, "%63s %*u %n", build_id, &at);
	if (hash_map_add(&stacks->written_files, number, 0))
		return -ENOMEM;
	return user_file_write(stacks->file, number, build_id, text + at);
}

static int want_name(struct user_stacks *stacks, const struct user_frame *frame, uint32_t pid)
{
	uint64_t key = (uint64_t)frame->file << OFFSET_BITS | frame->offset;
	struct wanted_name *list;

	if (frame->offset >> OFFSET_BITS || frame->file >> (64 - OFFSET_BITS) ||
	    hash_map_find(&stacks->wanted_index, key) != HASH_MAP_NONE)
		return 0;
	list = array_grow(stacks->wanted, stacks->wanted_count, sizeof(*list));
	if (!list || hash_map_add(&stacks->wanted_index, key, 0))
		return -ENOMEM;
	stacks->wanted = list;
	list[stacks->wanted_count++] = (struct wanted_name){ *frame, pid };
	return 0;
}

/*
 * The code that an address of a frame is in; NULL: none. The innermost frame is where the process
 * entered the kernel. If that was an execve(), which allocates after the new program was mapped,
 * the frame is in the old one.
 */
static const struct mapping *find_mapping(const struct user_stacks *stacks, uint32_t pid,
					  uint64_t address, bool innermost)
{
	const struct mapping *mapping = process_maps_find(&stacks->maps, pid, address);

	return mapping || !innermost ? mapping
				     : process_maps_find_before(&stacks->maps, pid, address);
}

/*
 * A function without a frame pointer can keep anything in its register: the first address that is
 * no code ends the stack.
 */
static int write_stack(struct user_stacks *stacks, const struct kmt_stack_message *message)
{
	struct user_frame frames[KMT_FRAMES_MAX];
	uint32_t count = 0;
	int err = 0;

	for (uint32_t i = 0; i < message->count && !err; i++) {
		/* a caller's frame is the address behind its call */
		uint64_t address = message->frames[i] - (i != 0);
		const struct mapping *mapping =
			find_mapping(stacks, message->tgid, address, i == 0);

		if (!mapping && i && !stacks->events.lost)
			break;
		frames[count++] = (struct user_frame){ 0, message->frames[i] };
		if (!mapping || !mapping->file)
			continue;
		frames[i] = (struct user_frame){ mapping->file,
						 address - mapping->begin + mapping->offset };
		err = write_file_line(stacks, mapping->file);
		if (!err)
			err = want_name(stacks, &frames[i], message->tgid);
	}
	return err ? err : user_frames_write(stacks->file, message->id, frames, count);
}

static int apply_mapping_event(struct user_stacks *stacks, const struct mapping_event *event)
{
	struct process_maps *maps = &stacks->maps;

	switch (event->kind) {
	case MAPPING_ADDED:
		return process_maps_add(maps, event->pid, &event->mapping);
	case MAPPING_FORK:
		return process_maps_fork(maps, event->pid, event->parent);
	case MAPPING_EXEC:
		process_maps_exec(maps, event->pid);
		return 0;
	case MAPPING_EXIT:
		process_maps_exit(maps, event->pid);
		return 0;
	}
	return 0;
}

static int compare_times(const void *left, const void *right)
{
	const struct kmt_stack_message *a = left, *b = right;

	return (a->time > b->time) - (a->time < b->time);
}

int user_stacks_step(struct user_stacks *stacks)
{
	const struct mapping_event *event;
	size_t next = 0;
	int err;

	if (!stacks->file)
		return 0;
	/* after the stacks: so all changes before a stack are read */
	err = mapping_events_read(&stacks->events);
	if (stacks->waiting_count)
		qsort(stacks->waiting, stacks->waiting_count, sizeof(*stacks->waiting),
		      compare_times);
	event = stacks->events.list;
	for (size_t i = 0; i < stacks->events.event_count && !err; i++, event++) {
		for (; next < stacks->waiting_count && stacks->waiting[next].time < event->time &&
		       !err && !stacks->is_full;
		     next++)
			err = write_stack(stacks, &stacks->waiting[next]);
		if (!err)
			err = apply_mapping_event(stacks, event);
	}
	for (; next < stacks->waiting_count && !err && !stacks->is_full; next++)
		err = write_stack(stacks, &stacks->waiting[next]);
	stacks->events.lost += stacks->maps.lost;
	stacks->maps.lost = 0;
	free(stacks->waiting);
	stacks->waiting = NULL;
	if (!err && stacks->waiting_count) {
		err = fflush(stacks->file) ? -errno : 0;
		stacks->is_full = ftell(stacks->file) > TABLE_BYTES_MAX;
	}
	stacks->waiting_count = 0;
	return err ? fail_stack_table(stacks, err) : 0;
}

static int compare_wanted(const void *left, const void *right)
{
	const struct wanted_name *a = left, *b = right;

	if (a->frame.file != b->frame.file)
		return a->frame.file < b->frame.file ? -1 : 1;
	return (a->frame.offset > b->frame.offset) - (a->frame.offset < b->frame.offset);
}

int user_stacks_name(struct user_stacks *stacks, struct function_namer *namer)
{
	__attribute__((cleanup(free_text))) char *answer = NULL;
	struct user_symbols symbols;
	int err = 0;

	if (!stacks->file || !stacks->wanted_count)
		return 0;
	qsort(stacks->wanted, stacks->wanted_count, sizeof(*stacks->wanted), compare_wanted);
	for (size_t i = 0; i < stacks->wanted_count && !err; i++) {
		const struct wanted_name *wanted = &stacks->wanted[i];

		if (!i || wanted->frame.file != wanted[-1].frame.file)
			err = function_namer_ask_file(namer, wanted->frame.file, wanted->pid,
						      texts_get(&stacks->maps.files,
								wanted->frame.file));
		if (!err)
			err = function_namer_ask_offset(namer, wanted->frame.offset);
	}
	if (!err)
		err = function_namer_answer(namer, &answer);
	if (err) {
		snprintf(stacks->errmsg, sizeof(stacks->errmsg),
			 "the functions of processes have no names: %s",
			 err == -ECHILD ? "the process that finds them was killed"
					: strerror(-err));
		return err;
	}
	err = user_symbols_parse(&symbols, answer);
	if (err)
		return fail_stack_table(stacks, err);
	for (size_t i = 0; i < symbols.function_count && !err; i++)
		err = user_function_write(stacks->file, symbols.functions[i].file,
					  symbols.functions[i].begin, symbols.functions[i].end,
					  texts_get(&symbols.strings, symbols.functions[i].name));
	user_symbols_deinit(&symbols);
	return err ? fail_stack_table(stacks, err) : 0;
}

int user_stacks_switch(struct user_stacks *stacks, struct directory *to, uint64_t mark)
{
	int err = table_switch(&stacks->file, stacks->directory, to, TABLE, mark);

	/* each table has the files of its frames */
	hash_map_deinit(&stacks->written_files);
	if (!err)
		err = hash_map_init(&stacks->written_files);
	stacks->is_full = false;
	return err ? fail_stack_table(stacks, err) : 0;
}

int user_stacks_close(struct user_stacks *stacks)
{
	int err = 0;

	mapping_events_close(&stacks->events);
	process_maps_deinit(&stacks->maps);
	hash_map_deinit(&stacks->wanted_index);
	hash_map_deinit(&stacks->written_files);
	free(stacks->wanted);
	free(stacks->waiting);
	stacks->wanted = NULL;
	stacks->waiting = NULL;
	if (stacks->file)
		err = directory_close(stacks->directory, stacks->file, TABLE);
	stacks->file = NULL;
	return err ? fail_stack_table(stacks, err) : 0;
}
