// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The writer of a published file: what changed goes into the slot that nobody reads.
 *
 * Whoever stores through a mapping where the file system has no room left is ended by SIGBUS. So
 * room is asked for before it is first used, for some types and CPUs more than are needed, and
 * what gets none is left out.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/published.h"
#include "trace/published_layout.h"
#include "trace/published_place.h"

#define ROOM_TYPES 256	 /* asked for at a time */
#define ROOM_TEXT 0x8000 /* bytes */
#define ASK_AGAIN 50	 /* moments after there was none: finding that out may take long */

/* What the names have of a type. */
struct written {
	uint64_t name; /* 0: the type is left out */
	uint64_t aliases;
};

struct published {
	struct published_place place;
	struct published_layout layout;
	unsigned char *map;
	struct written *written; /* by type */
	size_t *rooms;		 /* by CPU: types that its rows have room for, in both slots */
	size_t record_room;	 /* the same of the records */
	uint64_t text_room, text_used;
	uint32_t generation;
	uint32_t ask_again; /* for room: not before that generation */
	int room_err;	    /* errno of the first time that there was none */
	size_t tried;	    /* types that the last moment should have */
	uint64_t held[2];   /* by slot: the tally's generation that it has */
};

/*
 * A reader that sees any word of a moment must see, if it looks after, that the slot is being
 * written; so each word is a release, which keeps the slot's generation before it.
 */
static void put(unsigned char *at, const void *from, size_t bytes)
{
	unsigned long __attribute__((may_alias)) *to = (void *)at;
	unsigned long word;

	for (size_t i = 0; i < bytes / sizeof(word); i++) {
		memcpy(&word, (const char *)from + i * sizeof(word), sizeof(word));
		__atomic_store_n(&to[i], word, __ATOMIC_RELEASE);
	}
}

/* False: the file system has none. One that cannot tell is taken to have enough. */
static bool get_room(struct published *published, uint64_t at, uint64_t bytes)
{
	int err;

	if (published->generation < published->ask_again)
		return false;
	do {
		err = posix_fallocate(published->place.file, (off_t)at, (off_t)bytes);
	} while (err == EINTR);
	if (!err || err == EOPNOTSUPP || err == EINVAL || err == ENOSYS)
		return true;
	published->ask_again = published->generation + ASK_AGAIN;
	if (!published->room_err)
		published->room_err = err;
	return false;
}

/* So many types, rounded up, as the file has room for. */
static size_t types_for(const struct published *published, size_t index)
{
	size_t types = (index / ROOM_TYPES + 1) * ROOM_TYPES;

	return types < published->layout.types ? types : published->layout.types;
}

/* Room for what has an entry for each type, in both slots; at is that in the first. */
static bool get_type_room(struct published *published, size_t *room, size_t index, uint64_t at,
			  size_t size)
{
	size_t types = types_for(published, index);
	uint64_t from = at + *room * size, bytes = (types - *room) * size;

	if (index < *room)
		return true;
	if (!get_room(published, from, bytes) ||
	    !get_room(published, from + published->layout.slot_bytes, bytes))
		return false;
	*room = types;
	return true;
}

/* Where in the names the text is from now on, or 0. */
static uint64_t add_text(struct published *published, const char *text)
{
	size_t size = strlen(text) + 1;
	uint64_t at = published->text_used;
	uint64_t room = (at + size + ROOM_TEXT - 1) / ROOM_TEXT * ROOM_TEXT;

	if (size > published->layout.text_bytes - at)
		return 0;
	if (room > published->layout.text_bytes)
		room = published->layout.text_bytes;
	if (room > published->text_room) {
		if (!get_room(published, published->layout.text + published->text_room,
			      room - published->text_room))
			return 0;
		published->text_room = room;
	}
	memcpy(published->map + published->layout.text + at, text, size);
	published->text_used += size;
	return at;
}

/* False: there is no room for the type. Its aliases may find none and the type some. */
static bool name_type(struct published *published, size_t index, const struct tally_type *type)
{
	struct written *written = &published->written[index];
	const char *aliases = type->aliases && *type->aliases ? type->aliases : NULL;
	const char *text = (const char *)published->map + published->layout.text;

	if (!get_type_room(published, &published->record_room, index,
			   published_records_at(&published->layout, 0),
			   sizeof(struct published_record)))
		return false;
	if (!written->name)
		written->name = add_text(published, type->name);
	if (!written->name)
		return false;
	if (aliases && (!written->aliases || strcmp(text + written->aliases, aliases) != 0))
		written->aliases = add_text(published, aliases);
	else if (!aliases)
		written->aliases = 0;
	return true;
}

/* How many CPUs' figures have room. */
static size_t put_cpus(struct published *published, size_t index, const struct tally_type *type)
{
	const struct published_layout *layout = &published->layout;
	size_t cpu = 0;

	for (; cpu < type->cpu_count && cpu < layout->cpus; cpu++) {
		if (!get_type_room(published, &published->rooms[cpu], index,
				   published_row_at(layout, 0, cpu), sizeof(struct tally_cpu)))
			break;
		put(published->map + published_row_at(layout, published->generation, cpu) +
			    index * sizeof(struct tally_cpu),
		    &type->cpus[cpu], sizeof(struct tally_cpu));
	}
	return cpu;
}

static void put_type(struct published *published, size_t index, const struct tally_type *type)
{
	const struct written *written = &published->written[index];
	struct published_record record = {
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
		.base = type->base,
		.kegfree = type->kegfree,
	};

	record.cpu_count = put_cpus(published, index, type);
	put(published->map + published_records_at(&published->layout, published->generation) +
		    index * sizeof(record),
	    &record, sizeof(record));
}

static uint64_t add_lost(uint64_t lost, const struct tally_type *type)
{
	uint64_t events = type->numallocs + type->numfrees + type->failures + type->frees_unmatched;

	return lost > UINT64_MAX - 1 - events ? PUBLISHED_LOST_UNKNOWN : lost + events;
}

static void put_types(struct published *published, const struct tally *tally,
		      struct published_slot *slot)
{
	uint64_t held = published->held[published->generation & 1];

	for (size_t i = 0; i < tally->count; i++) {
		const struct tally_type *type = &tally->types[i];
		bool changed = type->changed >= held;

		if (i >= published->layout.types ||
		    !(changed ? name_type(published, i, type) : published->written[i].name != 0)) {
			slot->lost = add_lost(slot->lost, type);
			continue;
		}
		if (changed)
			put_type(published, i, type);
		slot->types = i + 1;
		if (type->cpu_count > slot->cpus)
			slot->cpus = type->cpu_count;
	}
	if (slot->cpus > published->layout.cpus)
		slot->cpus = published->layout.cpus;
}

void published_write(struct published *published, const struct tally *tally,
		     const struct published_moment *moment)
{
	struct published_head *head = (void *)published->map;
	struct published_slot slot = { .time = moment->time,
				       .lost = moment->lost,
				       .begin = moment->begin,
				       .class_count = tally->class_count };
	unsigned char *at;

	slot.generation = ++published->generation;
	at = published->map + published_slot_at(&published->layout, slot.generation);
	__atomic_store_n(&((struct published_slot *)at)->generation, slot.generation,
			 __ATOMIC_RELAXED);

	put_types(published, tally, &slot);
	published->tried = tally->count;
	slot.text_bytes = published->text_used;
	for (size_t i = 0; i < tally->class_count; i++)
		slot.class_bytes[i] = tally->class_bytes[i];
	put(at, &slot, sizeof(slot));
	published->held[slot.generation & 1] = tally->generation;

	__atomic_store_n(&head->current, slot.generation, __ATOMIC_RELEASE);
	/* What fails now may be gone the next time. */
	if (!published->place.shown)
		published_place_show(&published->place);
}

void published_left_out(const struct published *published, const struct tally *tally,
			struct published_left_out *left_out)
{
	*left_out = (struct published_left_out){ .err = published->room_err };
	for (size_t i = 0; i < published->tried; i++) {
		if (i < published->layout.types && published->written[i].name)
			continue;
		left_out->types++;
		left_out->events = add_lost(left_out->events, &tally->types[i]);
	}
}

size_t published_bytes_max(const struct published *published)
{
	return published->layout.bytes;
}

size_t published_bytes(const struct published *published)
{
	struct stat about;

	return fstat(published->place.file, &about) ? 0 : (size_t)about.st_blocks * 512;
}

static void free_published(struct published *published)
{
	free(published->rooms);
	free(published->written);
	free(published);
}

/* What is there from the start: the heads of the file and of the slots, and the first names. */
static int map_file(struct published *published)
{
	const struct published_layout *layout = &published->layout;
	struct published_head head = { .magic = PUBLISHED_MAGIC,
				       .version = PUBLISHED_VERSION,
				       .head_bytes = sizeof(head),
				       .cpus = layout->cpus,
				       .types = layout->types,
				       .text_bytes = layout->text_bytes,
				       .writer = (uint64_t)getpid() };
	void *map;

	if (layout->bytes > SIZE_MAX / 2)
		return -ENOMEM;
	if (ftruncate(published->place.file, (off_t)layout->bytes))
		return -errno;
	if (!get_room(published, 0, PUBLISHED_ALIGN) ||
	    !get_room(published, published_slot_at(layout, 0), layout->records) ||
	    !get_room(published, published_slot_at(layout, 1), layout->records) ||
	    !get_room(published, layout->text, PUBLISHED_ALIGN))
		return -ENOSPC;
	map = mmap(NULL, layout->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, published->place.file,
		   0);
	if (map == MAP_FAILED)
		return -errno;
	published->map = map;
	published->text_room = PUBLISHED_ALIGN;
	published->text_used = 1; /* 0 is no name */
	memcpy(map, &head, sizeof(head));
	return 0;
}

__attribute__((format(printf, 4, 5))) static int fail(char *why, size_t why_size, int err,
						      const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why, why_size, format, arguments);
	va_end(arguments);
	return -err;
}

/* 0: they are too many, or none. */
static size_t count_types(const struct published_settings *settings)
{
	size_t count = 0;

	for (int kind = 0; kind < TALLY_KINDS; kind++) {
		size_t most = settings->types_max[kind];

		if (!most || most > PUBLISHED_TYPES_MAX)
			return 0;
		count += most;
	}
	return count > PUBLISHED_TYPES_MAX ? 0 : count;
}

int published_create(struct published **created, const struct published_settings *settings,
		     char *why, size_t why_size)
{
	size_t types = count_types(settings);
	struct published *published;
	int err;

	if (!types || !settings->cpus || settings->cpus > PUBLISHED_CPUS_MAX)
		return fail(why, why_size, EINVAL,
			    "%s: holds from 1 to %d types and from 1 to %d CPUs", settings->path,
			    PUBLISHED_TYPES_MAX, PUBLISHED_CPUS_MAX);
	published = calloc(1, sizeof(*published));
	if (published) {
		published_layout(&published->layout, (uint32_t)settings->cpus, (uint32_t)types);
		published->written = calloc(types, sizeof(*published->written));
		published->rooms = calloc(settings->cpus, sizeof(*published->rooms));
	}
	if (!published || !published->written || !published->rooms) {
		if (published)
			free_published(published);
		return fail(why, why_size, ENOMEM, "%s", strerror(ENOMEM));
	}
	err = published_place_make(&published->place, settings, why, why_size);
	if (err) {
		free_published(published);
		return err;
	}
	err = map_file(published);
	if (err) {
		published_remove(published);
		return fail(why, why_size, -err, "%s: cannot be made: %s", settings->path,
			    strerror(-err));
	}
	*created = published;
	return 0;
}

void published_remove(struct published *published)
{
	if (!published)
		return;
	if (published->map)
		munmap(published->map, published->layout.bytes);
	published_place_leave(&published->place);
	free_published(published);
}
