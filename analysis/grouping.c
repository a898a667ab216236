// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Interns call sites and groups. Values that depend on the call site alone are computed once. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "analysis/grouping.h"
#include "analysis/select.h"
#include "kernel/bookkeeping.h"

#define SITE_TEXT 512 /* bytes: symbols are shorter */

static int compare_tasks(const void *left, const void *right, void *data)
{
	const struct task *list = data;
	uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
	const struct task *a = &list[i], *b = &list[k];
	int by_comm = strcmp(a->comm, b->comm);

	if (a->tgid != b->tgid)
		return a->tgid < b->tgid ? -1 : 1;
	return by_comm ? by_comm : (i > k) - (i < k);
}

static int find_same_tasks(struct grouping *grouping)
{
	const struct tasks *tasks = &grouping->analysis->capture->tasks;
	uint32_t *sorted, first = 0;

	grouping->same_task = calloc(tasks->count + 1, sizeof(*grouping->same_task));
	sorted = calloc(tasks->count + 1, sizeof(*sorted));
	if (!grouping->same_task || !sorted) {
		free(sorted);
		return -ENOMEM;
	}
	for (size_t i = 0; i < tasks->count; i++)
		sorted[i] = (uint32_t)i;
	if (tasks->count)
		qsort_r(sorted, tasks->count, sizeof(*sorted), compare_tasks, tasks->list);
	for (size_t i = 0; i < tasks->count; i++) {
		const struct task *task = &tasks->list[sorted[i]], *same = &tasks->list[first];

		if (!i || task->tgid != same->tgid || strcmp(task->comm, same->comm))
			first = sorted[i];
		grouping->same_task[sorted[i]] = first;
	}
	free(sorted);
	return 0;
}

int grouping_init(struct grouping *grouping, struct analysis *analysis)
{
	int err;

	memset(grouping, 0, sizeof(*grouping));
	grouping->analysis = analysis;
	err = hash_map_init(&grouping->sites);
	if (!err)
		err = hash_map_init(&grouping->groups);
	if (!err && analysis->settings.by == GROUP_BY_TASK)
		err = find_same_tasks(grouping);
	return err;
}

void grouping_deinit(struct grouping *grouping)
{
	hash_map_deinit(&grouping->sites);
	hash_map_deinit(&grouping->groups);
	free(grouping->same_task);
}

static bool is_allocator(const char *function)
{
	static const char *const beginnings[] = { "__kmalloc", "___kmalloc", "__do_kmalloc",
						  "__kvmalloc", "kmalloc_large" };

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		if (!strncmp(function, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

void grouping_advance(struct grouping *grouping, uint64_t time)
{
	const struct symbols_modules *modules = &grouping->analysis->capture->symbols.modules;

	grouping->until = symbols_modules_next_change(modules, time);
	grouping->epoch++;
	memset(grouping->memos, 0, sizeof(grouping->memos));
}

/* symbol: at the address at this time, or NULL. */
static uint64_t hash_code(const struct grouping *grouping, const struct symbol *symbol,
			  uint64_t address, uint64_t time)
{
	const struct symbols *symbols = &grouping->analysis->capture->symbols;
	const uint64_t key = grouping->sites.seed;
	const struct symbols_module *module;

	if (symbol)
		return hash_keyed_text(hash_keyed_text(key, symbols_string(symbols, symbol->name)),
				       symbols_string(symbols, symbol->module));
	module = symbols_find_module(symbols, address, time);
	return hash_keyed_text(key, module ? symbols_string(symbols, module->name) : "");
}

/*
 * The site at the address in this epoch, or HASH_MAP_NONE. *key gets its key in grouping->sites:
 * the address for the first code that was there, also a hash of the code for any other.
 */
static uint32_t find_in_epoch(struct grouping *grouping, uint64_t address, uint64_t time,
			      uint64_t *key)
{
	const struct symbols *symbols = &grouping->analysis->capture->symbols;
	uint32_t number = hash_map_find(&grouping->sites, address);
	struct analysis_site *site;
	uint64_t code;

	*key = address;
	if (number == HASH_MAP_NONE)
		return number;
	site = &grouping->analysis->sites[number];
	if (site->epoch == grouping->epoch)
		return number;
	code = hash_code(grouping, symbols_find(symbols, address, time), address, time);
	if (code != site->code) {
		*key = address ^ code;
		return hash_map_find(&grouping->sites, *key);
	}
	site->epoch = grouping->epoch;
	return number;
}

int64_t grouping_find_site(struct grouping *grouping, uint64_t address, uint64_t time)
{
	struct analysis *analysis = grouping->analysis;
	const struct select *select = analysis->settings.select;
	uint64_t key;
	uint32_t site = find_in_epoch(grouping, address, time, &key);
	struct analysis_site *sites;
	const struct symbols *symbols = &analysis->capture->symbols;
	const struct symbol *symbol;
	char text[SITE_TEXT];
	int selected = 1, err;

	if (site != HASH_MAP_NONE)
		return site;
	if (select && select->has_site)
		selected = select_takes_site(select, symbols_text(symbols, address, time, text,
								  sizeof(text)));
	if (selected < 0)
		return selected;
	sites = array_grow(analysis->sites, analysis->site_count, sizeof(*sites));
	if (!sites)
		return -ENOMEM;
	analysis->sites = sites;
	err = hash_map_add(&grouping->sites, key, (uint32_t)analysis->site_count);
	if (err)
		return err;
	symbol = symbols_find(symbols, address, time);
	analysis->sites[analysis->site_count] = (struct analysis_site){
		.address = address,
		.first_time = time,
		.code = hash_code(grouping, symbol, address, time),
		.epoch = grouping->epoch,
		.group = GROUP_NONE,
		.selected = selected,
		.in_allocator = symbol && is_allocator(symbols_string(symbols, symbol->name)),
		.is_bookkeeping = symbol && bookkeeping_has(symbols_string(symbols, symbol->name)),
	};
	return (int64_t)analysis->site_count++;
}

uint32_t grouping_find_fastpath_group(struct grouping *grouping, uint64_t address)
{
	uint32_t number = hash_map_find(&grouping->sites, address);
	const struct analysis_site *site;

	if (number == HASH_MAP_NONE)
		return GROUP_NONE;
	site = &grouping->analysis->sites[number];
	if (site->epoch != grouping->epoch || site->group == GROUP_NONE || site->in_allocator)
		return GROUP_NONE;
	*grouping_memo(grouping, address) =
		(struct grouping_memo){ address, number + 1, site->group + 1 };
	return site->group;
}

static uint64_t task_key(const struct grouping *grouping, const struct event *event)
{
	const struct tasks *tasks = &grouping->analysis->capture->tasks;
	const struct task *task;

	if (event->context != KMT_CONTEXT_TASK)
		return GROUP_KEY_INTERRUPT + event->context;
	task = tasks_find(tasks, event->task, event->time);
	return task ? grouping->same_task[task - tasks->list] : GROUP_KEY_UNKNOWN + event->task;
}

/* The offset of the name of the module that the call site belongs to. */
static uint64_t find_module(const struct grouping *grouping, const struct event *event)
{
	const struct symbols *symbols = &grouping->analysis->capture->symbols;
	const struct symbol *symbol = symbols_find(symbols, event->call_site, event->time);
	const struct symbols_module *module;

	if (symbol)
		return symbol->module;
	module = symbols_find_module(symbols, event->call_site, event->time);
	return module ? module->name : GROUP_KEY_UNKNOWN;
}

/* The hash of the module's name: the same name may be stored at several offsets. */
static uint64_t module_key(const struct grouping *grouping, const struct event *event)
{
	const struct symbols *symbols = &grouping->analysis->capture->symbols;
	uint64_t offset = find_module(grouping, event);

	if (offset == GROUP_KEY_UNKNOWN)
		return offset;
	return hash_keyed_text(grouping->groups.seed, symbols_string(symbols, (uint32_t)offset));
}

static int64_t caller_key(const struct grouping *grouping, const struct event *event,
			  uint32_t cache)
{
	const struct analysis_choice *choice = &grouping->analysis->settings.choice;
	const struct transition transition = {
		.outcome = event_has_object(event) ? OUTCOME_ALLOCATED : OUTCOME_FAILED,
		.event = event,
		.group = GROUP_NONE,
		.cache = cache,
	};

	return choice->key(choice->data, grouping->analysis, &transition);
}

static uint64_t key_of(const struct grouping *grouping, const struct event *event, uint32_t cache)
{
	const struct capture *capture = grouping->analysis->capture;
	const struct topology_cpu *cpu;
	const struct symbol *symbol;

	switch (grouping->analysis->settings.by) {
	case GROUP_BY_SITE:
		break;
	case GROUP_BY_FUNCTION:
		symbol = symbols_find(&capture->symbols, event->call_site, event->time);
		return symbol ? symbol->address : event->call_site;
	case GROUP_BY_MODULE:
		return module_key(grouping, event);
	case GROUP_BY_CACHE:
		return cache;
	case GROUP_BY_SIZE:
		return event->requested;
	case GROUP_BY_TASK:
		return task_key(grouping, event);
	case GROUP_BY_CPU:
		return event->cpu;
	case GROUP_BY_NODE:
		cpu = topology_find(&capture->topology, event->cpu);
		return cpu && cpu->node >= 0 ? (uint64_t)cpu->node : GROUP_KEY_UNKNOWN;
	case GROUP_BY_GFP:
		return event->gfp;
	case GROUP_BY_CALLER:
		return (uint64_t)caller_key(grouping, event, cache);
	}
	return event->call_site;
}

int64_t grouping_find_group(struct grouping *grouping, const struct event *event, uint32_t site,
			    uint32_t cache)
{
	struct analysis *analysis = grouping->analysis;
	bool is_bookkeeping = analysis->settings.by <= GROUP_BY_FUNCTION &&
			      analysis->sites[site].is_bookkeeping;
	bool is_merged = is_bookkeeping && analysis->settings.merge_bookkeeping;
	uint64_t key = is_merged ? GROUP_KEY_BOOKKEEPING : key_of(grouping, event, cache);
	uint64_t unique = key;
	uint32_t group;
	struct group *groups;
	int err;

	if (analysis->settings.by == GROUP_BY_CALLER && (int64_t)key < 0)
		return (int64_t)key;
	/* another function may have the address at another time */
	if (analysis->settings.by < GROUP_BY_MODULE && !is_merged)
		unique ^= analysis->sites[site].code;
	group = hash_map_find(&grouping->groups, unique);
	if (group == HASH_MAP_NONE) {
		groups = array_grow(analysis->groups, analysis->group_count, sizeof(*groups));
		if (!groups)
			return -ENOMEM;
		analysis->groups = groups;
		err = hash_map_add(&grouping->groups, unique, (uint32_t)analysis->group_count);
		if (err)
			return err;
		group = (uint32_t)analysis->group_count++;
		if (analysis->settings.by == GROUP_BY_MODULE)
			key = find_module(grouping, event);
		analysis->groups[group] = (struct group){
			.key = key,
			.first_time = event->time,
			.cache = CACHE_NONE,
			.thread = event->task,
			.is_bookkeeping = is_bookkeeping,
		};
	}
	if (analysis->groups[group].thread != event->task)
		analysis->groups[group].thread = THREAD_SEVERAL;
	if (analysis->settings.by <= GROUP_BY_MODULE)
		analysis->sites[site].group = group;
	return group;
}
