// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sorts the symbols that were read, computes their sizes and finds the snapshots. The input
 * consists of a few sorted runs: the kernel, then each module, then symbols made at run time.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/array.h"
#include "kernel/symbols_order.h"

/* Each pending run is at least twice as long as the next: 64 runs are enough for 2^64 symbols. */
#define RUNS_MAX 64

/* Parts of a module, its code and its init code, are at least this far apart, in bytes. */
#define GAP_MIN 4096

/*
 * A module that is loaded a thousand times has as many entries at its address, and a kernel has
 * some hundred gaps between symbols. A hostile file may have millions of both.
 */
#define STEPS_MAX (1U << 28)

struct sorter {
	struct symbol *list, *spare;
	size_t spare_space;
	size_t starts[RUNS_MAX + 1]; /* of the pending runs, and the end of the last */
	size_t count;
};

static bool is_after(const struct symbol *a, const struct symbol *b)
{
	return a->since > b->since || (a->since == b->since && a->address > b->address);
}

/* The index of the first element in start..end that follows the symbol in the order. */
static size_t find_after(const struct symbol *list, size_t start, size_t end,
			 const struct symbol *symbol)
{
	while (start < end) {
		size_t middle = start + (end - start) / 2;

		if (is_after(&list[middle], symbol))
			end = middle;
		else
			start = middle + 1;
	}
	return start;
}

static int reserve_spare(struct sorter *sorter, size_t count)
{
	if (count <= sorter->spare_space)
		return 0;
	free(sorter->spare);
	count = MAX(count, 2 * sorter->spare_space);
	sorter->spare = reallocarray(NULL, count, sizeof(*sorter->spare));
	sorter->spare_space = sorter->spare ? count : 0;
	return sorter->spare ? 0 : -ENOMEM;
}

/* Merges the last two runs. The merge is stable. */
static int merge_runs(struct sorter *sorter)
{
	size_t *starts = &sorter->starts[sorter->count - 2];
	size_t right = starts[1], end = starts[2];
	struct symbol *list = sorter->list;
	size_t to = find_after(list, starts[0], right, &list[right]);
	size_t count = right - to;
	int err = reserve_spare(sorter, count);

	if (err)
		return err;
	if (count)
		memcpy(sorter->spare, list + to, count * sizeof(*list));
	for (size_t left = 0; left < count; to++) {
		bool from_right = right < end && is_after(&sorter->spare[left], &list[right]);

		list[to] = from_right ? list[right++] : sorter->spare[left++];
	}
	starts[1] = end;
	sorter->count--;
	return 0;
}

/* Is the run before the last one shorter than twice the last? */
static bool must_merge_runs(const struct sorter *sorter)
{
	const size_t *starts = &sorter->starts[sorter->count - 2];

	return starts[1] - starts[0] < 2 * (starts[2] - starts[1]);
}

static size_t find_run_end(const struct symbol *list, size_t start, size_t count)
{
	while (++start < count && !is_after(&list[start - 1], &list[start]))
		;
	return start;
}

/*
 * A stable sort by since and address, in linear time for few runs and n log n for any: the
 * alpha-stack sort of Auger, Nicaud and Pivoteau, Merge Strategies: from Merge Sort to TimSort,
 * 2015.
 */
static int sort_symbols(struct symbols *symbols)
{
	struct sorter sorter = { .list = symbols->list };
	size_t end = 0;
	int err = 0;

	while (!err && end < symbols->count) {
		end = find_run_end(symbols->list, end, symbols->count);
		sorter.starts[++sorter.count] = end;
		while (!err && sorter.count > 1 && must_merge_runs(&sorter))
			err = merge_runs(&sorter);
	}
	while (!err && sorter.count > 1)
		err = merge_runs(&sorter);
	free(sorter.spare);
	return err;
}

static bool same_string(const struct symbols *symbols, uint32_t a, uint32_t b)
{
	return a == b || !strcmp(symbols->text + a, symbols->text + b);
}

/*
 * Does the module end between these addresses, so that the second is in another part of it? *steps
 * counts the modules that were compared.
 */
static bool module_ends_between(const struct symbols *symbols, const struct symbol *symbol,
				uint64_t next, uint64_t *steps)
{
	size_t index = symbols_modules_behind(&symbols->modules, symbol->address);
	const struct symbols_module *module;

	while ((module = symbols_modules_next(&symbols->modules, symbol->address, &index)) &&
	       ++*steps < STEPS_MAX)
		if (module->end <= next && same_string(symbols, module->name, symbol->module))
			return true;
	return false;
}

/* A symbol ends where the next symbol of its module begins. next: NULL, or the next symbol. */
static uint64_t find_symbol_size(const struct symbols *symbols, const struct symbol *symbol,
				 const struct symbol *next, uint64_t *steps)
{
	uint64_t size = 0;

	if (next && next->since == symbol->since &&
	    same_string(symbols, next->module, symbol->module))
		size = next->address - symbol->address;
	if (symbols->text[symbol->module])
		return size > GAP_MIN && module_ends_between(symbols, symbol, next->address, steps)
			       ? 0
			       : size;
	for (size_t i = 0; i < SYMBOLS_ENDS; i++)
		if (symbols->ends[i] > symbol->address &&
		    symbols->ends[i] - symbol->address < (size ? size : UINT64_MAX))
			size = symbols->ends[i] - symbol->address;
	return size;
}

/* Keeps the first of several names of an address. 0, or -EFBIG after STEPS_MAX steps. */
static int compute_sizes(struct symbols *symbols)
{
	struct symbol *list = symbols->list;
	uint64_t steps = 0;
	size_t count = 0;

	if (!symbols->count)
		return 0;
	for (size_t i = 1; i < symbols->count; i++) {
		if (list[i].since == list[count].since && list[i].address == list[count].address)
			continue;
		list[count].size = find_symbol_size(symbols, &list[count], &list[i], &steps);
		list[++count] = list[i];
	}
	list[count].size = find_symbol_size(symbols, &list[count], NULL, &steps);
	symbols->count = count + 1;
	return steps < STEPS_MAX ? 0 : -EFBIG;
}

static int index_snapshots(struct symbols *symbols)
{
	symbols->snapshot_count = 0;
	for (size_t i = 0; i < symbols->count; i++) {
		struct symbols_snapshot *list = symbols->snapshots;

		if (i && symbols->list[i].since == symbols->list[i - 1].since)
			continue;
		list = array_grow(list, symbols->snapshot_count, sizeof(*list));
		if (!list)
			return -ENOMEM;
		symbols->snapshots = list;
		list[symbols->snapshot_count++] = (struct symbols_snapshot){
			.since = symbols->list[i].since,
			.first = i,
		};
	}
	return 0;
}

/*
 * Removes from each snapshot the symbols that the snapshot before it has. It compares with that
 * snapshot only: a module can return to an address that another module used in between.
 */
static int remove_repeats(struct symbols *symbols)
{
	struct symbol *list = symbols->list;
	size_t count = 0;

	for (size_t snapshot = symbols->snapshot_count; snapshot-- > 1;) {
		size_t old = symbols->snapshots[snapshot - 1].first;
		size_t old_end = symbols->snapshots[snapshot].first;
		size_t end = symbols_snapshot_end(symbols, snapshot);

		for (size_t fresh = old_end; fresh < end; fresh++) {
			while (old < old_end && list[old].address < list[fresh].address)
				old++;
			if (old < old_end && list[old].address == list[fresh].address &&
			    same_string(symbols, list[old].name, list[fresh].name) &&
			    same_string(symbols, list[old].module, list[fresh].module))
				list[fresh].address = 0;
		}
	}
	for (size_t i = 0; i < symbols->count; i++)
		if (list[i].address)
			list[count++] = list[i];
	symbols->count = count;
	return index_snapshots(symbols);
}

int symbols_order(struct symbols *symbols)
{
	int err = sort_symbols(symbols);

	if (err)
		return err;
	err = compute_sizes(symbols);
	if (!err)
		err = index_snapshots(symbols);
	return !err && symbols->snapshot_count > 1 ? remove_repeats(symbols) : err;
}
