// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads lists of modules into entries with times, and finds the entry of an address. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/number.h"
#include "kernel/symbols_modules.h"

#define MODULES_MAX 65536 /* a distribution has 6000, of which 200 are loaded */

int symbols_modules_loader_init(struct symbols_modules_loader *loader,
				struct symbols_modules *modules)
{
	*loader = (struct symbols_modules_loader){ .modules = modules };
	return hash_map_init(&loader->names);
}

static int compare_addresses(const void *left, const void *right, void *data)
{
	const uint32_t *a = left, *b = right;
	const struct symbols_module *list = data;

	return (list[*a].address > list[*b].address) - (list[*a].address < list[*b].address);
}

/*
 * The modules that the last list does not have were unloaded at its time. The code of a module ends
 * where that of another begins: the size in /proc/modules includes data, which since Linux 6.4 lies
 * elsewhere.
 */
static void end_list(struct symbols_modules_loader *loader)
{
	struct symbols_module *list = loader->modules->list;
	uint32_t *loaded = loader->loaded;
	size_t count = 0;

	for (size_t i = 0; i < loader->loaded_count; i++) {
		if (list[loaded[i]].round == loader->round)
			loaded[count++] = loaded[i];
		else
			list[loaded[i]].until = loader->time;
	}
	loader->loaded_count = count;
	if (count)
		qsort_r(loaded, count, sizeof(*loaded), compare_addresses, list);
	for (size_t i = 1; i < count; i++)
		list[loaded[i - 1]].end = MIN(list[loaded[i - 1]].end, list[loaded[i]].address);
}

void symbols_modules_begin(struct symbols_modules_loader *loader, uint64_t time)
{
	end_list(loader);
	loader->modules->listed = true;
	loader->time = time;
	loader->round++;
}

/* Adds an entry that is the newest of its address and name, which have this number in names. */
static int add_module(struct symbols_modules_loader *loader, uint32_t number, uint64_t address,
		      uint64_t end)
{
	struct symbols_modules *modules = loader->modules;
	struct symbols_module *list;
	uint32_t *loaded;

	if (modules->count == MODULES_MAX)
		return -EFBIG;
	list = array_grow(modules->list, modules->count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	modules->list = list;
	loaded = array_grow(loader->loaded, loader->loaded_count, sizeof(*loaded));
	if (!loaded)
		return -ENOMEM;
	loader->loaded = loaded;
	loader->newest[number] = (uint32_t)modules->count;
	loaded[loader->loaded_count++] = (uint32_t)modules->count;
	list[modules->count++] = (struct symbols_module){
		.address = address,
		.end = end,
		.since = loader->time,
		.until = MODULE_NOT_UNLOADED,
		.round = loader->round,
	};
	return 0;
}

int symbols_modules_add(struct symbols_modules_loader *loader, uint64_t address, uint64_t size,
			const char *name, bool *known)
{
	uint64_t key = address ^ hash_keyed_text(loader->names.seed, name), end = address + size;
	uint32_t number = hash_map_find(&loader->names, key), *newest;
	struct symbols_module *module;

	if (end < address)
		end = UINT64_MAX;
	*known = false;
	if (number != HASH_MAP_NONE) {
		module = &loader->modules->list[loader->newest[number]];
		if (module->until != MODULE_NOT_UNLOADED)
			return add_module(loader, number, address, end);
		module->end = MIN(module->end, end);
		module->round = loader->round;
		*known = true;
		return 0;
	}
	newest = array_grow(loader->newest, loader->newest_count, sizeof(*newest));
	if (!newest)
		return -ENOMEM;
	loader->newest = newest;
	number = (uint32_t)loader->newest_count;
	if (hash_map_add(&loader->names, key, number))
		return -ENOMEM;
	loader->newest_count++;
	return add_module(loader, number, address, end);
}

static int compare_modules(const void *left, const void *right)
{
	const struct symbols_module *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->since > b->since) - (a->since < b->since);
}

static int collect_changes(struct symbols_modules *modules)
{
	modules->changes = calloc(modules->count + 1, 2 * sizeof(*modules->changes));
	if (!modules->changes)
		return -ENOMEM;
	for (size_t i = 0; i < modules->count; i++) {
		modules->changes[modules->change_count++] = modules->list[i].since;
		modules->changes[modules->change_count++] = modules->list[i].until;
	}
	qsort(modules->changes, modules->change_count, sizeof(*modules->changes), compare_u64);
	return 0;
}

int symbols_modules_sort(struct symbols_modules_loader *loader)
{
	struct symbols_modules *modules = loader->modules;
	uint64_t reach = 0;

	end_list(loader);
	if (modules->count)
		qsort(modules->list, modules->count, sizeof(*modules->list), compare_modules);
	for (size_t i = 0; i < modules->count; i++) {
		reach = MAX(reach, modules->list[i].end);
		modules->list[i].reach = reach;
	}
	return collect_changes(modules);
}

void symbols_modules_loader_deinit(struct symbols_modules_loader *loader)
{
	hash_map_deinit(&loader->names);
	free(loader->newest);
	free(loader->loaded);
	*loader = (struct symbols_modules_loader){ 0 };
}

void symbols_modules_deinit(struct symbols_modules *modules)
{
	free(modules->list);
	free(modules->changes);
	*modules = (struct symbols_modules){ 0 };
}

uint64_t symbols_modules_next_change(const struct symbols_modules *modules, uint64_t time)
{
	size_t low = 0, high = modules->change_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (modules->changes[middle] <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low < modules->change_count ? modules->changes[low] : UINT64_MAX;
}

size_t symbols_modules_behind(const struct symbols_modules *modules, uint64_t address)
{
	size_t low = 0, high = modules->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (modules->list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct symbols_module *symbols_modules_next(const struct symbols_modules *modules,
						  uint64_t address, size_t *index)
{
	while (*index > 0 && modules->list[*index - 1].reach > address) {
		const struct symbols_module *module = &modules->list[--*index];

		if (module->end > address)
			return module;
	}
	return NULL;
}

const struct symbols_module *symbols_modules_find(const struct symbols_modules *modules,
						  uint64_t address, uint64_t time)
{
	size_t index = symbols_modules_behind(modules, address);
	const struct symbols_module *module, *later = NULL;

	while ((module = symbols_modules_next(modules, address, &index))) {
		if (module->since <= time && time < module->until)
			return module;
		if (module->since > time && (!later || module->since < later->since))
			later = module;
	}
	return later;
}

size_t symbols_modules_unlocated(const struct symbols_modules *modules, uint64_t time,
				 const struct symbols_module **module)
{
	size_t count = 0;

	for (size_t i = 0; i < modules->count && !modules->list[i].address; i++) {
		if (modules->list[i].since > time || time >= modules->list[i].until)
			continue;
		*module = &modules->list[i];
		/* one without a name stands for any number */
		count += modules->list[i].name ? 1 : 2;
	}
	return count;
}
