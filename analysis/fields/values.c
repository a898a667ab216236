// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The value of each field of an event: its definition for all views. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "analysis/fields/labels.h"
#include "analysis/fields/values.h"
#include "kernel/context_names.h"
#include "kernel/gfp.h"
#include "kernel/tasks.h"
#include "kernel/topology.h"

static const char *const type_names[VALUE_TYPES] = {
	[VALUE_NUMBER] = "number", [VALUE_BYTES] = "bytes", [VALUE_ADDRESS] = "address",
	[VALUE_FLAGS] = "flags",   [VALUE_TIME] = "time",   [VALUE_DURATION] = "duration",
	[VALUE_TEXT] = "text",	   [VALUE_BOOL] = "bool",   [VALUE_NULL] = "null",
};

const char *value_type_name(enum value_type type)
{
	return type_names[type];
}

static const char *const outcome_texts[OUTCOME_OTHER + 1] = {
	[OUTCOME_ALLOCATED] = "allocated",
	[OUTCOME_INITIAL] = "initial",
	[OUTCOME_FAILED] = "failed",
	[OUTCOME_FREED] = "freed",
	[OUTCOME_UNMATCHED] = "unmatched",
	[OUTCOME_NO_OBJECT] = "null-free",
	[OUTCOME_RESIZED] = "resized",
	[OUTCOME_MISSED] = "missed",
	[OUTCOME_MISSED_FREE_MATCHED] = "missed-free-matched",
	[OUTCOME_FREE_REASSIGNED] = "freed",
	[OUTCOME_OTHER] = "other",
};

static const char *const operation_texts[] = { "allocation", "free", "resize" };

int value_source_init(struct value_source *source)
{
	bool added = true;
	int err;

	memset(source, 0, sizeof(*source));
	err = texts_init(&source->texts);
	if (!err)
		err = names_init(&source->names, &source->texts);
	for (size_t i = KMT_NONE + 1; i < KMT_ID_END && !err; i++)
		added &=
			!!(source->name_texts[i] = texts_add(&source->texts, record_kinds[i].name));
	for (size_t i = 0; i < PROBES && !err; i++)
		added &= !!(source->probe_texts[i] = texts_add(&source->texts, probes[i].name));
	for (size_t i = 0; i <= OUTCOME_OTHER && !err; i++)
		added &= !!(source->outcome_texts[i] = texts_add(&source->texts, outcome_texts[i]));
	for (size_t i = 0; i < 3 && !err; i++)
		added &= !!(source->operation_texts[i] =
				    texts_add(&source->texts, operation_texts[i]));
	for (unsigned int i = 0; i < KMT_CONTEXT_END && !err; i++)
		added &= !!(source->context_texts[i] = texts_add(&source->texts, context_name(i)));
	if (!err)
		added &= !!(source->interrupts_text = texts_add(&source->texts, "interrupts"));
	return err || added ? err : -ENOMEM;
}

void value_source_deinit(struct value_source *source)
{
	names_deinit(&source->names);
	texts_deinit(&source->texts);
}

bool value_source_take(struct value_source *source, const struct analysis *analysis,
		       const struct transition *transition)
{
	const struct event *event = transition->event;

	source->analysis = analysis;
	if (source->capture != analysis->capture)
		source->gfp_account = gfp_find(&analysis->capture->gfp, "__GFP_ACCOUNT");
	source->capture = source->names.capture = analysis->capture;
	if (transition->outcome == OUTCOME_MISSED) {
		source->has_missed = true;
		source->missed_site = analysis->groups[transition->group].key;
		source->missed_time = transition->object->time;
		source->missed_cpu = event->cpu;
		source->missed_sequence = event->sequence;
		return false;
	}
	if (transition->outcome == OUTCOME_MISSED_FREE_MATCHED ||
	    transition->outcome == OUTCOME_INITIAL || !event)
		return false;
	source->is_missed = false;
	source->task = 0;
	if (source->capture->live && names_refresh(&source->names))
		source->err = -ENOMEM;
	if (source->has_missed && event_is_allocation(event)) {
		source->is_missed = source->missed_cpu == event->cpu &&
				    source->missed_sequence == event->sequence;
		source->has_missed = false;
	}
	return true;
}

static struct value text_value(struct value_source *source, const struct named *named,
			       uint32_t text)
{
	if (!named)
		source->err = -ENOMEM;
	return (struct value){ text, text != 0 };
}

#define NAMED(source, named, member) text_value(source, named, (named) ? (named)->member : 0)

static bool is_freed(const struct transition *transition)
{
	return transition->outcome == OUTCOME_FREED ||
	       transition->outcome == OUTCOME_FREE_REASSIGNED;
}

/* The object that existed before the event; NULL: none, or not known. */
static const struct slab_object *old_object(const struct transition *transition)
{
	return event_is_allocation(transition->event) ? NULL : transition->object;
}

/* Are the sizes of an allocation in its record, or known by its cache? */
static bool knows_sizes(const struct event *event)
{
	return event->has_cache || event_is_one_of(event, RECORD_KINDS_WITH(RECORD_SIZES));
}

struct value value_get_name(struct value_source *source, const struct transition *transition)
{
	return value_of(source->name_texts[transition->event->id]);
}

struct value value_get_probe(struct value_source *source, const struct transition *transition)
{
	return value_of(
		source->probe_texts[probe_of(transition->event->id, transition->event->node)]);
}

struct value value_get_ptr(struct value_source *source, const struct transition *transition)
{
	(void)source;
	if (event_is_other(transition->event))
		return value_unknown();
	return value_of((int64_t)transition->event->pointer);
}

struct value value_get_call_site(struct value_source *source, const struct transition *transition)
{
	uint64_t site = transition->event->call_site;

	(void)source;
	return site ? value_of((int64_t)site) : value_unknown();
}

/* Is call_site code of the kernel? In code of a process, the kernel's symbols mean nothing. */
static bool is_in_kernel(const struct event *event)
{
	return event->call_site &&
	       (!event_is_other(event) || event->payload >> 32 == KMT_MODE_KERNEL);
}

static const struct named *site_names(struct value_source *source,
				      const struct transition *transition)
{
	return names_site(&source->names, transition->event->call_site, transition->event->time);
}

struct value value_get_caller_function(struct value_source *source,
				       const struct transition *transition)
{
	const struct named *named;

	if (!is_in_kernel(transition->event))
		return value_unknown();
	named = site_names(source, transition);
	return NAMED(source, named, function);
}

static struct value site_at(struct value_source *source, uint64_t address, uint64_t time)
{
	const struct named *named;

	if (!address)
		return value_unknown();
	named = names_site(&source->names, address, time);
	return NAMED(source, named, site);
}

struct value value_get_site(struct value_source *source, const struct transition *transition)
{
	if (!is_in_kernel(transition->event))
		return value_unknown();
	return site_at(source, transition->event->call_site, transition->event->time);
}

struct value value_get_module(struct value_source *source, const struct transition *transition)
{
	const struct named *named;

	if (!is_in_kernel(transition->event))
		return value_unknown();
	named = site_names(source, transition);
	return NAMED(source, named, module);
}

/* Only allocations and resizes have flags. */
static bool has_flags(const struct transition *transition)
{
	return event_is_allocation(transition->event) || transition->outcome == OUTCOME_RESIZED;
}

struct value value_get_gfp_flags(struct value_source *source, const struct transition *transition)
{
	(void)source;
	return has_flags(transition) ? value_of(transition->event->gfp) : value_unknown();
}

struct value value_get_gfp_flag_name(struct value_source *source,
				     const struct transition *transition)
{
	const struct named *named;

	if (!has_flags(transition))
		return value_unknown();
	named = names_flags(&source->names, transition->event->gfp);
	return NAMED(source, named, text);
}

struct value value_get_bytes_req(struct value_source *source, const struct transition *transition)
{
	const struct event *event = transition->event;

	(void)source;
	if (event_is_allocation(event) ? knows_sizes(event)
				       : transition->outcome == OUTCOME_RESIZED)
		return value_of(event->requested);
	return old_object(transition) ? value_of(old_object(transition)->requested)
				      : value_unknown();
}

struct value value_get_bytes_alloc(struct value_source *source, const struct transition *transition)
{
	const struct event *event = transition->event;

	(void)source;
	if (transition->outcome == OUTCOME_FAILED)
		return value_of(0);
	if (event_is_allocation(event))
		return knows_sizes(event) ? value_of(event->allocated) : value_unknown();
	return old_object(transition) ? value_of(old_object(transition)->allocated)
				      : value_unknown();
}

/* The index in the kernel's kmalloc_caches[]: 1 and 2 are 96 and 192 bytes, n is 2^n bytes. */
static struct value size_index(uint32_t bytes)
{
	if (bytes == 96 || bytes == 192)
		return value_of(bytes == 96 ? 1 : 2);
	if (!bytes || (bytes & (bytes - 1)))
		return value_unknown();
	return value_of(__builtin_ctz(bytes));
}

struct value value_get_zindx(struct value_source *source, const struct transition *transition)
{
	const struct analysis *analysis = source->analysis;
	const struct analysis_cache *cache;

	if (event_is_one_of(transition->event, RECORD_KINDS_WITH(RECORD_FREE)))
		return value_of(0);
	if (transition->outcome != OUTCOME_ALLOCATED || transition->cache >= analysis->cache_count)
		return value_unknown();
	cache = &analysis->caches[transition->cache];
	return cache->is_kmalloc && !cache->is_large ? size_index(transition->event->allocated)
						     : value_unknown();
}

/* The cache that a free names, if the object's cache is anonymous; else NULL. */
static const struct cache *cache_of_free(const struct analysis *analysis,
					 const struct transition *transition)
{
	const struct event *event = transition->event;

	return event->has_cache && is_freed(transition) &&
			       analysis->caches[transition->cache].is_anonymous
		       ? event->cache
		       : NULL;
}

struct value value_get_cache(struct value_source *source, const struct transition *transition)
{
	const struct analysis *analysis = source->analysis;
	const struct named *named;
	const struct cache *cache;

	if (transition->cache >= analysis->cache_count)
		return value_unknown();
	cache = cache_of_free(analysis, transition);
	named = cache ? names_event_cache(&source->names, cache)
		      : names_cache(&source->names, analysis, transition->cache);
	return NAMED(source, named, text);
}

struct value value_get_reclaimable(struct value_source *source, const struct transition *transition)
{
	const struct analysis *analysis = source->analysis;
	const struct cache *cache;
	enum cache_reclaim reclaim;

	if (transition->cache >= analysis->cache_count)
		return value_unknown();
	cache = cache_of_free(analysis, transition);
	reclaim = cache ? caches_find_reclaim(&source->capture->caches, cache->name)
			: analysis->caches[transition->cache].reclaim;
	return reclaim == CACHE_RECLAIM_UNKNOWN ? value_unknown()
						: value_of(reclaim == CACHE_RECLAIMABLE);
}

struct value value_get_time(struct value_source *source, const struct transition *transition)
{
	return value_of((int64_t)(transition->event->time - source->analysis->begin));
}

struct value value_get_cpu(struct value_source *source, const struct transition *transition)
{
	(void)source;
	return value_of(transition->event->cpu);
}

static struct value node_of(const struct value_source *source, unsigned int number)
{
	const struct topology_cpu *cpu = topology_find(&source->capture->topology, number);

	return cpu && cpu->node >= 0 ? value_of(cpu->node) : value_unknown();
}

struct value value_get_node(struct value_source *source, const struct transition *transition)
{
	return node_of(source, transition->event->cpu);
}

struct value memory_node_of(struct value_source *source, uint64_t address)
{
	int node = memory_nodes_find(&source->capture->topology.memory, address);

	return node < 0 ? value_unknown() : value_of(node);
}

struct value value_get_memory_node(struct value_source *source, const struct transition *transition)
{
	struct value pointer = value_get_ptr(source, transition);

	return pointer.known && pointer.number ? memory_node_of(source, (uint64_t)pointer.number)
					       : value_unknown();
}

struct value value_get_requested_node(struct value_source *source,
				      const struct transition *transition)
{
	(void)source;
	return event_is_allocation(transition->event) ? value_of(transition->event->node)
						      : value_unknown();
}

struct value value_get_tid(struct value_source *source, const struct transition *transition)
{
	(void)source;
	return value_of(transition->event->task);
}

/* The work of an interrupt is not that of the task that it interrupted. */
static bool is_in_interrupt(const struct transition *transition)
{
	return transition->event->context != KMT_CONTEXT_TASK;
}

static const struct named *task_names(struct value_source *source,
				      const struct transition *transition)
{
	const struct named *named;

	if (source->task)
		return &source->names.tasks.list[source->task - 1];
	named = names_task(&source->names, transition->event->task, transition->event->time);
	if (named)
		source->task = (uint32_t)(named - source->names.tasks.list) + 1;
	return named;
}

static struct value uid_of(struct value_source *source, const struct named *named)
{
	if (!named)
		source->err = -ENOMEM;
	return named && named->uid >= 0 ? value_of(named->uid) : value_unknown();
}

struct value value_get_uid(struct value_source *source, const struct transition *transition)
{
	return is_in_interrupt(transition) ? value_unknown()
					   : uid_of(source, task_names(source, transition));
}

struct value value_get_user(struct value_source *source, const struct transition *transition)
{
	const struct named *named;

	if (is_in_interrupt(transition))
		return value_unknown();
	named = task_names(source, transition);
	return NAMED(source, named, user);
}

static struct value pid_of(struct value_source *source, const struct named *named)
{
	if (!named)
		source->err = -ENOMEM;
	return named && named->pid >= 0 ? value_of(named->pid) : value_unknown();
}

struct value value_get_pid(struct value_source *source, const struct transition *transition)
{
	return is_in_interrupt(transition) ? value_unknown()
					   : pid_of(source, task_names(source, transition));
}

struct value value_get_current_comm(struct value_source *source,
				    const struct transition *transition)
{
	const struct named *named = task_names(source, transition);

	return NAMED(source, named, comm);
}

struct value value_get_comm(struct value_source *source, const struct transition *transition)
{
	return is_in_interrupt(transition) ? value_get_context(source, transition)
					   : value_get_current_comm(source, transition);
}

struct value value_get_task(struct value_source *source, const struct transition *transition)
{
	const struct named *named;

	if (transition->event->id == KMT_OOM_KILL)
		return value_get_victim(source, transition);
	if (is_in_interrupt(transition))
		return value_get_context(source, transition);
	named = task_names(source, transition);
	return NAMED(source, named, task);
}

struct value value_get_victim(struct value_source *source, const struct transition *transition)
{
	const struct event *event = transition->event;
	const struct named *named;

	if (event->id != KMT_OOM_KILL)
		return value_unknown();
	named = names_task(&source->names, (uint32_t)event->payload, event->time);
	return NAMED(source, named, task);
}

struct value value_get_thread(struct value_source *source, const struct transition *transition)
{
	const struct named *named;

	if (is_in_interrupt(transition))
		return value_get_context(source, transition);
	named = task_names(source, transition);
	return NAMED(source, named, thread);
}

/* Named by its first thread, whose id is the process id: other threads may have other names. */
struct value value_get_process(struct value_source *source, const struct transition *transition)
{
	const struct event *event = transition->event;
	const struct named *named = task_names(source, transition);

	if (is_in_interrupt(transition))
		return value_get_context(source, transition);
	if (named && named->pid >= 0)
		named = names_task(&source->names, (uint32_t)named->pid, event->time);
	return NAMED(source, named, task);
}

struct value value_get_context(struct value_source *source, const struct transition *transition)
{
	uint8_t context = transition->event->context;

	if (context >= KMT_CONTEXT_END)
		return value_unknown(); /* of a later version */
	if (context == KMT_CONTEXT_TASK && !source->capture->status.context)
		return value_unknown();
	return value_of(source->context_texts[context]);
}

struct value value_get_operation(struct value_source *source, const struct transition *transition)
{
	const struct event *event = transition->event;

	if (event_is_other(event))
		return value_unknown();
	return value_of(source->operation_texts[event_is_allocation(event) ? 0
						: event_is_resize(event)   ? 2
									   : 1]);
}

struct value value_get_outcome(struct value_source *source, const struct transition *transition)
{
	if (transition->outcome == OUTCOME_OTHER)
		return value_unknown();
	return value_of(source->outcome_texts[transition->outcome]);
}

struct value value_get_from_backup(struct value_source *source, const struct transition *transition)
{
	(void)source;
	return value_of(event_is_from_backup(transition->event));
}

struct value value_get_freed_by(struct value_source *source, const struct transition *transition)
{
	if (!event_is_one_of(transition->event, RECORD_KINDS_WITH(RECORD_FREE)))
		return value_unknown();
	return value_get_site(source, transition);
}

struct value value_get_age(struct value_source *source, const struct transition *transition)
{
	const struct slab_object *object = old_object(transition);

	(void)source;
	return object ? value_of((int64_t)(transition->event->time - object->time))
		      : value_unknown();
}

struct value value_get_alloc_site(struct value_source *source, const struct transition *transition)
{
	const struct slab_object *object = old_object(transition);

	if (!object)
		return value_unknown();
	return site_at(source, source->analysis->groups[object->group].key, object->time);
}

struct value value_get_alloc_time(struct value_source *source, const struct transition *transition)
{
	const struct slab_object *object = old_object(transition);

	return object ? value_of((int64_t)(object->time - source->analysis->begin))
		      : value_unknown();
}

struct value value_get_alloc_cpu(struct value_source *source, const struct transition *transition)
{
	const struct slab_object *object = old_object(transition);

	(void)source;
	return object ? value_of(object->cpu) : value_unknown();
}

struct value value_get_alloc_node(struct value_source *source, const struct transition *transition)
{
	const struct slab_object *object = old_object(transition);

	return object ? node_of(source, object->cpu) : value_unknown();
}

struct value value_get_alloc_tid(struct value_source *source, const struct transition *transition)
{
	const struct slab_object *object = old_object(transition);

	(void)source;
	return object ? value_of(object->task) : value_unknown();
}

/* The task that allocated the object; NULL: an interrupt did, or there is no memory. */
static const struct named *alloc_names(struct value_source *source,
				       const struct slab_object *object)
{
	const struct named *named = names_task(&source->names, object->task, object->time);

	if (!named)
		source->err = -ENOMEM;
	return object->flags & OBJECT_IN_INTERRUPT ? NULL : named;
}

struct value value_get_alloc_pid(struct value_source *source, const struct transition *transition)
{
	const struct slab_object *object = old_object(transition);
	const struct named *named = object ? alloc_names(source, object) : NULL;

	return named ? pid_of(source, named) : value_unknown();
}

struct value value_get_alloc_uid(struct value_source *source, const struct transition *transition)
{
	const struct slab_object *object = old_object(transition);
	const struct named *named = object ? alloc_names(source, object) : NULL;

	return named ? uid_of(source, named) : value_unknown();
}

struct value value_get_alloc_comm(struct value_source *source, const struct transition *transition)
{
	const struct slab_object *object = old_object(transition);
	const struct named *named = object ? alloc_names(source, object) : NULL;

	if (object && object->flags & OBJECT_IN_INTERRUPT)
		return value_of(source->interrupts_text);
	return named ? NAMED(source, named, comm) : value_unknown();
}

struct value value_get_cross_cpu(struct value_source *source, const struct transition *transition)
{
	(void)source;
	if (!is_freed(transition))
		return value_unknown();
	return value_of(transition->event->cpu != transition->object->cpu);
}

struct value value_get_temporary(struct value_source *source, const struct transition *transition)
{
	const struct slab_object *object = transition->object;

	(void)source;
	if (!is_freed(transition))
		return value_unknown();
	return value_of(transition->no_allocation_between &&
			transition->event->task == object->task &&
			transition->event->cpu == object->cpu);
}

struct value value_get_missed_site(struct value_source *source, const struct transition *transition)
{
	(void)transition;
	if (!source->is_missed)
		return value_unknown();
	return site_at(source, source->missed_site, source->missed_time);
}
