// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Snapshots of kallsyms, searched by address and by name. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "kernel/symbols.h"

/*
 * kallsyms does not have the end of a last symbol. Without the end of its module, we assume that
 * the symbol has at most this size, in bytes: the next symbol may be gigabytes away.
 */
#define LAST_SIZE_MAX 65536

void symbols_deinit(struct symbols *symbols)
{
	free(symbols->list);
	free(symbols->snapshots);
	free(symbols->text);
	symbols_modules_deinit(&symbols->modules);
	*symbols = (struct symbols){ 0 };
}

size_t symbols_snapshot_end(const struct symbols *symbols, size_t snapshot)
{
	return snapshot + 1 < symbols->snapshot_count ? symbols->snapshots[snapshot + 1].first
						      : symbols->count;
}

/* Does the symbol begin in addresses that are known to have been its module's? */
static bool is_in_own_module(const struct symbols *symbols, const struct symbol *symbol)
{
	const char *name = symbols_string(symbols, symbol->module);
	size_t index = symbols_modules_behind(&symbols->modules, symbol->address);
	const struct symbols_module *module;

	while ((module = symbols_modules_next(&symbols->modules, symbol->address, &index)))
		if (!strcmp(symbols_string(symbols, module->name), name))
			return true;
	return false;
}

/* module: the one that occupied the address; NULL: unknown. */
static bool symbol_contains(const struct symbols *symbols, const struct symbol *symbol,
			    const struct symbols_module *module, uint64_t address)
{
	const char *name = symbols_string(symbols, symbol->module);
	uint64_t distance = address - symbol->address;

	if (symbol->size && distance >= symbol->size)
		return false;
	if (module)
		return symbol->address >= module->address &&
		       !strcmp(symbols_string(symbols, module->name), name);
	if (symbol->size && !*name)
		return true;
	if (distance >= LAST_SIZE_MAX)
		return false;
	if (!symbols->modules.listed || !*name)
		return true;
	return !is_in_own_module(symbols, symbol) &&
	       (symbol->size || address / SYMBOLS_PAGE_MIN == symbol->address / SYMBOLS_PAGE_MIN);
}

static const struct symbol *find_in_snapshot(const struct symbols *symbols, size_t snapshot,
					     const struct symbols_module *module, uint64_t address)
{
	size_t first = symbols->snapshots[snapshot].first, low = first;
	size_t high = symbols_snapshot_end(symbols, snapshot);
	const struct symbol *symbol;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == first)
		return NULL;
	symbol = &symbols->list[low - 1];
	return symbol_contains(symbols, symbol, module, address) ? symbol : NULL;
}

/* module: the one that occupied the address; NULL: unknown. */
static const struct symbol *find_symbol(const struct symbols *symbols, uint64_t address,
					uint64_t time, const struct symbols_module *module)
{
	const struct symbol *best = NULL;
	size_t count = symbols->snapshot_count, now = count;

	while (now > 0 && symbols->snapshots[now - 1].since > time)
		now--;
	/* The snapshots from the time back to the first, then the later ones. */
	for (size_t i = 0; i < count && !(best && (best->size || module)); i++) {
		const struct symbol *symbol =
			find_in_snapshot(symbols, i < now ? now - 1 - i : i, module, address);

		/* Without its module's end, the end of a symbol without a size is a guess: prefer
		 * the symbol that begins nearest. */
		if (symbol && (!best || symbol->address > best->address))
			best = symbol;
	}
	return best;
}

/*
 * Where a module ends that was loaded when the capture began may be unknown: its size in
 * /proc/modules includes data, which lies elsewhere since Linux 6.4. Is the address certainly
 * within this symbol, even if it could be that of a module whose address is unknown?
 */
static bool is_certain(const struct symbol *symbol, uint64_t address)
{
	return symbol &&
	       (symbol->size || address / SYMBOLS_PAGE_MIN == symbol->address / SYMBOLS_PAGE_MIN);
}

static bool is_of_kernel(const struct symbols *symbols, const struct symbol *symbol)
{
	return !*symbols_string(symbols, symbol->module);
}

/*
 * A module whose address is unknown may be where the kernel has freed the init functions of another
 * module, or a BPF program: then a symbol of these may be wrong.
 */
const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address, uint64_t time)
{
	const struct symbols_module *unlocated,
		*module = symbols_modules_find(&symbols->modules, address, time);
	size_t count = symbols_modules_unlocated(&symbols->modules, time, &unlocated);
	const struct symbol *symbol;

	/* before the module came, the address may have been that of another module */
	if (!module || module->since > time) {
		symbol = find_symbol(symbols, address, time, NULL);
		if (count)
			return symbol && is_of_kernel(symbols, symbol) ? symbol : NULL;
		if (symbol || !module)
			return symbol;
	}
	symbol = find_symbol(symbols, address, time, module);
	return count && (module->init || !is_certain(symbol, address)) ? NULL : symbol;
}

/*
 * Can code of another module, or a BPF program, have been at the address? Their symbols stay in
 * the file after the code is gone. And init functions of one page may be longer: kmemtraced did not
 * read their size if it came too late.
 */
static bool may_be_other(const struct symbols *symbols, uint64_t address, uint64_t time)
{
	if (find_symbol(symbols, address, time, NULL))
		return true;
	for (size_t i = 0; i < symbols->modules.count; i++) {
		const struct symbols_module *module = &symbols->modules.list[i];

		if (module->init && module->address && module->since <= time &&
		    time < module->until && module->end - module->address <= SYMBOLS_PAGE_MIN &&
		    address - module->address < LAST_SIZE_MAX)
			return true;
	}
	return false;
}

const struct symbols_module *symbols_find_module(const struct symbols *symbols, uint64_t address,
						 uint64_t time)
{
	const struct symbols_module *unlocated,
		*module = symbols_modules_find(&symbols->modules, address, time);
	size_t count = symbols_modules_unlocated(&symbols->modules, time, &unlocated);

	if (!count)
		return module;
	if (symbols_find(symbols, address, time))
		return module && module->since <= time ? module : NULL;
	/* without the kernel's own symbols, it may be an address of the kernel */
	if (count > 1 || !symbols->ends[0] || !address || (module && module->since <= time))
		return NULL;
	return may_be_other(symbols, address, time) ? NULL : unlocated;
}

const char *symbols_string(const struct symbols *symbols, uint32_t offset)
{
	return offset < symbols->text_size ? symbols->text + offset : "";
}

static void write_address(const struct symbols *symbols, uint64_t address, uint64_t time,
			  char *text, size_t size)
{
	const struct symbols_module *module = symbols_find_module(symbols, address, time);

	if (module)
		snprintf(text, size, "0x%" PRIx64 " [%s%s]", address,
			 symbols_string(symbols, module->name),
			 module->until == MODULE_NOT_UNLOADED ? "" : ", unloaded");
	else
		snprintf(text, size, "0x%" PRIx64, address);
}

char *symbols_text(const struct symbols *symbols, uint64_t address, uint64_t time, char *text,
		   size_t size)
{
	const struct symbol *symbol = symbols_find(symbols, address, time);
	const char *module;
	char extent[24] = "";

	if (!symbol) {
		write_address(symbols, address, time, text, size);
		return text;
	}
	module = symbols_string(symbols, symbol->module);
	if (symbol->size)
		snprintf(extent, sizeof(extent), "/0x%" PRIx64, symbol->size);
	snprintf(text, size, "%s+0x%" PRIx64 "%s%s%s%s", symbols_string(symbols, symbol->name),
		 address - symbol->address, extent, *module ? " [" : "", module,
		 *module ? "]" : "");
	return text;
}

/* Hashes are compared first: this sorts 300,000 names in a tenth of the time. */
struct symbols_name {
	uint32_t hash;	 /* of name and module */
	uint32_t symbol; /* index */
};

static int compare_texts(const struct symbols *symbols, uint32_t a, uint32_t b)
{
	return a == b ? 0 : strcmp(symbols->text + a, symbols->text + b);
}

/* Orders by hash, name and module. */
static int compare_words(const struct symbols *symbols, const struct symbols_name *a,
			 const struct symbols_name *b)
{
	const struct symbol *x = &symbols->list[a->symbol], *y = &symbols->list[b->symbol];
	int order;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	order = compare_texts(symbols, x->name, y->name);
	return order ? order : compare_texts(symbols, x->module, y->module);
}

static int compare_symbol_names(const void *left, const void *right, void *data)
{
	const struct symbols_name *a = left, *b = right;
	int order = compare_words(data, a, b);

	return order ? order : (a->symbol > b->symbol) - (a->symbol < b->symbol);
}

static struct symbols_name hashed_name_of(const struct symbols *symbols, size_t index)
{
	const struct symbol *symbol = &symbols->list[index];
	uint64_t hash = hash_text(0, symbols->text + symbol->name);

	hash = hash_text(hash, symbols->text + symbol->module);
	return (struct symbols_name){ (uint32_t)(hash ^ hash >> 32), (uint32_t)index };
}

int symbols_names_init(struct symbols_names *names, const struct symbols *symbols)
{
	*names = (struct symbols_names){ .symbols = symbols };
	if (!symbols->count)
		return 0;
	names->list = malloc(symbols->count * sizeof(*names->list));
	if (!names->list)
		return -ENOMEM;
	for (size_t i = 0; i < symbols->count; i++)
		names->list[names->count++] = hashed_name_of(symbols, i);
	qsort_r(names->list, names->count, sizeof(*names->list), compare_symbol_names,
		(void *)(uintptr_t)symbols);
	return 0;
}

void symbols_names_deinit(struct symbols_names *names)
{
	free(names->list);
	*names = (struct symbols_names){ 0 };
}

/* The index of the first symbol of the name and of `since`; if past is set, behind the last. */
static size_t find_edge(const struct symbols_names *names, const struct symbols_name *name,
			uint64_t since, bool past)
{
	size_t low = 0, high = names->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct symbols_name *other = &names->list[middle];
		uint64_t came = names->symbols->list[other->symbol].since;
		int order = compare_words(names->symbols, other, name);

		if (order < 0 || (!order && (came < since || (past && came == since))))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t symbols_rank(const struct symbols_names *names, const struct symbol *symbol, size_t *count)
{
	size_t index = (size_t)(symbol - names->symbols->list);
	struct symbols_name name = hashed_name_of(names->symbols, index);
	size_t first = find_edge(names, &name, symbol->since, false);
	size_t end = find_edge(names, &name, symbol->since, true);
	size_t low = first, high = end;

	*count = end - first;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (names->list[middle].symbol < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low - first + 1;
}
