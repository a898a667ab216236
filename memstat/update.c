// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An update of a list: what a source tells waits in the types until all of it is there. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memstat/internal.h"

void update_begin(struct update *update, struct memory_type_list *list, unsigned int allocators)
{
	*update = (struct update){ .list = list, .allocators = allocators };
	list->updates++;
}

static int refuse(struct update *update, int err)
{
	if (!update->err)
		update->err = err;
	return -err;
}

int update_fail(struct update *update, int error, int err, const char *format, ...)
{
	struct failure *failure = &update->failure;
	va_list args;

	if (failure->err && !update->cut)
		return refuse(update, err);
	update->cut = false;
	failure->error = error == MEMSTAT_ERROR_UNDEFINED ? error_of(err) : error;
	failure->err = err;
	va_start(args, format);
	errno = err; /* for %m */
	vsnprintf(failure->errmsg, sizeof(failure->errmsg), format, args);
	va_end(args);
	return refuse(update, err);
}

void update_cut(struct update *update, const char *format, ...)
{
	struct failure *failure = &update->failure;
	va_list args;

	if (failure->err)
		return;
	update->cut = true;
	failure->error = MEMSTAT_ERROR_KVM_SHORTREAD;
	failure->err = EIO;
	va_start(args, format);
	vsnprintf(failure->errmsg, sizeof(failure->errmsg), format, args);
	va_end(args);
}

void update_cpus(struct update *update, size_t cpus)
{
	update->cpus = cpus;
}

int update_classes(struct update *update, const size_t *bytes, size_t count)
{
	if (count > CLASSES_MAX)
		return refuse(update, EBADMSG);
	for (size_t i = 0; i < count; i++) {
		if (bytes[i] <= (i ? bytes[i - 1] : 0))
			return refuse(update, EBADMSG);
		update->classes.bytes[i] = bytes[i];
	}
	update->classes.count = count;
	return 0;
}

void update_lost(struct update *update, uint64_t lost)
{
	update->lost = lost;
}

void update_time(struct update *update, uint64_t time)
{
	update->time = time;
}

void update_begun(struct update *update, uint64_t begin)
{
	update->begin = begin;
}

static bool has_classes(const struct update *update, uint64_t sizemask)
{
	size_t count = update->classes.count;

	return count == CLASSES_MAX || !(sizemask >> count);
}

static bool can_be(const struct update *update, const struct source_type *told)
{
	const struct type_counters *figures = &told->figures;

	if (figures->numfrees > figures->numallocs ||
	    told->initial_count > UINT64_MAX - figures->numallocs)
		return false;
	if (told->allocator == ALLOCATOR_UMA)
		return true;
	for (size_t cpu = 0; told->percpu && cpu < told->cpus; cpu++) {
		if (!has_classes(update, told->percpu[cpu].sizemask))
			return false;
	}
	return figures->memfreed <= figures->memalloced && has_classes(update, figures->sizemask);
}

/*
 * A free that matches no allocation was of an object of before, as long as there can be one of
 * these left. What is not in the base is in neither figure, so that neither ever gets less.
 */
static void add_base(struct type_counters *figures, const struct source_type *told)
{
	uint64_t base = told->initial_count, freed = told->frees_unmatched;

	figures->numallocs += base;
	figures->numfrees += freed < base ? freed : base;
}

/* The bytes of a slab cache follow from its objects, and those of a call site have no one size. */
static void work_out(struct snapshot *staged, const struct source_type *told, bool with_base)
{
	struct type_counters *figures = &staged->figures;

	if (told->allocator == ALLOCATOR_MALLOC) {
		figures->size = figures->rsize = figures->countlimit = 0;
		return;
	}
	if (with_base)
		add_base(figures, told);
	figures->sizemask = 0;
	figures->memalloced = figures->numallocs * figures->size;
	figures->memfreed = figures->numfrees * figures->size;
	for (size_t cpu = 0; cpu < staged->cpus; cpu++) {
		struct percpu_counters *percpu = &staged->percpu[cpu];

		percpu->sizemask = 0;
		percpu->memalloced = percpu->numallocs * figures->size;
		percpu->memfreed = percpu->numfrees * figures->size;
	}
}

static int stage_percpu(struct snapshot *staged, const struct percpu_counters *percpu, size_t cpus)
{
	struct percpu_counters *grown;

	staged->cpus = 0;
	if (!percpu || !cpus)
		return 0;
	if (cpus > staged->space) {
		grown = calloc(cpus, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		free(staged->percpu);
		staged->percpu = grown;
		staged->space = cpus;
	}
	memcpy(staged->percpu, percpu, cpus * sizeof(*percpu));
	staged->cpus = cpus;
	return 0;
}

static int stage_aliases(struct snapshot *staged, const char *aliases)
{
	size_t size;

	if (staged->aliases && aliases && !strcmp(staged->aliases, aliases))
		return 0;
	free(staged->aliases);
	staged->aliases = NULL;
	if (!aliases || !*aliases)
		return 0;
	size = strlen(aliases) + 1;
	staged->aliases = malloc(size);
	if (!staged->aliases)
		return -ENOMEM;
	memcpy(staged->aliases, aliases, size);
	return 0;
}

static int stage(struct update *update, struct memory_type *type, const struct source_type *told)
{
	int err = stage_percpu(&type->staged, told->percpu, told->cpus);

	if (!err)
		err = stage_aliases(&type->staged, told->aliases);
	if (err)
		return err;
	type->staged.figures = told->figures;
	work_out(&type->staged, told, update->list->with_base);
	type->told = update->list->updates;
	return 0;
}

int update_put(struct update *update, const struct source_type *told)
{
	struct memory_type_list *list = update->list;
	struct memory_type *type;

	if (told->allocator != ALLOCATOR_MALLOC && told->allocator != ALLOCATOR_UMA)
		return refuse(update, EINVAL);
	if (!(update->allocators & 1u << told->allocator) || !told->name || !*told->name)
		return refuse(update, EINVAL);
	if (!can_be(update, told))
		return refuse(update, EBADMSG);
	if (told->percpu && told->cpus > update->cpus)
		update->cpus = told->cpus;

	type = names_find(list, told->allocator, told->name);
	if (type && type->told == list->updates)
		return refuse(update, EEXIST);
	if (!type) {
		type = type_create(list, told->allocator, told->name);
		if (!type)
			return refuse(update, ENOMEM);
		names_add(list, type);
		type->serial = ++list->serials;
		type->next = update->fresh;
		update->fresh = type;
	}
	return stage(update, type, told) ? refuse(update, ENOMEM) : 0;
}

static void show(struct memory_type *type)
{
	struct snapshot shown = type->shown;

	type->shown = type->staged;
	type->staged = shown;
}

/* What is not told any more has nothing, but is still what it was. */
static void clear(struct memory_type *type)
{
	struct type_counters *figures = &type->shown.figures;

	*figures = (struct type_counters){ .size = figures->size, .rsize = figures->rsize };
	type->shown.cpus = 0;
}

void update_commit(struct update *update)
{
	struct memory_type_list *list = update->list;
	struct memory_type *type, *oldest_fresh = NULL;

	for (type = list->first; type; type = type->next) {
		if (type->told == list->updates)
			show(type);
		else if (update->allocators & 1u << type->allocator)
			clear(type);
	}
	for (type = update->fresh; type; type = type->next) {
		show(type);
		oldest_fresh = type;
	}
	if (oldest_fresh) {
		oldest_fresh->next = list->first;
		list->first = update->fresh;
		update->fresh = NULL;
	}

	for (int allocator = ALLOCATOR_MALLOC; allocator <= ALLOCATOR_UMA; allocator++) {
		if (update->allocators & 1u << allocator)
			list->lost[allocator] = update->lost;
	}
	list->time = update->time;
	list->begin = update->begin;
	list->cpus_told = update->cpus;
	if (update->cpus > list->cpus)
		list->cpus = update->cpus;
	if (update->allocators & QUERY_MALLOC)
		classes_publish(&update->classes);
}

void update_abandon(struct update *update)
{
	struct memory_type *next;

	for (struct memory_type *type = update->fresh; type; type = next) {
		next = type->next;
		names_remove(update->list, type);
		type_destroy(type);
	}
	update->fresh = NULL;
}
