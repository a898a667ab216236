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
#include "import/dat_layout.h"
#include "import/magic.h"
#include "import/source.h"
#include "base/hash_map.h"

#define BUFFERS_MAX 256 /* that are read at once */

struct dat {
	struct import_target *target;
	const char *path;
	struct tep_handle *tep;
	struct dat_layout layouts[DAT_LAYOUTS];
	struct tracecmd_input *buffer; /* the one that events are taken from */
	struct hash_map places;	       /* call sites whose function is told */
	uint64_t time;		       /* of the event before */
	uint64_t missed, missed_unknown, broken, elsewhere;
	int err;
};

/* The function that holds the place, and where the next begins. */
static int tell_function(struct dat *dat, uint64_t place)
{
	unsigned long long start;
	unsigned long size;
	const char *name;
	int err;

	if (hash_map_find(&dat->places, place) != HASH_MAP_NONE)
		return 0;
	if (hash_map_add(&dat->places, place, 0))
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

	if (!any || !dat_field_read(tep_find_common_field(any, "common_pid"), record, &pid))
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

static int take_event(struct dat *dat, const struct dat_layout *layout, struct tep_record *record)
{
	struct target_event event = { .time = record->ts, .cpu = (unsigned int)record->cpu };
	char cache[64];
	int err;

	if (!dat_layout_read(layout, record, &event, cache, sizeof(cache))) {
		dat->broken++;
		return 0;
	}
	err = tell_task(dat, record, &event);
	if (!err)
		err = tell_function(dat, event.call_site);
	return err ? err : target_put(dat->target, &event);
}

static int take_record(struct tracecmd_input *handle, struct tep_record *record, int buffer_cpu,
		       void *data)
{
	struct dat *dat = data;
	const struct dat_layout *layout;

	(void)buffer_cpu; /* counts on over all buffers */
	if (record->cpu < 0 || record->size < 0)
		return 0;
	layout = dat_layout_of(dat->layouts, tep_find_event_by_record(dat->tep, record));
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
	for (size_t i = 0; i < DAT_LAYOUTS; i++) {
		const struct dat_layout *layout = &dat->layouts[i];

		if (layout->event && layout->gfp && !dat_gfp(&dat->target->gfp, layout->event))
			return;
	}
}

static void tell(const struct dat *dat)
{
	struct import_target *target = dat->target;

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

static void tell_machine(struct metadata *metadata, struct tep_handle *tep)
{
	int page_size = tep_get_page_size(tep), word_bytes = tep_get_long_size(tep);

	if (page_size > 0)
		metadata->page_size = (unsigned int)page_size;
	if (word_bytes == 4 || word_bytes == 8)
		metadata->word_bits = 8 * (unsigned int)word_bytes;
	metadata->source_order = tep_is_file_bigendian(tep) ? METADATA_ORDER_BIG
							    : METADATA_ORDER_LITTLE;
}

static int import_dat(struct import_target *target, char *const *paths, size_t count)
{
	struct dat dat = { .target = target, .path = paths[0] };
	struct tracecmd_input *top;
	int err;

	(void)count;
	tracecmd_set_loglevel(TEP_LOG_NONE);
	tep_set_loglevel(TEP_LOG_NONE);
	if (hash_map_init(&dat.places))
		return target_fail(target, ENOMEM, "%s", strerror(ENOMEM));
	top = tracecmd_open(paths[0], TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!top) {
		hash_map_deinit(&dat.places);
		return target_fail(target, EINVAL,
				   "%s: libtracecmd cannot read it: it is damaged, cut off, or no "
				   "trace.dat: trace-cmd report tells more",
				   paths[0]);
	}
	dat.tep = tracecmd_get_tep(top);
	tell_machine(&target->metadata, dat.tep);
	dat_layouts_find(dat.layouts, dat.tep);
	find_gfp(&dat);
	err = take_all(&dat, top);
	if (!err && !target->events)
		err = target_fail(target, ENODATA,
				  "%s: holds no kmem event: record with trace-cmd record -e kmem",
				  paths[0]);
	if (!err)
		tell(&dat);
	tracecmd_close(top);
	hash_map_deinit(&dat.places);
	return err;
}

const struct source source_trace_cmd = {
	.name = "trace-cmd",
	.sentence = "a recording of trace-cmd",
	.is = trace_cmd_is,
	.import = import_dat,
	.has_symbols = true,
	.isolated = true,
};
