/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A reading of the slab allocator: all slabs of the kernel, and which of their objects are free, as
 * the allocator itself had them at a time between begin and end.
 */
#ifndef KERNEL_HEAP_H
#define KERNEL_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define HEAP_CACHES_MAX 4096 /* a kernel has some hundreds */

struct heap_cache {
	uint64_t address; /* of the struct kmem_cache */
	char name[64];
	uint32_t size;	      /* bytes from one object to the next */
	uint32_t object_size; /* bytes */
	uint32_t first;	      /* bytes of a slab before the address of its first object */
	/* its lists changed each time: an object that seems allocated may be free */
	bool is_unsure;
};

struct heap_slab {
	uint64_t address; /* of its memory */
	uint32_t cache;	  /* index in heap_reading.caches */
	uint32_t objects;
	uint32_t bytes;	 /* of its memory */
	bool is_unknown; /* it changed while it was read: which objects are free is unknown */
	size_t free;	 /* index of its first word in heap_reading.free */
};

/* All 0: there is none. */
struct heap_reading {
	uint64_t begin, end; /* ns, the capture's clock */
	bool is_whole;	     /* parsed with its last line */
	struct heap_cache *caches;
	size_t cache_count;
	struct heap_slab *slabs; /* by address, after heap_reading_sort() */
	size_t slab_count;
	uint64_t *free; /* a bit for each object, from the lowest of a word on; 1: it is free */
	size_t free_words, free_space;
};

/* Of a capture: at its begin, if count is 2, and at its end. */
struct heap_readings {
	struct heap_reading list[2];
	size_t count;
};

enum heap_object_state {
	HEAP_OBJECT_ALLOCATED,
	HEAP_OBJECT_FREE,
	HEAP_OBJECT_NO_SLAB, /* no slab is at its address: the slab was given back */
	HEAP_OBJECT_UNKNOWN,
};

/* Add a cache, and a slab whose objects are all allocated. 0 or -ENOMEM. */
int heap_reading_add_cache(struct heap_reading *reading, const struct heap_cache *cache);
int heap_reading_add_slab(struct heap_reading *reading, const struct heap_slab *slab);

/* Has the slab the memory for its objects? */
bool heap_slab_fits(const struct heap_reading *reading, const struct heap_slab *slab);

/* Of the slab: its objects, by the number of bytes from its begin. False: no object is there. */
bool heap_reading_set_free(struct heap_reading *reading, const struct heap_slab *slab,
			   uint64_t offset);

/* Words of heap_reading.free that a slab has. */
size_t heap_slab_words(uint32_t objects);

/* After the last slab. */
void heap_reading_sort(struct heap_reading *reading);

/* The slab that has the address, or NULL. */
struct heap_slab *heap_reading_slab(const struct heap_reading *reading, uint64_t address);

bool heap_slab_is_free(const struct heap_reading *reading, const struct heap_slab *slab,
		       uint32_t number);

/* The address of an object of a slab, by its number. */
uint64_t heap_slab_object(const struct heap_reading *reading, const struct heap_slab *slab,
			  uint32_t number);

/* The state of the object at this address. */
enum heap_object_state heap_reading_state(const struct heap_reading *reading, uint64_t address);

/* The number of free objects of a slab. */
uint32_t heap_slab_free(const struct heap_reading *reading, const struct heap_slab *slab);

/*
 * Lines of kernel/heap: "heap BEGIN END" begins a reading; then "cache ADDRESS SIZE OBJECT_SIZE
 * FIRST NAME" for each cache, "unsure CACHE" for some of them, and "slab CACHE ADDRESS BYTES
 * OBJECTS FREE" for each slab. CACHE is the number of the cache's line, from 0; ADDRESS is
 * hexadecimal with 0x, the other numbers are decimal. FREE: "-" if no object is free, "?" if that
 * is unknown, or hexadecimal digits, each of four objects, the lowest bit of the first digit for
 * the first object; 0s at the end are left out. "end SLABS" ends the reading, with the number of
 * its slabs: without it the file was cut off. Of several readings the first and the last one count.
 * Lines with other keys are skipped. 0 or -errno; -EINVAL: a line is damaged, and there are no
 * readings.
 */
int heap_reading_write(FILE *file, const struct heap_reading *reading);
int heap_readings_parse(struct heap_readings *readings, const char *text);
void heap_reading_deinit(struct heap_reading *reading);
void heap_readings_deinit(struct heap_readings *readings);

#endif
