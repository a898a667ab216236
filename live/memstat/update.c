// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An update of a list: stages the types of a source, and commits them when all are complete. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/memstat/internal.h"

void update_begin(struct update *update, struct memory_type_list *list, unsigned int allocators)
{
	*update = (struct update){ .list = list,
				   .allocators = allocators,
				   .with_base = list->base == BASE_ON };
	list->updates++;
}

static int refuse_update(struct update *update, int err)
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
		return refuse_update(update, err);
	update->cut = false;
	failure->error = error == MEMSTAT_ERROR_UNDEFINED ? error_of(err) : error;
	failure->err = err;
	va_start(args, format);
	errno = err; /* for %m */
	vsnprintf(failure->errmsg, sizeof(failure->errmsg), format, args);
	va_end(args);
	return refuse_update(update, err);
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

void update_set_cpus(struct update *update, size_t cpus)
{
	update->cpus = cpus;
}

int update_set_classes(struct update *update, const size_t *bytes, size_t count)
{
	if (count > CLASSES_MAX)
		return refuse_update(update, EBADMSG);
	for (size_t i = 0; i < count; i++) {
		if (bytes[i] <= (i ? bytes[i - 1] : 0))
			return refuse_update(update, EBADMSG);
		update->classes.bytes[i] = bytes[i];
	}
	update->classes.count = count;
	return 0;
}

void update_set_lost(struct update *update, uint64_t lost)
{
	update->lost = lost;
}

void update_set_time(struct update *update, uint64_t time)
{
	update->time = time;
}

void update_set_begin_time(struct update *update, uint64_t begin)
{
	update->begin = begin;
}

void update_set_base(struct update *update, bool with_base)
{
	if (update->list->base == BASE_OF_SOURCE)
		update->with_base = with_base;
}

static bool has_classes(const struct update *update, uint64_t sizemask)
{
	size_t count = update->classes.count;

	return count == CLASSES_MAX || !(sizemask >> count);
}

static bool is_consistent(const struct update *update, const struct source_type *source)
{
	const struct type_counters *counters = &source->counters;

	if (counters->missed_frees > counters->numfrees &&
	    counters->missed_frees != MEMSTAT_MISSED_UNKNOWN)
		return false;
	if (counters->numfrees > counters->numallocs ||
	    source->initial_count > UINT64_MAX - counters->numallocs)
		return false;
	if (source->allocator == ALLOCATOR_UMA)
		return true;
	for (size_t cpu = 0; source->percpu && cpu < source->cpus; cpu++) {
		if (!has_classes(update, source->percpu[cpu].sizemask))
			return false;
	}
	return counters->memfreed <= counters->memalloced &&
	       has_classes(update, counters->sizemask);
}

/*
 * A free that matches no allocation freed one of the initial objects, as long as there can be any
 * left. Further such frees are not counted, so that numfrees never exceeds numallocs.
 */
static void add_base(struct type_counters *counters, const struct source_type *source)
{
	uint64_t base = source->initial_count, freed = source->frees_unmatched;

	counters->numallocs += base;
	counters->numfrees += freed < base ? freed : base;
}

/* Computes the bytes of a slab cache from its objects. A function has no object size. */
static void derive_counters(struct type_state *staged, const struct source_type *source,
			    bool with_base)
{
	struct type_counters *counters = &staged->counters;

	if (source->allocator == ALLOCATOR_MALLOC) {
		counters->size = counters->rsize = counters->countlimit = 0;
		return;
	}
	if (with_base)
		add_base(counters, source);
	counters->sizemask = 0;
	counters->memalloced = counters->numallocs * counters->size;
	counters->memfreed = counters->numfrees * counters->size;
	for (size_t cpu = 0; cpu < staged->cpus; cpu++) {
		struct percpu_counters *percpu = &staged->percpu[cpu];

		percpu->sizemask = 0;
		percpu->memalloced = percpu->numallocs * counters->size;
		percpu->memfreed = percpu->numfrees * counters->size;
	}
}

static int stage_percpu(struct type_state *staged, const struct percpu_counters *percpu,
			size_t cpus)
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

static int stage_aliases(struct type_state *staged, const char *aliases)
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

static int stage_type(struct update *update, struct memory_type *type,
		      const struct source_type *source)
{
	int err = stage_percpu(&type->staged, source->percpu, source->cpus);

	if (!err)
		err = stage_aliases(&type->staged, source->aliases);
	if (err)
		return err;
	type->staged.counters = source->counters;
	type->staged.counters.observed_frees =
		source->counters.numfrees - (source->counters.missed_frees == MEMSTAT_MISSED_UNKNOWN
						     ? 0
						     : source->counters.missed_frees);
	derive_counters(&type->staged, source, update->with_base);
	type->last_update = update->list->updates;
	return 0;
}

int update_put(struct update *update, const struct source_type *source)
{
	struct memory_type_list *list = update->list;
	struct memory_type *type;

	if (source->allocator != ALLOCATOR_MALLOC && source->allocator != ALLOCATOR_UMA)
		return refuse_update(update, EINVAL);
	if (!(update->allocators & 1u << source->allocator) || !source->name || !*source->name)
		return refuse_update(update, EINVAL);
	if (!is_consistent(update, source))
		return refuse_update(update, EBADMSG);
	if (source->percpu && source->cpus > update->cpus)
		update->cpus = source->cpus;

	type = names_find(list, source->allocator, source->name);
	if (type && type->last_update == list->updates)
		return refuse_update(update, EEXIST);
	if (!type) {
		type = type_create(list, source->allocator, source->name);
		if (!type)
			return refuse_update(update, ENOMEM);
		names_add(list, type);
		type->serial = ++list->serials;
		type->next = update->new_types;
		update->new_types = type;
	}
	return stage_type(update, type, source) ? refuse_update(update, ENOMEM) : 0;
}

static void commit_type(struct memory_type *type)
{
	struct type_state shown = type->shown;

	type->shown = type->staged;
	type->staged = shown;
}

/* A type that the source no longer has keeps only its sizes. */
static void clear_type(struct memory_type *type)
{
	struct type_counters *counters = &type->shown.counters;

	*counters = (struct type_counters){ .size = counters->size, .rsize = counters->rsize };
	type->shown.cpus = 0;
}

void update_commit(struct update *update)
{
	struct memory_type_list *list = update->list;
	struct memory_type *type, *oldest_new = NULL;

	for (type = list->first; type; type = type->next) {
		if (type->last_update == list->updates)
			commit_type(type);
		else if (update->allocators & 1u << type->allocator)
			clear_type(type);
	}
	for (type = update->new_types; type; type = type->next) {
		commit_type(type);
		oldest_new = type;
	}
	if (oldest_new) {
		oldest_new->next = list->first;
		list->first = update->new_types;
		update->new_types = NULL;
	}

	for (int allocator = ALLOCATOR_MALLOC; allocator <= ALLOCATOR_UMA; allocator++) {
		if (update->allocators & 1u << allocator)
			list->lost[allocator] = update->lost;
	}
	free(list->paths);
	list->paths = update->paths;
	update->paths = NULL;
	list->time = update->time;
	list->begin = update->begin;
	list->machine_cpus = update->cpus;
	if (update->cpus > list->cpus)
		list->cpus = update->cpus;
	if (update->allocators & QUERY_MALLOC)
		classes_publish(&update->classes);
}

void update_abandon(struct update *update)
{
	struct memory_type *next;

	free(update->paths);
	update->paths = NULL;

	for (struct memory_type *type = update->new_types; type; type = next) {
		next = type->next;
		names_remove(update->list, type);
		type_destroy(type);
	}
	update->new_types = NULL;
}
