// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The writer of a statistics file: writes what changed into the slot that is not current.
 * stats_file.pml is a model of it and of the reader.
 *
 * A store to a mapped page for which the file system has no space ends the process with SIGBUS. So
 * space is allocated before it is first used, in larger steps than are needed, and types that get
 * no space are omitted.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/stats/stats_file.h"
#include "live/stats/stats_file_layout.h"
#include "live/stats/stats_file_lock.h"

#define STEP_TYPES 256	 /* space is allocated for so many types at a time */
#define STEP_TEXT 0x8000 /* bytes */
#define RETRY_AFTER 50	 /* snapshots after a failure to allocate, which may take long */

/* The offsets of a type's texts in the names. */
struct written {
	uint64_t name; /* 0: the type is omitted */
	uint64_t aliases;
};

struct stats_file {
	struct stats_file_lock lock;
	struct stats_file_layout layout;
	unsigned char *map;
	struct written *written; /* by type */
	size_t *rooms;		 /* by CPU: types for which its rows have space, in both slots */
	size_t record_room;	 /* types for which there are records, in both slots */
	size_t more_room;	 /* and those for which there is a struct stats_file_type_more */
	uint64_t text_room, text_used;
	uint64_t paths; /* offset of stats_snapshot.paths in the names; 0: none */
	uint32_t generation;
	uint32_t retry_generation;	/* do not try to allocate before that generation */
	int room_err;			/* errno of the first failure to allocate */
	size_t attempted;		/* types that the last snapshot should have */
	uint64_t written_generation[2]; /* by slot: generation of the type_stats in it */
};

/*
 * A reader that has seen any word of a new snapshot must see the slot's new generation when it
 * reads that afterwards. So each word is stored with release order, after the generation.
 */
static void put_words(unsigned char *at, const void *from, size_t bytes)
{
	unsigned long __attribute__((may_alias)) *to = (void *)at;
	unsigned long word;

	for (size_t i = 0; i < bytes / sizeof(word); i++) {
		memcpy(&word, (const char *)from + i * sizeof(word), sizeof(word));
		__atomic_store_n(&to[i], word, __ATOMIC_RELEASE);
	}
}

/* False: the file system has no space. One without fallocate() is assumed to have enough. */
static bool allocate_space(struct stats_file *stats_file, uint64_t at, uint64_t bytes)
{
	int err;

	if (stats_file->generation < stats_file->retry_generation)
		return false;
	do {
		err = posix_fallocate(stats_file->lock.file, (off_t)at, (off_t)bytes);
	} while (err == EINTR);
	if (!err || err == EOPNOTSUPP || err == EINVAL || err == ENOSYS)
		return true;
	stats_file->retry_generation = stats_file->generation + RETRY_AFTER;
	if (!stats_file->room_err)
		stats_file->room_err = err;
	return false;
}

/* The number of types to have space for after the type of that index, at most the capacity. */
static size_t round_up_types(const struct stats_file *stats_file, size_t index)
{
	size_t types = (index / STEP_TYPES + 1) * STEP_TYPES;

	return types < stats_file->layout.types ? types : stats_file->layout.types;
}

/*
 * Allocates entries by type, in both slots. offset: of the array in the first slot; second: from
 * there to that in the second.
 */
static bool allocate_types(struct stats_file *stats_file, size_t *room, size_t index,
			   uint64_t offset, uint64_t second, size_t size)
{
	size_t types = round_up_types(stats_file, index);
	uint64_t from = offset + *room * size, bytes = (types - *room) * size;

	if (index < *room)
		return true;
	if (!allocate_space(stats_file, from, bytes) ||
	    !allocate_space(stats_file, from + second, bytes))
		return false;
	*room = types;
	return true;
}

/* Appends a text to the names and returns its offset; 0: there is no space. */
static uint64_t add_text(struct stats_file *stats_file, const char *text)
{
	size_t size = strlen(text) + 1;
	uint64_t at = stats_file->text_used;
	uint64_t room = (at + size + STEP_TEXT - 1) / STEP_TEXT * STEP_TEXT;

	if (size > stats_file->layout.text_bytes - at)
		return 0;
	if (room > stats_file->layout.text_bytes)
		room = stats_file->layout.text_bytes;
	if (room > stats_file->text_room) {
		if (!allocate_space(stats_file, stats_file->layout.text + stats_file->text_room,
				    room - stats_file->text_room))
			return 0;
		stats_file->text_room = room;
	}
	memcpy(stats_file->map + stats_file->layout.text + at, text, size);
	stats_file->text_used += size;
	return at;
}

/* False: there is no space for the type. Without space for its aliases alone it has none. */
static bool name_type(struct stats_file *stats_file, size_t index,
		      const struct type_stats_type *type)
{
	const struct stats_file_layout *layout = &stats_file->layout;
	struct written *written = &stats_file->written[index];
	const char *aliases = type->aliases && *type->aliases ? type->aliases : NULL;
	const char *text = (const char *)stats_file->map + stats_file->layout.text;

	if (!allocate_types(stats_file, &stats_file->record_room, index,
			    stats_file_records_at(layout, 0), layout->slot_bytes,
			    sizeof(struct stats_file_record)) ||
	    !allocate_types(stats_file, &stats_file->more_room, index,
			    stats_file_more_at(layout, 0), layout->more_slot_bytes,
			    sizeof(struct stats_file_type_more)))
		return false;
	if (!written->name)
		written->name = add_text(stats_file, type->name);
	if (!written->name)
		return false;
	if (aliases && (!written->aliases || strcmp(text + written->aliases, aliases) != 0))
		written->aliases = add_text(stats_file, aliases);
	else if (!aliases)
		written->aliases = 0;
	return true;
}

/* Returns for how many CPUs there was space. */
static size_t put_cpus(struct stats_file *stats_file, size_t index,
		       const struct type_stats_type *type)
{
	const struct stats_file_layout *layout = &stats_file->layout;
	size_t cpu = 0;

	for (; cpu < type->cpu_count && cpu < layout->cpus; cpu++) {
		if (!allocate_types(stats_file, &stats_file->rooms[cpu], index,
				    stats_file_row_at(layout, 0, cpu), layout->slot_bytes,
				    sizeof(struct type_stats_cpu)))
			break;
		put_words(stats_file->map + stats_file_row_at(layout, stats_file->generation, cpu) +
				  index * sizeof(struct type_stats_cpu),
			  &type->cpus[cpu], sizeof(struct type_stats_cpu));
	}
	return cpu;
}

static void put_type(struct stats_file *stats_file, size_t index,
		     const struct type_stats_type *type)
{
	const struct written *written = &stats_file->written[index];
	struct stats_file_record record = {
		.kind = type->kind,
		.name = written->name,
		.aliases = written->aliases,
		.object_size = type->object_size,
		.size = type->size,
		.numallocs = type->numallocs,
		.numfrees = type->numfrees,
		.memalloced = type->memalloced,
		.memfreed = type->memfreed,
		.sizemask = type->sizemask,
		.failures = type->failures,
		.xdomain = type->xdomain,
		.frees_unmatched = type->frees_unmatched,
		.initial_count = type->initial_count,
		.kegfree = type->kegfree,
	};
	const struct stats_file_type_more more = { .missed_frees = type->missed_frees };

	record.cpu_count = put_cpus(stats_file, index, type);
	put_words(stats_file->map +
			  stats_file_more_at(&stats_file->layout, stats_file->generation) +
			  index * sizeof(more),
		  &more, sizeof(more));
	put_words(stats_file->map +
			  stats_file_records_at(&stats_file->layout, stats_file->generation) +
			  index * sizeof(record),
		  &record, sizeof(record));
}

static uint64_t add_lost(uint64_t lost, const struct type_stats_type *type)
{
	uint64_t events = type->numallocs + type->numfrees + type->failures + type->frees_unmatched;

	return lost > UINT64_MAX - 1 - events ? STATS_FILE_LOST_UNKNOWN : lost + events;
}

static void put_types(struct stats_file *stats_file, const struct type_stats *type_stats,
		      struct stats_file_slot *slot)
{
	uint64_t written = stats_file->written_generation[stats_file->generation & 1];

	for (size_t i = 0; i < type_stats->count; i++) {
		const struct type_stats_type *type = &type_stats->types[i];
		bool changed = type->changed >= written;

		if (i >= stats_file->layout.types ||
		    !(changed ? name_type(stats_file, i, type)
			      : stats_file->written[i].name != 0)) {
			slot->lost = add_lost(slot->lost, type);
			continue;
		}
		if (changed)
			put_type(stats_file, i, type);
		slot->types = i + 1;
		if (type->cpu_count > slot->cpus)
			slot->cpus = type->cpu_count;
	}
	if (slot->cpus > stats_file->layout.cpus)
		slot->cpus = stats_file->layout.cpus;
}

/* The offset of the unobserved paths; 0: unknown, or no space. */
static uint64_t put_paths(struct stats_file *stats_file, const char *paths)
{
	const char *text = (const char *)stats_file->map + stats_file->layout.text;

	if (!paths)
		return 0;
	if (!stats_file->paths || strcmp(text + stats_file->paths, paths) != 0)
		stats_file->paths = add_text(stats_file, paths);
	return stats_file->paths;
}

void stats_file_write(struct stats_file *stats_file, const struct type_stats *type_stats,
		      const struct stats_snapshot *snapshot)
{
	struct stats_file_head *head = (void *)stats_file->map;
	struct stats_file_slot slot = { .time = snapshot->time,
					.lost = snapshot->lost,
					.begin = snapshot->begin,
					.class_count = type_stats->class_count };
	struct stats_file_slot_more more = {
		.bytes = sizeof(more),
		.flags = snapshot->with_base ? STATS_FILE_WITH_BASE : 0,
	};
	unsigned char *at;

	slot.generation = ++stats_file->generation;
	at = stats_file->map + stats_file_slot_at(&stats_file->layout, slot.generation);
	__atomic_store_n(&((struct stats_file_slot *)at)->generation, slot.generation,
			 __ATOMIC_RELAXED);

	put_types(stats_file, type_stats, &slot);
	stats_file->attempted = type_stats->count;
	more.paths = put_paths(stats_file, snapshot->paths);
	slot.text_bytes = stats_file->text_used;
	for (size_t i = 0; i < type_stats->class_count; i++)
		slot.class_bytes[i] = type_stats->class_bytes[i];
	put_words(at, &slot, sizeof(slot));
	put_words(at + sizeof(slot), &more, sizeof(more));
	stats_file->written_generation[slot.generation & 1] = type_stats->generation;

	__atomic_store_n(&head->current, slot.generation, __ATOMIC_RELEASE);
	/* if this fails, the next write tries again */
	if (!stats_file->lock.is_published)
		stats_file_lock_publish(&stats_file->lock);
}

void stats_file_omitted(const struct stats_file *stats_file, const struct type_stats *type_stats,
			struct stats_file_omitted *omitted)
{
	*omitted = (struct stats_file_omitted){ .err = stats_file->room_err };
	for (size_t i = 0; i < stats_file->attempted; i++) {
		if (i < stats_file->layout.types && stats_file->written[i].name)
			continue;
		omitted->types++;
		omitted->events = add_lost(omitted->events, &type_stats->types[i]);
	}
}

size_t stats_file_bytes_max(const struct stats_file *stats_file)
{
	return stats_file->layout.bytes;
}

int stats_file_directory(const struct stats_file *stats_file)
{
	return stats_file->lock.directory;
}

size_t stats_file_bytes(const struct stats_file *stats_file)
{
	struct stat about;

	return fstat(stats_file->lock.file, &about) ? 0 : (size_t)about.st_blocks * 512;
}

static void stats_file_free(struct stats_file *stats_file)
{
	free(stats_file->rooms);
	free(stats_file->written);
	free(stats_file);
}

/* Maps the file and allocates its header, those of the slots, and the first names. */
static int map_file(struct stats_file *stats_file)
{
	const struct stats_file_layout *layout = &stats_file->layout;
	struct stats_file_head head = { .magic = STATS_FILE_MAGIC,
					.version = STATS_FILE_VERSION,
					.head_bytes = sizeof(head),
					.cpus = layout->cpus,
					.types = layout->types,
					.text_bytes = layout->text_bytes,
					.type_more_bytes = layout->type_more_bytes,
					.writer = (uint64_t)getpid() };
	void *map;

	if (layout->bytes > SIZE_MAX / 2)
		return -ENOMEM;
	if (ftruncate(stats_file->lock.file, (off_t)layout->bytes))
		return -errno;
	if (!allocate_space(stats_file, 0, STATS_FILE_ALIGN) ||
	    !allocate_space(stats_file, stats_file_slot_at(layout, 0), layout->records) ||
	    !allocate_space(stats_file, stats_file_slot_at(layout, 1), layout->records) ||
	    !allocate_space(stats_file, layout->text, STATS_FILE_ALIGN))
		return -ENOSPC;
	map = mmap(NULL, layout->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, stats_file->lock.file,
		   0);
	if (map == MAP_FAILED)
		return -errno;
	stats_file->map = map;
	stats_file->text_room = STATS_FILE_ALIGN;
	stats_file->text_used = 1; /* offset 0 means no name */
	memcpy(map, &head, sizeof(head));
	return 0;
}

/* 0: there are too many, or none. */
static size_t count_types(const struct stats_file_settings *settings)
{
	size_t count = 0;

	for (int kind = 0; kind < TYPE_STATS_KINDS; kind++) {
		size_t most = settings->types_max[kind];

		if (!most || most > STATS_FILE_TYPES_MAX)
			return 0;
		count += most;
	}
	return count > STATS_FILE_TYPES_MAX ? 0 : count;
}

int stats_file_create(struct stats_file **created, const struct stats_file_settings *settings,
		      struct error *error)
{
	size_t types = count_types(settings);
	struct stats_file *stats_file;
	int err;

	if (!types || !settings->cpus || settings->cpus > STATS_FILE_CPUS_MAX)
		return error_format(error, -EINVAL,
				    "%s: the file can have 1 to %d types and 1 to %d CPUs",
				    settings->path, STATS_FILE_TYPES_MAX, STATS_FILE_CPUS_MAX);
	stats_file = calloc(1, sizeof(*stats_file));
	if (stats_file) {
		stats_file_layout(&stats_file->layout, (uint32_t)settings->cpus, (uint32_t)types);
		stats_file_layout_more(&stats_file->layout, sizeof(struct stats_file_type_more));
		stats_file->written = calloc(types, sizeof(*stats_file->written));
		stats_file->rooms = calloc(settings->cpus, sizeof(*stats_file->rooms));
	}
	if (!stats_file || !stats_file->written || !stats_file->rooms) {
		if (stats_file)
			stats_file_free(stats_file);
		return error_set_at(error, -ENOMEM, settings->path);
	}
	err = stats_file_lock_open(&stats_file->lock, settings, error);
	if (err) {
		stats_file_free(stats_file);
		return err;
	}
	err = map_file(stats_file);
	if (err) {
		stats_file_remove(stats_file);
		return error_format(error, err, "%s: cannot be created: %s", settings->path,
				    strerror(-err));
	}
	*created = stats_file;
	return 0;
}

int stats_file_remove(struct stats_file *stats_file)
{
	int err;

	if (!stats_file)
		return 0;
	if (stats_file->map)
		munmap(stats_file->map, stats_file->layout.bytes);
	err = stats_file_lock_unlink(&stats_file->lock);
	stats_file_free(stats_file);
	return err;
}
