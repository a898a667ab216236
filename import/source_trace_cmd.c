// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A trace.dat of trace-cmd, read with libtracecmd: the tracepoints' own fields, the symbols of the
 * functions that they name, and the kernel's table of GFP flags.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <trace-cmd.h>

#include "import/dat_gfp.h"
#include "import/magic.h"
#include "import/source.h"
#include "trace/index.h"

#define BUFFERS_MAX 256 /* that are read at once */

/* The fields of one kind of event, as this recording has them. */
struct layout {
	const char *name;
	uint8_t id;
	struct tep_event *event; /* NULL: this kernel has no such event */
	struct tep_format_field *call_site, *pointer, *requested, *allocated, *gfp, *node, *cache;
};

struct dat {
	struct target *target;
	const char *path;
	struct tep_handle *tep;
	struct layout layouts[6];
	struct tracecmd_input *buffer; /* the one that events are taken from */
	struct index places;	       /* call sites whose function is told */
	uint64_t time;		       /* of the event before */
	uint64_t missed, missed_unknown, broken, elsewhere;
	int err;
};

static const struct layout layouts[] = {
	{ .name = "kmalloc", .id = KMT_KMALLOC },
	{ .name = "kmalloc_node", .id = KMT_KMALLOC },
	{ .name = "kfree", .id = KMT_KFREE },
	{ .name = "kmem_cache_alloc", .id = KMT_CACHE_ALLOC },
	{ .name = "kmem_cache_alloc_node", .id = KMT_CACHE_ALLOC },
	{ .name = "kmem_cache_free", .id = KMT_CACHE_FREE },
};

static void find_layouts(struct dat *dat)
{
	memcpy(dat->layouts, layouts, sizeof(layouts));
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
		struct layout *layout = &dat->layouts[i];
		struct tep_event *event = tep_find_event_by_name(dat->tep, "kmem", layout->name);

		if (!event)
			continue;
		layout->call_site = tep_find_field(event, "call_site");
		layout->pointer = tep_find_field(event, "ptr");
		layout->requested = tep_find_field(event, "bytes_req");
		layout->allocated = tep_find_field(event, "bytes_alloc");
		layout->gfp = tep_find_field(event, "gfp_flags");
		layout->node = tep_find_field(event, "node");
		layout->cache = tep_find_field(event, "name");
		if (layout->call_site && layout->pointer)
			layout->event = event;
	}
}

static const struct layout *layout_of(const struct dat *dat, const struct tep_event *event)
{
	for (size_t i = 0; event && i < sizeof(layouts) / sizeof(*layouts); i++)
		if (dat->layouts[i].event && dat->layouts[i].event->id == event->id)
			return &dat->layouts[i];
	return NULL;
}

/* libtraceevent does not look whether the record goes so far. */
static bool read_field(struct tep_format_field *field, const struct tep_record *record,
		       uint64_t *value)
{
	unsigned long long number;

	if (!field || field->offset < 0 || field->size <= 0 ||
	    (uint64_t)field->offset + (uint64_t)field->size > (uint64_t)record->size ||
	    tep_read_number_field(field, record->data, &number))
		return false;
	*value = number;
	return true;
}

/* A dynamic string: its field holds where it lies in the record, and its size. */
static bool read_name(struct tep_format_field *field, const struct tep_record *record, char *name,
		      size_t size)
{
	uint64_t place, offset, length;

	if (!field || !(field->flags & TEP_FIELD_IS_DYNAMIC) || !read_field(field, record, &place))
		return false;
	offset = place & 0xffff;
	length = place >> 16 & 0xffff;
	if (!length || offset + length > (uint64_t)record->size)
		return false;
	snprintf(name, size, "%.*s", (int)length, (const char *)record->data + offset);
	return *name;
}

/* The function that holds the place, and where the next begins. */
static int tell_function(struct dat *dat, uint64_t place)
{
	unsigned long long start;
	unsigned long size;
	const char *name;
	int err;

	if (index_find(&dat->places, place) != INDEX_NONE)
		return 0;
	if (index_add(&dat->places, place, 0))
		return target_fail(dat->target, ENOMEM, "%s", strerror(ENOMEM));
	if (!tep_find_function_info(dat->tep, place, &name, &start, &size))
		return 0;
	err = target_symbol(dat->target, start, name, NULL);
	if (err || !size)
		return err;
	name = tep_find_function(dat->tep, start + size);
	return name ? target_symbol(dat->target, start + size, name, NULL) : 0;
}

static int tell_task(struct dat *dat, struct tep_record *record, struct target_event *event)
{
	uint64_t pid;
	struct tep_event *any = tep_find_event_by_record(dat->tep, record);
	const char *comm;

	if (!any || !read_field(tep_find_common_field(any, "common_pid"), record, &pid))
		return 0;
	event->task = (uint32_t)pid;
	comm = pid ? tep_data_comm_from_pid(dat->tep, (int)pid) : "swapper";
	return target_task(dat->target, event->task, event->task, comm ? comm : "unknown",
			   event->time);
}

static int take_missed(struct dat *dat, const struct tep_record *record)
{
	if (!record->missed_events)
		return 0;
	if (record->missed_events < 0) {
		dat->missed_unknown++;
		return 0;
	}
	dat->missed += (uint64_t)record->missed_events;
	return target_lose(dat->target, (unsigned int)record->cpu, (uint64_t)record->missed_events,
			   record->ts);
}

static int take_event(struct dat *dat, const struct layout *layout, struct tep_record *record)
{
	struct target_event event = { .time = record->ts,
				      .id = layout->id,
				      .cpu = (unsigned int)record->cpu,
				      .node = KMT_NODE_ANY };
	uint64_t gfp = 0, node;
	char cache[64];
	int err;

	if (!read_field(layout->call_site, record, &event.call_site) ||
	    !read_field(layout->pointer, record, &event.pointer) ||
	    (layout->requested && (!read_field(layout->requested, record, &event.requested) ||
				   !read_field(layout->allocated, record, &event.allocated)))) {
		dat->broken++;
		return 0;
	}
	if (read_field(layout->gfp, record, &gfp))
		event.gfp = (uint32_t)gfp;
	if (read_field(layout->node, record, &node))
		event.node = (int32_t)node;
	if (read_name(layout->cache, record, cache, sizeof(cache)))
		event.cache = cache;
	err = tell_task(dat, record, &event);
	if (!err)
		err = tell_function(dat, event.call_site);
	return err ? err : target_put(dat->target, &event);
}

static int take_record(struct tracecmd_input *handle, struct tep_record *record, int buffer_cpu,
		       void *data)
{
	struct dat *dat = data;
	const struct layout *layout;

	(void)buffer_cpu; /* counts on over all buffers */
	if (record->cpu < 0 || record->size < 0)
		return 0;
	layout = layout_of(dat, tep_find_event_by_record(dat->tep, record));
	if (layout && !dat->buffer)
		dat->buffer = handle;
	if (handle != dat->buffer) {
		/* another buffer may have the same events */
		dat->elsewhere += layout != NULL;
		return 0;
	}
	dat->err = take_missed(dat, record);
	if (!dat->err && layout)
		dat->err = take_event(dat, layout, record);
	return dat->err;
}

/* The recording has the main buffer and those of instances. */
static int take_all(struct dat *dat, struct tracecmd_input *top)
{
	struct tracecmd_input *handles[BUFFERS_MAX] = { top };
	int instances = tracecmd_buffer_instances(top), count = 1;

	for (int i = 0; i < instances && count < BUFFERS_MAX; i++) {
		handles[count] = tracecmd_buffer_instance_handle(top, i);
		count += handles[count] != NULL;
	}
	tracecmd_iterate_events_multi(handles, count, take_record, dat);
	for (int i = 1; i < count; i++)
		tracecmd_close(handles[i]);
	return dat->err;
}

/* In whichever event has one. */
static void find_gfp(struct dat *dat)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
		const struct layout *layout = &dat->layouts[i];

		if (layout->event && layout->gfp && !dat_gfp(&dat->target->gfp, layout->event))
			return;
	}
}

static void tell(const struct dat *dat)
{
	struct target *target = dat->target;

	if (dat->broken)
		target_note(target, "%s: records that are too short, left out: %" PRIu64, dat->path,
			    dat->broken);
	if (dat->elsewhere)
		target_note(
			target,
			"%s: events are taken from one buffer only; of others, left out: %" PRIu64,
			dat->path, dat->elsewhere);
	if (dat->missed)
		target_note(target,
			    "lost events, as the recording tells: %" PRIu64
			    ": of kmem and of other systems together",
			    dat->missed);
	if (dat->missed_unknown)
		target_note(target,
			    "places where the recording tells that events are lost, but not how "
			    "many: %" PRIu64,
			    dat->missed_unknown);
	target_note(target, "what ftrace dropped without a word, and what the kernel's bulk "
			    "functions did, is not known");
	target_note(target, "addresses of caches are invented: the recording has their names at "
			    "most; processes are threads here");
}

static int import_dat(struct target *target, char *const *paths, size_t count)
{
	struct dat dat = { .target = target, .path = paths[0] };
	struct tracecmd_input *top;
	int err;

	(void)count;
	tracecmd_set_loglevel(TEP_LOG_NONE);
	tep_set_loglevel(TEP_LOG_NONE);
	if (index_init(&dat.places))
		return target_fail(target, ENOMEM, "%s", strerror(ENOMEM));
	top = tracecmd_open(paths[0], TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!top) {
		index_deinit(&dat.places);
		return target_fail(target, EINVAL,
				   "%s: libtracecmd cannot read it: it is damaged, cut off, or no "
				   "trace.dat: trace-cmd report tells more",
				   paths[0]);
	}
	dat.tep = tracecmd_get_tep(top);
	if (tep_get_page_size(dat.tep) > 0)
		target->metadata.page_size = (unsigned int)tep_get_page_size(dat.tep);
	find_layouts(&dat);
	find_gfp(&dat);
	err = take_all(&dat, top);
	if (!err && !target->events)
		err = target_fail(target, ENODATA,
				  "%s: holds no kmem event: record with trace-cmd record -e kmem",
				  paths[0]);
	if (!err)
		tell(&dat);
	tracecmd_close(top);
	index_deinit(&dat.places);
	return err;
}

const struct source source_trace_cmd = {
	.name = "trace-cmd",
	.sentence = "a recording of trace-cmd",
	.is = trace_cmd_is,
	.import = import_dat,
	.isolated = true,
};
