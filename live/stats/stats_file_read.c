// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The reader of a statistics file. A copy may mix two snapshots, or may come from a hostile file.
 * So the reader checks bounds first, then checks that the writer did not overwrite the slot
 * meanwhile, and only then uses the contents. If they are inconsistent, the file is damaged.
 * stats_file.pml is a model of this.
 */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "live/stats/stats_file_open.h"

#define TRIES 100
#define UNCHECKED_BYTES (64 << 20) /* a larger snapshot must not exceed the file's disk blocks */

/* The barriers keep this read in order with those around it: copies by the kernel have no order. */
static int read_generation(struct stats_file_view *view, const char *path, uint64_t offset,
			   uint32_t *generation)
{
	int err;

	__sync_synchronize();
	err = stats_file_copy(view, path, generation, sizeof(*generation), offset);
	__sync_synchronize();
	return err;
}

static bool grow_list(void *array, size_t *count, size_t needed, size_t size)
{
	void *old = *(void **)array, *grown;
	size_t rounded = needed + needed / 4 + 1;

	if (old && needed <= *count)
		return true;
	if (rounded > SIZE_MAX / size)
		return false;
	grown = realloc(old, rounded * size);
	if (!grown)
		return false;
	memcpy(array, &grown, sizeof(grown));
	*count = rounded;
	return true;
}

/* Checks that the numbers in a slot's header are within the capacity of the file. */
static int check_slot(struct stats_file_view *view, const char *path)
{
	const struct stats_file_reader *reader = view->reader;
	const struct stats_file_slot *slot = &reader->slot;
	const struct stats_file_layout *layout = &reader->layout;
	struct stat about;

	if (slot->types > layout->types || slot->cpus > layout->cpus || !slot->text_bytes ||
	    slot->text_bytes > layout->text_bytes || slot->text_bytes < reader->text_bytes ||
	    slot->class_count > TYPE_STATS_CLASSES_MAX)
		return stats_file_fail_damaged(view, path, "a snapshot's numbers are too high");
	if (slot->types * slot->cpus * sizeof(struct type_stats_cpu) > UNCHECKED_BYTES &&
	    (fstat(reader->file, &about) ||
	     (uint64_t)about.st_blocks * 512 <
		     slot->types * slot->cpus * sizeof(struct type_stats_cpu)))
		return stats_file_fail_damaged(view, path, "a snapshot's numbers are too high");
	return 0;
}

static int copy_rows(struct stats_file_view *view, const char *path, uint32_t generation)
{
	struct stats_file_reader *reader = view->reader;
	size_t types = reader->slot.types, cpus = reader->slot.cpus;
	int err;

	for (size_t cpu = 0; cpu < cpus; cpu++) {
		err = stats_file_copy(view, path, reader->row, types * sizeof(*reader->row),
				      stats_file_row_at(&reader->layout, generation, cpu));
		if (err)
			return err;
		for (size_t i = 0; i < types; i++)
			reader->cpus[i * cpus + cpu] = reader->row[i];
	}
	return 0;
}

/* Copies a slot, which the writer may be changing. */
static int copy_slot(struct stats_file_view *view, const char *path, uint32_t generation)
{
	struct stats_file_reader *reader = view->reader;
	struct stats_file_slot *slot = &reader->slot;
	int err = stats_file_copy(view, path, slot, sizeof(*slot),
				  stats_file_slot_at(&reader->layout, generation));

	if (!err)
		err = check_slot(view, path);
	if (!err)
		err = stats_file_copy(view, path, &reader->slot_more, sizeof(reader->slot_more),
				      stats_file_slot_at(&reader->layout, generation) +
					      sizeof(*slot));
	if (err)
		return err;
	if (!grow_list(&reader->text, &reader->text_room, slot->text_bytes, 1) ||
	    !grow_list(&reader->records, &reader->records_room, slot->types,
		       sizeof(*reader->records)) ||
	    !grow_list(&reader->more, &reader->more_room,
		       slot->types * reader->layout.type_more_bytes, 1) ||
	    !grow_list(&reader->row, &reader->row_room, slot->types, sizeof(*reader->row)) ||
	    !grow_list(&reader->cpus, &reader->cpus_room, slot->types * slot->cpus,
		       sizeof(*reader->cpus)) ||
	    !grow_list(&view->types, &reader->types_room, slot->types, sizeof(*view->types)))
		return stats_file_fail(view, ENOMEM, "%s", strerror(ENOMEM));
	err = stats_file_copy(view, path, reader->text + reader->text_bytes,
			      slot->text_bytes - reader->text_bytes,
			      reader->layout.text + reader->text_bytes);
	if (!err)
		err = stats_file_copy(view, path, reader->records,
				      slot->types * sizeof(*reader->records),
				      stats_file_records_at(&reader->layout, generation));
	if (!err)
		err = stats_file_copy(view, path, reader->more,
				      slot->types * reader->layout.type_more_bytes,
				      stats_file_more_at(&reader->layout, generation));
	return err ? err : copy_rows(view, path, generation);
}

/* Copies the current snapshot into the reader's buffers. 0 or -errno. */
static int copy_snapshot(struct stats_file_view *view, const char *path)
{
	const struct stats_file_layout *layout = &view->reader->layout;

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
	return stats_file_fail(view, EAGAIN,
			       "%s: the file is written faster than it can be read: try again",
			       path);
}

static bool has_classes(const struct stats_file_slot *slot, uint64_t sizemask)
{
	return slot->class_count == TYPE_STATS_CLASSES_MAX || !(sizemask >> slot->class_count);
}

static bool is_consistent(const struct stats_file_slot *slot,
			  const struct stats_file_record *record, const struct type_stats_cpu *cpus)
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

/* TYPE_STATS_UNKNOWN: the writer does not have it. */
static uint64_t missed_frees(const struct stats_file_reader *reader, size_t index)
{
	struct stats_file_type_more more;
	size_t bytes = reader->layout.type_more_bytes;

	if (bytes < sizeof(more))
		return TYPE_STATS_UNKNOWN;
	memcpy(&more, reader->more + index * bytes, sizeof(more));
	return more.missed_frees;
}

static bool add_type(struct stats_file_view *view, size_t index)
{
	const struct stats_file_reader *reader = view->reader;
	const struct stats_file_record *record = &reader->records[index];
	struct type_stats_cpu *cpus = reader->cpus + index * reader->slot.cpus;
	uint64_t missed = missed_frees(reader, index);

	if (!record->name)
		return true;
	if (!is_consistent(&reader->slot, record, cpus) || !reader->text[record->name] ||
	    (missed > record->numfrees && missed != TYPE_STATS_UNKNOWN))
		return false;
	view->types[view->count++] = (struct type_stats_type){
		.kind = (enum type_stats_kind)record->kind,
		.name = reader->text + record->name,
		.aliases = record->aliases ? reader->text + record->aliases : NULL,
		.object_size = (uint32_t)record->object_size,
		.size = (uint32_t)record->size,
		.numallocs = record->numallocs,
		.numfrees = record->numfrees,
		.memalloced = record->memalloced,
		.memfreed = record->memfreed,
		.sizemask = record->sizemask,
		.failures = record->failures,
		.xdomain = record->xdomain,
		.missed_frees = missed,
		.frees_unmatched = record->frees_unmatched,
		.initial_count = record->initial_count,
		.kegfree = record->kegfree,
		.cpus = cpus,
		.cpu_count = record->cpu_count,
	};
	return true;
}

static int set_classes(struct stats_file_view *view, const char *path)
{
	const struct stats_file_slot *slot = &view->reader->slot;

	for (size_t i = 0; i < slot->class_count; i++) {
		if (slot->class_bytes[i] <= (i ? slot->class_bytes[i - 1] : 0) ||
		    slot->class_bytes[i] > SIZE_MAX)
			return stats_file_fail_damaged(
				view, path, "the size classes are not in ascending order");
		view->class_bytes[i] = (size_t)slot->class_bytes[i];
	}
	view->class_count = slot->class_count;
	return 0;
}

static int set_snapshot(struct stats_file_view *view, const char *path)
{
	struct stats_file_reader *reader = view->reader;
	const struct stats_file_slot *slot = &reader->slot;

	view->count = 0;
	/* with a NUL at the end, every offset in the names is the start of a string */
	if (reader->text[slot->text_bytes - 1])
		return stats_file_fail_damaged(view, path, "the names are not terminated");
	if (reader->slot_more.paths >= slot->text_bytes)
		return stats_file_fail_damaged(view, path, "a snapshot's numbers are too high");
	reader->text_bytes = slot->text_bytes;
	view->snapshot = (struct stats_snapshot){ .time = slot->time,
						  .lost = slot->lost,
						  .begin = slot->begin,
						  .with_base = reader->slot_more.flags &
							       STATS_FILE_WITH_BASE };
	if (reader->slot_more.paths)
		view->snapshot.paths = reader->text + reader->slot_more.paths;
	view->cpus = reader->layout.cpus;
	for (size_t i = 0; i < slot->types; i++) {
		if (!add_type(view, i))
			return stats_file_fail_damaged(view, path,
						       "the counters of a type are inconsistent");
	}
	return set_classes(view, path);
}

int stats_file_read(struct stats_file_view *view, const char *path)
{
	int err;

	if (!view->reader) {
		view->reader = calloc(1, sizeof(*view->reader));
		if (!view->reader)
			return stats_file_fail(view, ENOMEM, "%s", strerror(ENOMEM));
		view->reader->file = -1;
	}
	err = stats_file_open(view, path);
	if (!err)
		err = copy_snapshot(view, path);
	if (!err)
		err = set_snapshot(view, path);
	if (err)
		view->count = 0;
	/* the next file of that path may get the same inode number */
	if (err && err != -EAGAIN && view->reader)
		stats_file_close(view->reader);
	return err;
}

void stats_file_view_deinit(struct stats_file_view *view)
{
	struct stats_file_reader *reader = view->reader;

	if (reader) {
		stats_file_close(reader);
		free(reader->text);
		free(reader->records);
		free(reader->more);
		free(reader->row);
		free(reader->cpus);
		free(reader);
	}
	free(view->types);
	*view = (struct stats_file_view){ 0 };
}
