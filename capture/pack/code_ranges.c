// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A range is the union of the extents of symbols and modules that overlap. A symbol extends over
 * the addresses for which kernel/symbols.c may find it.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/param.h>

#include "base/number.h"
#include "capture/pack/code_ranges.h"

#define PAGE_BYTES 4096 /* kernels move code by a multiple of this, or of more */
/* Init code is not further behind the other code of a kernel. Kernels have 20 MiB between them. */
#define EXTENT_MAX (1U << 26)
#define MODULE_MAX (1U << 28)	  /* bytes; a larger module is damage */
#define EXTENT_UNKNOWN (1U << 16) /* of a symbol whose end is unknown */
/* The least distance of two ranges: no symbol reaches over it. */
#define BETWEEN (EXTENT_UNKNOWN + PAGE_BYTES)
/* Slabs lie in blocks of this size. Objects of some machines have addresses beside the kernel. */
#define BLOCK_BYTES (1U << 22)

static void add_range(struct code_ranges *ranges, uint64_t address, uint64_t size, bool of_kernel)
{
	uint64_t end = address > UINT64_MAX - size - PAGE_BYTES
			       ? -(uint64_t)PAGE_BYTES
			       : (address + size + PAGE_BYTES - 1) & -(uint64_t)PAGE_BYTES;

	address &= -(uint64_t)PAGE_BYTES;
	if (!address || address >= end) /* hidden, or an error code */
		return;
	ranges->list[ranges->count++] =
		(struct code_range){ .begin = address, .end = end, .of_kernel = of_kernel };
}

static void add_symbol(struct code_ranges *ranges, const struct symbols *symbols,
		       const struct symbol *symbol)
{
	bool of_kernel = !*symbols_string(symbols, symbol->module);
	uint64_t size = MIN(symbol->size, EXTENT_MAX);

	/* an address behind the last symbol of a module belongs to it in the same page only */
	if (!size)
		size = of_kernel || !symbols->modules.listed ? EXTENT_UNKNOWN : 1;
	/* with the first byte behind it, where the next symbol begins */
	add_range(ranges, symbol->address, size + 1, of_kernel);
}

static int collect_ranges(struct code_ranges *ranges, const struct symbols *symbols)
{
	size_t space = symbols->count + symbols->modules.count + SYMBOLS_ENDS;

	ranges->list = reallocarray(NULL, space, sizeof(*ranges->list));
	if (!ranges->list)
		return -ENOMEM;
	for (size_t i = 0; i < symbols->count; i++)
		add_symbol(ranges, symbols, &symbols->list[i]);
	for (size_t i = 0; i < SYMBOLS_ENDS; i++)
		add_range(ranges, symbols->ends[i], 1, true);
	for (size_t i = 0; i < symbols->modules.count; i++) {
		const struct symbols_module *module = &symbols->modules.list[i];

		add_range(ranges, module->address, MIN(module->end - module->address, MODULE_MAX),
			  false);
	}
	return 0;
}

static int compare_ranges(const void *left, const void *right)
{
	const struct code_range *a = left, *b = right;

	return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Between the code and the init code of a kernel lies its data, with the names of caches. */
static bool is_one_kernel(const struct code_range *range, const struct code_range *next)
{
	return range->of_kernel && next->of_kernel && next->begin - range->end < EXTENT_MAX;
}

static void join_ranges(struct code_ranges *ranges)
{
	struct code_range *last = ranges->list;

	if (!ranges->count)
		return;
	qsort(ranges->list, ranges->count, sizeof(*ranges->list), compare_ranges);
	for (size_t i = 1; i < ranges->count; i++) {
		const struct code_range *range = &ranges->list[i];

		if (range->begin < last->end || is_one_kernel(last, range)) {
			last->end = MAX(last->end, range->end);
			last->of_kernel |= range->of_kernel;
		} else {
			*++last = *range;
		}
	}
	ranges->count = (size_t)(last - ranges->list) + 1;
}

/*
 * Some kernels use the memory of their init code for slabs, at the same addresses. So a range of
 * the kernel is extended to whole blocks: no slab lies in it in part.
 */
static void extend_ranges(struct code_ranges *ranges)
{
	for (size_t i = 0; i < ranges->count; i++) {
		struct code_range *range = &ranges->list[i];
		uint64_t least = i ? range[-1].end : PAGE_BYTES;
		uint64_t most = i + 1 < ranges->count ? range[1].begin : -(uint64_t)PAGE_BYTES;
		uint64_t begin = range->begin & -(uint64_t)BLOCK_BYTES;
		uint64_t end = (range->end + BLOCK_BYTES - 1) & -(uint64_t)BLOCK_BYTES;

		if (!range->of_kernel)
			continue;
		range->begin = MAX(begin, least);
		if (end > range->end)
			range->end = MIN(end, most);
	}
}

/* Draws how the bytes of the area that no range needs are spread before and between the ranges. */
static int place_ranges(struct code_ranges *ranges, struct random_numbers *random, uint64_t base,
			uint64_t size)
{
	uint64_t needed = 0, *free_before;
	int err = 0;

	for (size_t i = 0; i < ranges->count; i++) {
		needed += ranges->list[i].end - ranges->list[i].begin + BETWEEN;
		if (needed > size - PAGE_BYTES)
			return -ERANGE;
	}
	free_before = reallocarray(NULL, ranges->count + 1, sizeof(*free_before));
	if (!free_before)
		return -ENOMEM;
	for (size_t i = 0; i < ranges->count && !err; i++)
		err = random_below(random, (size - needed) / PAGE_BYTES, &free_before[i]);
	if (!err && ranges->count)
		qsort(free_before, ranges->count, sizeof(*free_before), compare_u64);
	for (size_t i = 0; i < ranges->count && !err; i++) {
		struct code_range *range = &ranges->list[i];

		range->moved = base + free_before[i] * PAGE_BYTES;
		base += range->end - range->begin + BETWEEN;
	}
	free(free_before);
	return err;
}

int code_ranges_init(struct code_ranges *ranges, const struct symbols *symbols,
		     struct random_numbers *random, uint64_t base, uint64_t size)
{
	int err;

	*ranges = (struct code_ranges){ 0 };
	err = collect_ranges(ranges, symbols);
	if (!err) {
		join_ranges(ranges);
		extend_ranges(ranges);
		err = place_ranges(ranges, random, base, size);
	}
	if (err)
		code_ranges_deinit(ranges);
	return err;
}

void code_ranges_deinit(struct code_ranges *ranges)
{
	free(ranges->list);
	*ranges = (struct code_ranges){ 0 };
}

const struct code_range *code_ranges_find(const struct code_ranges *ranges, uint64_t address)
{
	size_t low = 0, high = ranges->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges->list[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < ranges->list[low - 1].end ? &ranges->list[low - 1] : NULL;
}
