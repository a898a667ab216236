// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds objects in a reading of the slab allocator, and keeps it as text. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/text.h"
#include "kernel/heap.h"

#define WORD_BITS 64
#define DIGITS_OF_A_WORD 16
#define SLAB_OBJECTS_MAX 32767 /* the kernel counts them with 15 bits */

int heap_reading_add_cache(struct heap_reading *reading, const struct heap_cache *cache)
{
	struct heap_cache *caches =
		array_grow(reading->caches, reading->cache_count, sizeof(*caches));

	if (!caches)
		return -ENOMEM;
	reading->caches = caches;
	caches[reading->cache_count++] = *cache;
	return 0;
}

size_t heap_slab_words(uint32_t objects)
{
	return ((size_t)objects + WORD_BITS - 1) / WORD_BITS;
}

int heap_reading_add_slab(struct heap_reading *reading, const struct heap_slab *slab)
{
	size_t words = reading->free_words + heap_slab_words(slab->objects);
	struct heap_slab *slabs = array_grow(reading->slabs, reading->slab_count, sizeof(*slabs));
	uint64_t *free_bits;

	if (!slabs)
		return -ENOMEM;
	reading->slabs = slabs;
	free_bits =
		array_grow_zeroed(reading->free, &reading->free_space, words, sizeof(*free_bits));
	if (!free_bits)
		return -ENOMEM;
	reading->free = free_bits;
	slabs[reading->slab_count] = *slab;
	slabs[reading->slab_count++].free = reading->free_words;
	reading->free_words = words;
	return 0;
}

/* The number of the object; UINT32_MAX: none is there. */
static uint32_t number_of_object(const struct heap_reading *reading, const struct heap_slab *slab,
				 uint64_t offset)
{
	const struct heap_cache *cache = &reading->caches[slab->cache];

	if (offset < cache->first || !cache->size)
		return UINT32_MAX;
	offset -= cache->first;
	if (offset % cache->size || offset / cache->size >= slab->objects)
		return UINT32_MAX;
	return (uint32_t)(offset / cache->size);
}

bool heap_reading_set_free(struct heap_reading *reading, const struct heap_slab *slab,
			   uint64_t offset)
{
	uint32_t number = number_of_object(reading, slab, offset);

	if (number == UINT32_MAX)
		return false;
	reading->free[slab->free + number / WORD_BITS] |= (uint64_t)1 << number % WORD_BITS;
	return true;
}

static int compare_slabs(const void *left, const void *right)
{
	const struct heap_slab *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

void heap_reading_sort(struct heap_reading *reading)
{
	if (reading->slab_count)
		qsort(reading->slabs, reading->slab_count, sizeof(*reading->slabs), compare_slabs);
}

bool heap_slab_fits(const struct heap_reading *reading, const struct heap_slab *slab)
{
	const struct heap_cache *cache = &reading->caches[slab->cache];

	return !slab->objects ||
	       cache->first + (uint64_t)slab->objects * cache->size <= slab->bytes;
}

struct heap_slab *heap_reading_slab(const struct heap_reading *reading, uint64_t address)
{
	size_t low = 0, high = reading->slab_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (reading->slabs[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address - reading->slabs[low - 1].address >= reading->slabs[low - 1].bytes)
		return NULL;
	return &reading->slabs[low - 1];
}

bool heap_slab_is_free(const struct heap_reading *reading, const struct heap_slab *slab,
		       uint32_t number)
{
	return reading->free[slab->free + number / WORD_BITS] >> number % WORD_BITS & 1;
}

enum heap_object_state heap_reading_state(const struct heap_reading *reading, uint64_t address)
{
	const struct heap_slab *slab = heap_reading_slab(reading, address);
	uint32_t number;

	if (!slab)
		return HEAP_OBJECT_NO_SLAB;
	/* the pages of KFENCE are slabs too, with an object at any place */
	if (slab->is_unknown)
		return HEAP_OBJECT_UNKNOWN;
	number = number_of_object(reading, slab, address - slab->address);
	/* the slab of an object can be given back, and its pages become a slab of another cache */
	if (number == UINT32_MAX)
		return HEAP_OBJECT_NO_SLAB;
	return heap_slab_is_free(reading, slab, number) ? HEAP_OBJECT_FREE : HEAP_OBJECT_ALLOCATED;
}

uint64_t heap_slab_object(const struct heap_reading *reading, const struct heap_slab *slab,
			  uint32_t number)
{
	const struct heap_cache *cache = &reading->caches[slab->cache];

	return slab->address + cache->first + (uint64_t)number * cache->size;
}

uint32_t heap_slab_free(const struct heap_reading *reading, const struct heap_slab *slab)
{
	uint32_t count = 0;

	for (size_t i = 0; i < heap_slab_words(slab->objects); i++)
		count += (uint32_t)__builtin_popcountll(reading->free[slab->free + i]);
	return count;
}

static void write_free(FILE *file, const struct heap_reading *reading, const struct heap_slab *slab)
{
	const uint64_t *bits = &reading->free[slab->free];
	size_t digits = heap_slab_words(slab->objects) * DIGITS_OF_A_WORD;

	while (digits &&
	       !(bits[(digits - 1) / DIGITS_OF_A_WORD] >> (digits - 1) % DIGITS_OF_A_WORD * 4 & 15))
		digits--;
	if (slab->is_unknown || !digits)
		putc(slab->is_unknown ? '?' : '-', file);
	for (size_t i = 0; !slab->is_unknown && i < digits; i++)
		putc("0123456789abcdef"[bits[i / DIGITS_OF_A_WORD] >> i % DIGITS_OF_A_WORD * 4 &
					15],
		     file);
	putc('\n', file);
}

int heap_reading_write(FILE *file, const struct heap_reading *reading)
{
	fprintf(file, "heap %" PRIu64 " %" PRIu64 "\n", reading->begin, reading->end);
	for (size_t i = 0; i < reading->cache_count; i++) {
		const struct heap_cache *cache = &reading->caches[i];

		fprintf(file, "cache 0x%" PRIx64 " %" PRIu32 " %" PRIu32 " %" PRIu32 " ",
			cache->address, cache->size, cache->object_size, cache->first);
		text_write_rest(file, cache->name);
		putc('\n', file);
	}
	for (size_t i = 0; i < reading->cache_count; i++)
		if (reading->caches[i].is_unsure)
			fprintf(file, "unsure %zu\n", i);
	for (size_t i = 0; i < reading->slab_count; i++) {
		const struct heap_slab *slab = &reading->slabs[i];

		fprintf(file, "slab %" PRIu32 " 0x%" PRIx64 " %" PRIu32 " %" PRIu32 " ",
			slab->cache, slab->address, slab->bytes, slab->objects);
		write_free(file, reading, slab);
	}
	fprintf(file, "end %zu\n", reading->slab_count);
	return text_write_result(file);
}

static int parse_cache(struct heap_reading *reading, struct line *line)
{
	struct heap_cache cache = { 0 };

	if (reading->cache_count == HEAP_CACHES_MAX || !line_u64(line, 16, &cache.address) ||
	    !line_u32(line, &cache.size) || !line_u32(line, &cache.object_size) ||
	    !line_u32(line, &cache.first) || !cache.size)
		return -EINVAL;
	line_rest(line, cache.name, sizeof(cache.name));
	return heap_reading_add_cache(reading, &cache);
}

static int parse_unsure(struct heap_reading *reading, struct line *line)
{
	uint32_t number;

	if (!line_u32(line, &number) || number >= reading->cache_count)
		return -EINVAL;
	reading->caches[number].is_unsure = true;
	return 0;
}

static bool parse_free(struct heap_reading *reading, const struct heap_slab *slab,
		       const char *digits)
{
	uint64_t *bits = &reading->free[slab->free];

	for (size_t i = 0; digits[i]; i++) {
		uint64_t digit = digit_value(digits[i]);

		if (digit > 15 || 4 * i >= slab->objects ||
		    (slab->objects - 4 * i < 4 && digit >> (slab->objects - 4 * i)))
			return false;
		bits[i / DIGITS_OF_A_WORD] |= digit << i % DIGITS_OF_A_WORD * 4;
	}
	return true;
}

static int parse_slab(struct heap_reading *reading, struct line *line)
{
	char digits[SLAB_OBJECTS_MAX / 4 + 2];
	struct heap_slab slab = { 0 };
	int err;

	if (!line_u32(line, &slab.cache) || slab.cache >= reading->cache_count ||
	    !line_u64(line, 16, &slab.address) || !line_u32(line, &slab.bytes) ||
	    !line_u32(line, &slab.objects) || slab.objects > SLAB_OBJECTS_MAX ||
	    slab.address > UINT64_MAX - slab.bytes)
		return -EINVAL;
	if (!heap_slab_fits(reading, &slab))
		return -EINVAL;
	line_word(line, digits, sizeof(digits));
	slab.is_unknown = !strcmp(digits, "?");
	err = heap_reading_add_slab(reading, &slab);
	if (err || slab.is_unknown || !strcmp(digits, "-"))
		return err;
	return parse_free(reading, &reading->slabs[reading->slab_count - 1], digits) ? 0 : -EINVAL;
}

static bool slabs_overlap(const struct heap_reading *reading)
{
	for (size_t i = 1; i < reading->slab_count; i++)
		if (reading->slabs[i].address - reading->slabs[i - 1].address <
		    reading->slabs[i - 1].bytes)
			return true;
	return false;
}

/* The reading that the next lines belong to; NULL: its line is damaged. */
static struct heap_reading *begin_reading(struct heap_readings *readings, struct line *line)
{
	struct heap_reading *reading;

	if (readings->count == 2)
		heap_reading_deinit(&readings->list[1]);
	else
		readings->count++;
	reading = &readings->list[readings->count - 1];
	return line_u64(line, 10, &reading->begin) && line_u64(line, 10, &reading->end) &&
			       reading->begin <= reading->end
		       ? reading
		       : NULL;
}

static bool parse_end(struct heap_reading *reading, struct line *line)
{
	uint64_t slabs;

	reading->is_whole = line_u64(line, 10, &slabs) && slabs == reading->slab_count;
	return reading->is_whole;
}

static int parse_line(struct heap_readings *readings, struct line *line)
{
	struct heap_reading *reading = &readings->list[readings->count ? readings->count - 1 : 0];

	if (line_key(line, "heap"))
		return begin_reading(readings, line) ? 0 : -EINVAL;
	if (line_key(line, "cache"))
		return parse_cache(reading, line);
	if (line_key(line, "unsure"))
		return parse_unsure(reading, line);
	if (line_key(line, "end"))
		return parse_end(reading, line) ? 0 : -EINVAL;
	return line_key(line, "slab") ? parse_slab(reading, line) : 0;
}

int heap_readings_parse(struct heap_readings *readings, const char *text)
{
	struct line line;
	int err = 0;

	*readings = (struct heap_readings){ 0 };
	while (!err && line_next(&line, &text))
		err = parse_line(readings, &line);
	for (size_t i = 0; i < readings->count && !err; i++) {
		heap_reading_sort(&readings->list[i]);
		if (!readings->list[i].is_whole || slabs_overlap(&readings->list[i]))
			err = -EINVAL;
	}
	if (err)
		heap_readings_deinit(readings);
	return err;
}

void heap_reading_deinit(struct heap_reading *reading)
{
	free(reading->caches);
	free(reading->slabs);
	free(reading->free);
	*reading = (struct heap_reading){ 0 };
}

void heap_readings_deinit(struct heap_readings *readings)
{
	for (size_t i = 0; i < 2; i++)
		heap_reading_deinit(&readings->list[i]);
	readings->count = 0;
}
