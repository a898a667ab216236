// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A hash index with linear probing. Removing an object leaves no tombstone: the slots after it move
 * up, so that the index stays fast after many removals. Probing and moving touch the 8 bytes of a
 * slot; the object itself is read once.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/object_table.h"

#define SLOTS_FIRST 4096
#define SLOTS_MAX ((uint64_t)1 << 32) /* a hash has 32 bits */

int object_table_init(struct object_table *objects)
{
	*objects = (struct object_table){ .mask = SLOTS_FIRST - 1, .seed = hash_seed() };
	objects->slots = calloc(SLOTS_FIRST, sizeof(*objects->slots));
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

static void insert_slot(struct object_table *objects, struct object_slot added)
{
	size_t slot = added.hash & objects->mask;

	while (objects->slots[slot].number)
		slot = (slot + 1) & objects->mask;
	objects->slots[slot] = added;
}

static int grow_objects(struct object_table *objects)
{
	uint64_t slots = ((uint64_t)objects->mask + 1) * 2;
	struct object_table bigger = *objects;

	bigger.mask = objects->mask * 2 + 1;
	bigger.slots = slots <= SLOTS_MAX && slots <= SIZE_MAX / sizeof(*bigger.slots)
			       ? calloc((size_t)slots, sizeof(*bigger.slots))
			       : NULL;
	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i <= objects->mask; i++)
		if (objects->slots[i].number)
			insert_slot(&bigger, objects->slots[i]);
	free(objects->slots);
	*objects = bigger;
	return 0;
}

/* Makes room for OBJECT_TABLE_CHUNK more objects. */
static int add_chunk(struct object_table *objects)
{
	size_t index = objects->used / OBJECT_TABLE_CHUNK;
	struct slab_object **chunks = objects->chunks;

	if (!(index & (index - 1))) { /* a power of 2: double the list */
		chunks = reallocarray(chunks, index ? index * 2 : 1, sizeof(*chunks));
		if (!chunks)
			return -ENOMEM;
		objects->chunks = chunks;
	}
	chunks[index] = malloc(OBJECT_TABLE_CHUNK * sizeof(**chunks));
	return chunks[index] ? 0 : -ENOMEM;
}

/* The number of an unused object, + 1; 0: no memory. */
static uint32_t claim_object(struct object_table *objects)
{
	uint32_t number = objects->unused;

	if (number) {
		objects->unused = slab_object(objects, number - 1)->next_unused;
		return number;
	}
	if (objects->used % OBJECT_TABLE_CHUNK == 0 && add_chunk(objects))
		return 0;
	return (uint32_t)++objects->used;
}

struct slab_object *object_table_insert_growing(struct object_table *objects, uint64_t address,
						uint32_t hash)
{
	struct object_slot slot = { .hash = hash };
	struct slab_object *object;

	if (object_table_must_grow(objects) && grow_objects(objects))
		return NULL;
	slot.number = claim_object(objects);
	if (!slot.number)
		return NULL;
	insert_slot(objects, slot);
	objects->count++;
	object = slab_object(objects, slot.number - 1);
	object->address = address;
	return object;
}

struct slab_object *object_table_add_hashed(struct object_table *objects, uint64_t address,
					    uint32_t hash)
{
	size_t slot;
	struct slab_object *object = object_table_probe(objects, address, hash, &slot);

	if (object)
		return object;
	object = object_table_insert(objects, slot, address, hash);
	if (object)
		*object = (struct slab_object){ .address = address };
	return object;
}

/* The slot of an object that is in the table. */
static size_t find_slot(const struct object_table *objects, const struct slab_object *object)
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
	object_table_remove_slot(objects, find_slot(objects, object), object);
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
