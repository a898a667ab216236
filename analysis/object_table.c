// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An index with linear probing. A place that is given up leaves no tombstone: those behind it move
 * up, so that an index that lives long stays as fast as a new one. What is probed for and moved is
 * 8 bytes; the block is looked at once.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/object_table.h"

#define PLACES_FIRST 4096
#define PLACES_MAX ((uint64_t)1 << 32) /* a hash has no more bits */

int object_table_init(struct object_table *objects)
{
	*objects = (struct object_table){ .mask = PLACES_FIRST - 1, .seed = hash_seed() };
	objects->slots = calloc(PLACES_FIRST, sizeof(*objects->slots));
	return objects->slots ? 0 : -ENOMEM;
}

void object_table_deinit(struct object_table *objects)
{
	for (size_t i = 0; i * OBJECT_TABLE_CHUNK < objects->used; i++)
		free(objects->chunks[i]);
	free(objects->chunks);
	free(objects->slots);
	*objects = (struct object_table){ 0 };
}

static void put(struct object_table *objects, struct object_slot one)
{
	size_t slot = one.hash & objects->mask;

	while (objects->slots[slot].number)
		slot = (slot + 1) & objects->mask;
	objects->slots[slot] = one;
}

static int grow(struct object_table *objects)
{
	uint64_t slots = ((uint64_t)objects->mask + 1) * 2;
	struct object_table bigger = *objects;

	bigger.mask = objects->mask * 2 + 1;
	bigger.slots = slots <= PLACES_MAX && slots <= SIZE_MAX / sizeof(*bigger.slots)
			       ? calloc((size_t)slots, sizeof(*bigger.slots))
			       : NULL;
	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i <= objects->mask; i++)
		if (objects->slots[i].number)
			put(&bigger, objects->slots[i]);
	free(objects->slots);
	*objects = bigger;
	return 0;
}

/* Memory for OBJECT_TABLE_CHUNK blocks more. */
static int add_chunk(struct object_table *objects)
{
	size_t index = objects->used / OBJECT_TABLE_CHUNK;
	struct slab_object **chunks = objects->chunks;

	if (!(index & (index - 1))) { /* a power of 2: as many again */
		chunks = reallocarray(chunks, index ? index * 2 : 1, sizeof(*chunks));
		if (!chunks)
			return -ENOMEM;
		objects->chunks = chunks;
	}
	chunks[index] = malloc(OBJECT_TABLE_CHUNK * sizeof(**chunks));
	return chunks[index] ? 0 : -ENOMEM;
}

/* Number of a block that nobody has, + 1; or 0: no memory. */
static uint32_t take_block(struct object_table *objects)
{
	uint32_t number = objects->idle;

	if (number) {
		objects->idle = slab_object(objects, number - 1)->group;
		return number;
	}
	if (objects->used % OBJECT_TABLE_CHUNK == 0 && add_chunk(objects))
		return 0;
	return (uint32_t)++objects->used;
}

struct slab_object *object_table_add_hashed(struct object_table *objects, uint64_t address,
					    uint32_t hash)
{
	struct slab_object *object = object_table_find_hashed(objects, address, hash);
	struct object_slot slot = { .hash = hash };

	if (object)
		return object;
	/* fuller than five eighths, a search takes too many steps */
	if (objects->count >= objects->mask / 8 * 5 && grow(objects))
		return NULL;
	slot.number = take_block(objects);
	if (!slot.number)
		return NULL;
	put(objects, slot);
	objects->count++;
	object = slab_object(objects, slot.number - 1);
	*object = (struct slab_object){ .address = address };
	return object;
}

/* The place that leads to the block, which is there. */
static size_t find_place(const struct object_table *objects, const struct slab_object *object)
{
	uint32_t hash = hash_address(objects->seed, object->address);
	size_t slot = hash & objects->mask;

	while (objects->slots[slot].hash != hash ||
	       slab_object(objects, objects->slots[slot].number - 1) != object)
		slot = (slot + 1) & objects->mask;
	return slot;
}

void object_table_remove(struct object_table *objects, struct slab_object *object)
{
	struct object_slot *slots = objects->slots;
	size_t hole = find_place(objects, object);
	uint32_t number = slots[hole].number;

	for (size_t i = (hole + 1) & objects->mask; slots[i].number; i = (i + 1) & objects->mask) {
		/* It may move up only if the hole is no further from its home than it is itself. */
		size_t distance = (i - slots[i].hash) & objects->mask;

		if (distance >= ((i - hole) & objects->mask)) {
			slots[hole] = slots[i];
			hole = i;
		}
	}
	slots[hole].number = 0;
	object->address = 0; /* whoever still holds it sees that it is not his */
	object->group = objects->idle;
	objects->idle = number;
	objects->count--;
}

struct slab_object *object_table_next(const struct object_table *objects, size_t *next)
{
	while (*next < objects->used) {
		struct slab_object *object = slab_object(objects, (*next)++);

		if (object->address)
			return object;
	}
	return NULL;
}
