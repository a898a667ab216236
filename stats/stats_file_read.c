// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The reader of a published file. What it copied may be of two moments, or of a file that is no
 * such file at all: nothing of it is believed, but within bounds, before the writer is known not
 * to have been at it; and what does not fit together then, is damaged.
 */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "stats/stats_file_open.h"

#define TRIES 100
#define BELIEVED_BYTES (64 << 20) /* more than that is believed only if the file takes as much */

/* What was read before is read: the kernel's copies are not ordered by themselves. */
static int read_generation(struct stats_file_view *view, const char *path, uint64_t at,
			   uint32_t *generation)
{
	int err;

	__sync_synchronize();
	err = stats_file_copy(view, path, generation, sizeof(*generation), at);
	__sync_synchronize();
	return err;
}

static bool make_room(void *room, size_t *count, size_t needed, size_t size)
{
	void *old = *(void **)room, *grown;
	size_t rounded = needed + needed / 4;

	if (needed <= *count)
		return true;
	if (rounded > SIZE_MAX / size)
		return false;
	grown = realloc(old, rounded * size);
	if (!grown)
		return false;
	memcpy(room, &grown, sizeof(grown));
	*count = rounded;
	return true;
}

/* What a slot's head claims: not above what the file has room for. */
static int check_slot(struct stats_file_view *view, const char *path)
{
	const struct stats_file_memory *memory = view->memory;
	const struct stats_file_slot *slot = &memory->slot;
	const struct stats_file_layout *layout = &memory->layout;
	struct stat about;

	if (slot->types > layout->types || slot->cpus > layout->cpus || !slot->text_bytes ||
	    slot->text_bytes > layout->text_bytes || slot->text_bytes < memory->text_bytes ||
	    slot->class_count > TYPE_STATS_CLASSES_MAX)
		return stats_file_fail_damaged(view, path, "a moment's numbers are too high");
	if (slot->types * slot->cpus * sizeof(struct type_stats_cpu) > BELIEVED_BYTES &&
	    (fstat(memory->file, &about) ||
	     (uint64_t)about.st_blocks * 512 <
		     slot->types * slot->cpus * sizeof(struct type_stats_cpu)))
		return stats_file_fail_damaged(view, path, "a moment's numbers are too high");
	return 0;
}

static int copy_rows(struct stats_file_view *view, const char *path, uint32_t generation)
{
	struct stats_file_memory *memory = view->memory;
	size_t types = memory->slot.types, cpus = memory->slot.cpus;
	int err;

	for (size_t cpu = 0; cpu < cpus; cpu++) {
		err = stats_file_copy(view, path, memory->row, types * sizeof(*memory->row),
				      stats_file_row_at(&memory->layout, generation, cpu));
		if (err)
			return err;
		for (size_t i = 0; i < types; i++)
			memory->cpus[i * cpus + cpu] = memory->row[i];
	}
	return 0;
}

/* All that the moment needs, which may be in the midst of being written. */
static int copy_slot(struct stats_file_view *view, const char *path, uint32_t generation)
{
	struct stats_file_memory *memory = view->memory;
	struct stats_file_slot *slot = &memory->slot;
	int err = stats_file_copy(view, path, slot, sizeof(*slot),
				  stats_file_slot_at(&memory->layout, generation));

	if (!err)
		err = check_slot(view, path);
	if (err)
		return err;
	if (!make_room(&memory->text, &memory->text_room, slot->text_bytes, 1) ||
	    !make_room(&memory->records, &memory->records_room, slot->types,
		       sizeof(*memory->records)) ||
	    !make_room(&memory->row, &memory->row_room, slot->types, sizeof(*memory->row)) ||
	    !make_room(&memory->cpus, &memory->cpus_room, slot->types * slot->cpus,
		       sizeof(*memory->cpus)) ||
	    !make_room(&view->types, &memory->types_room, slot->types, sizeof(*view->types)))
		return stats_file_fail(view, ENOMEM, "%s", strerror(ENOMEM));
	err = stats_file_copy(view, path, memory->text + memory->text_bytes,
			      slot->text_bytes - memory->text_bytes,
			      memory->layout.text + memory->text_bytes);
	if (!err)
		err = stats_file_copy(view, path, memory->records,
				      slot->types * sizeof(*memory->records),
				      stats_file_records_at(&memory->layout, generation));
	return err ? err : copy_rows(view, path, generation);
}

/* A moment as it was written; it is in the memory. 0, or -errno. */
static int copy_moment(struct stats_file_view *view, const char *path)
{
	const struct stats_file_layout *layout = &view->memory->layout;

	for (int tries = 0; tries < TRIES; tries++) {
		uint32_t current, writing;
		int err = read_generation(view, path, offsetof(struct stats_file_head, current),
					  &current);
		int err_copy, err_after;

		if (err)
			return err;
		err_copy = copy_slot(view, path, current);
		err_after = read_generation(view, path,
					    stats_file_slot_at(layout, current) +
						    offsetof(struct stats_file_slot, generation),
					    &writing);
		if (err_after)
			return err_after;
		if (writing == current)
			return err_copy;
	}
	return stats_file_fail(view, EAGAIN, "%s: is written faster than it can be read: try again",
			       path);
}

static bool has_classes(const struct stats_file_slot *slot, uint64_t sizemask)
{
	return slot->class_count == TYPE_STATS_CLASSES_MAX || !(sizemask >> slot->class_count);
}

static bool can_be(const struct stats_file_slot *slot, const struct stats_file_record *record,
		   const struct type_stats_cpu *cpus)
{
	if (record->kind >= TYPE_STATS_KINDS || record->name >= slot->text_bytes ||
	    record->aliases >= slot->text_bytes || record->cpu_count > slot->cpus ||
	    record->object_size > UINT32_MAX || record->size > UINT32_MAX ||
	    record->numfrees > record->numallocs || record->memfreed > record->memalloced ||
	    !has_classes(slot, record->sizemask))
		return false;
	for (size_t cpu = 0; cpu < record->cpu_count; cpu++) {
		if (!has_classes(slot, cpus[cpu].sizemask))
			return false;
	}
	return true;
}

static bool take_type(struct stats_file_view *view, size_t index)
{
	const struct stats_file_memory *memory = view->memory;
	const struct stats_file_record *record = &memory->records[index];
	struct type_stats_cpu *cpus = memory->cpus + index * memory->slot.cpus;

	if (!record->name)
		return true;
	if (!can_be(&memory->slot, record, cpus) || !memory->text[record->name])
		return false;
	view->types[view->count++] = (struct type_stats_type){
		.kind = (enum type_stats_kind)record->kind,
		.name = memory->text + record->name,
		.aliases = record->aliases ? memory->text + record->aliases : NULL,
		.object_size = (uint32_t)record->object_size,
		.size = (uint32_t)record->size,
		.numallocs = record->numallocs,
		.numfrees = record->numfrees,
		.memalloced = record->memalloced,
		.memfreed = record->memfreed,
		.sizemask = record->sizemask,
		.failures = record->failures,
		.xdomain = record->xdomain,
		.frees_unmatched = record->frees_unmatched,
		.base = record->base,
		.kegfree = record->kegfree,
		.cpus = cpus,
		.cpu_count = record->cpu_count,
	};
	return true;
}

static int take_classes(struct stats_file_view *view, const char *path)
{
	const struct stats_file_slot *slot = &view->memory->slot;

	for (size_t i = 0; i < slot->class_count; i++) {
		if (slot->class_bytes[i] <= (i ? slot->class_bytes[i - 1] : 0) ||
		    slot->class_bytes[i] > SIZE_MAX)
			return stats_file_fail_damaged(view, path,
						       "the size classes are in no order");
		view->class_bytes[i] = (size_t)slot->class_bytes[i];
	}
	view->class_count = slot->class_count;
	return 0;
}

static int take_moment(struct stats_file_view *view, const char *path)
{
	struct stats_file_memory *memory = view->memory;
	const struct stats_file_slot *slot = &memory->slot;

	view->count = 0;
	/* Then every place in the names is the start of a string. */
	if (memory->text[slot->text_bytes - 1])
		return stats_file_fail_damaged(view, path, "the names have no end");
	memory->text_bytes = slot->text_bytes;
	view->moment = (struct stats_snapshot){ .time = slot->time,
						.lost = slot->lost,
						.begin = slot->begin };
	view->cpus = memory->layout.cpus;
	for (size_t i = 0; i < slot->types; i++) {
		if (!take_type(view, i))
			return stats_file_fail_damaged(view, path,
						       "a type's figures do not fit together");
	}
	return take_classes(view, path);
}

int stats_file_read(struct stats_file_view *view, const char *path)
{
	int err;

	if (!view->memory) {
		view->memory = calloc(1, sizeof(*view->memory));
		if (!view->memory)
			return stats_file_fail(view, ENOMEM, "%s", strerror(ENOMEM));
		view->memory->file = -1;
	}
	err = stats_file_open(view, path);
	if (!err)
		err = copy_moment(view, path);
	if (!err)
		err = take_moment(view, path);
	if (err)
		view->count = 0;
	/* It may be another one's next time, under the same name and number. */
	if (err && err != -EAGAIN && view->memory)
		stats_file_close(view->memory);
	return err;
}

void stats_file_view_deinit(struct stats_file_view *view)
{
	struct stats_file_memory *memory = view->memory;

	if (memory) {
		stats_file_close(memory);
		free(memory->text);
		free(memory->records);
		free(memory->row);
		free(memory->cpus);
		free(memory);
	}
	free(view->types);
	*view = (struct stats_file_view){ 0 };
}
