// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A trace.dat of trace-cmd, read with libtracecmd: the fields of the tracepoints, the symbols of
 * their call sites, and the kernel's table of GFP flags.
 */
#include "config.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <trace-cmd.h>

#include "base/array.h"
#include "base/hash_map.h"
#include "capture/import/dat_gfp.h"
#include "capture/import/dat_layout.h"
#include "capture/import/dat_stacks.h"
#include "capture/import/import_source.h"
#include "capture/import/trace_cmd_magic.h"

#define BUFFERS_MAX 256 /* buffers that are read; more are ignored */

#define PAGE_SIZE_LEAST 4096
#define PAGE_SIZE_MOST 262144

#define WATCH_SECONDS 5
#define WATCH_BYTES_PER_SECOND (8U << 20)
#define WATCH_RECORDS 4096

struct dat {
	struct import_target *target;
	const char *path;
	struct tep_handle *tep;
	struct dat_layout layouts[DAT_LAYOUTS];
	struct dat_stacks stacks;
	struct tracecmd_input *buffer; /* the buffer whose events are imported */
	struct hash_map call_sites;    /* call sites whose function is a symbol */
	uint64_t time;		       /* of the event before */
	uint64_t missed, missed_unknown, broken, other_buffers;
	struct hash_map places; /* the index in offsets of a CPU of a buffer */
	uint64_t *offsets;	/* of the last record, in the file */
	uint64_t file_size, records;
	int err;
};

/* Adds the function of the call site, and the next function, where it ends. */
static int add_function(struct dat *dat, uint64_t call_site)
{
	unsigned long long start;
	unsigned long size;
	const char *name;
	int err;

	if (hash_map_find(&dat->call_sites, call_site) != HASH_MAP_NONE)
		return 0;
	if (hash_map_add(&dat->call_sites, call_site, 0))
		return error_set(&dat->target->error, -ENOMEM, strerror(ENOMEM));
	if (!tep_find_function_info(dat->tep, call_site, &name, &start, &size))
		return 0;
	err = import_target_add_symbol(dat->target, start, name, NULL);
	if (err || !size)
		return err;
	name = tep_find_function(dat->tep, start + size);
	return name ? import_target_add_symbol(dat->target, start + size, name, NULL) : 0;
}

static int set_task(struct dat *dat, struct tep_record *record, struct import_event *event)
{
	uint64_t pid;
	struct tep_event *any = tep_find_event_by_record(dat->tep, record);
	const char *comm;

	if (!any || !dat_field_read(tep_find_common_field(any, "common_pid"), record, &pid))
		return 0;
	event->task = (uint32_t)pid;
	comm = pid ? tep_data_comm_from_pid(dat->tep, (int)pid) : "swapper";
	return import_target_name_task(dat->target, event->task, event->task,
				       comm ? comm : "unknown", event->time);
}

static int count_missed(struct dat *dat, const struct tep_record *record)
{
	if (!record->missed_events)
		return 0;
	if (record->missed_events < 0) {
		dat->missed_unknown++;
		return 0;
	}
	dat->missed += (uint64_t)record->missed_events;
	return import_target_count_lost(dat->target, (unsigned int)record->cpu,
					(uint64_t)record->missed_events, record->ts);
}

static int add_event(struct dat *dat, const struct dat_layout *layout, struct tep_record *record)
{
	struct import_event event = { .time = record->ts, .cpu = (unsigned int)record->cpu };
	char cache[64];
	int err;

	if (!dat_layout_read(layout, record, &event, cache, sizeof(cache))) {
		dat->broken++;
		return 0;
	}
	err = set_task(dat, record, &event);
	if (!err)
		err = add_function(dat, event.call_site);
	return err ? err : dat_stacks_put(&dat->stacks, dat->target, &event);
}

/* The stack of an event before it, and the functions of its frames. */
static int add_stack(struct dat *dat, const struct tep_record *record)
{
	const uint64_t *frames;
	uint32_t count;
	int err = 0;

	dat_stacks_take(&dat->stacks, dat->target, record);
	frames = dat_stacks_last(&dat->stacks, &count);
	for (uint32_t i = 0; i < count && !err; i++)
		err = add_function(dat, frames[i]);
	return err;
}

/* The offset of the last record of this CPU and buffer, which is 0 at first; NULL: no memory. */
static uint64_t *last_offset(struct dat *dat, const struct tracecmd_input *handle, int cpu)
{
	uint64_t key = (uint64_t)(uintptr_t)handle << 16 ^ (uint64_t)cpu, *list;
	uint32_t index = hash_map_find(&dat->places, key);

	if (index != HASH_MAP_NONE)
		return &dat->offsets[index];
	index = (uint32_t)dat->places.count;
	list = array_grow(dat->offsets, index, sizeof(*list));
	if (!list)
		return NULL;
	dat->offsets = list;
	list[index] = 0;
	return hash_map_add(&dat->places, key, index) ? NULL : &list[index];
}

/*
 * Records of one CPU have increasing offsets. In a damaged file libtracecmd 1.1 can return the same
 * records again and again.
 */
static int check_offset(struct dat *dat, const struct tracecmd_input *handle,
			const struct tep_record *record)
{
	uint64_t *last = last_offset(dat, handle, record->cpu);

	if (!last)
		return error_set(&dat->target->error, -ENOMEM, strerror(ENOMEM));
	if (record->offset <= *last)
		return error_format(
			&dat->target->error, -EINVAL,
			"%s: the data of CPU %d step back at byte %llu: the file is damaged",
			dat->path, record->cpu, record->offset);
	*last = record->offset;
	return 0;
}

/*
 * In a damaged file the library can also loop without returning a record. SIGPROF then ends this
 * child process. Zero seconds stop the watch.
 */
static void limit_seconds(unsigned int seconds)
{
	const struct itimerval timer = { .it_value.tv_sec = (time_t)seconds };

	setitimer(ITIMER_PROF, &timer, NULL);
}

/* CPU time in which the library inflates the whole file, or returns WATCH_RECORDS. */
static unsigned int watch_seconds(const struct dat *dat)
{
	return WATCH_SECONDS + (unsigned int)(dat->file_size / WATCH_BYTES_PER_SECOND);
}

static int import_record(struct tracecmd_input *handle, struct tep_record *record, int buffer_cpu,
			 void *data)
{
	struct dat *dat = data;
	const struct dat_layout *layout;
	struct tep_event *event;

	dat->err = check_offset(dat, handle, record);
	if (dat->err)
		return dat->err; /* ends the iteration */
	if (++dat->records % WATCH_RECORDS == 0)
		limit_seconds(watch_seconds(dat));
	(void)buffer_cpu; /* continues over all buffers */
	if (record->cpu < 0 || record->size < 0)
		return 0;
	event = tep_find_event_by_record(dat->tep, record);
	layout = dat_layout_of(dat->layouts, event);
	if (layout && !dat->buffer)
		dat->buffer = handle;
	if (handle != dat->buffer) {
		/* another buffer may have the same events: they would count twice */
		dat->other_buffers += layout != NULL;
		return 0;
	}
	dat->err = count_missed(dat, record);
	if (!dat->err && layout)
		dat->err = add_event(dat, layout, record);
	else if (!dat->err && dat->buffer && dat_stacks_is(&dat->stacks, event))
		dat->err = add_stack(dat, record);
	return dat->err;
}

/* A recording has the main buffer and the buffers of instances. */
static int import_buffers(struct dat *dat, struct tracecmd_input *top)
{
	struct tracecmd_input *handles[BUFFERS_MAX] = { top };
	int instances = tracecmd_buffer_instances(top), count = 1;

	for (int i = 0; i < instances && count < BUFFERS_MAX; i++) {
		handles[count] = tracecmd_buffer_instance_handle(top, i);
		count += handles[count] != NULL;
	}
	tracecmd_iterate_events_multi(handles, count, import_record, dat);
	if (!dat->err)
		dat->err = dat_stacks_finish(&dat->stacks, dat->target);
	for (int i = 1; i < count; i++)
		tracecmd_close(handles[i]);
	return dat->err;
}

/* Any of the events may have the table. */
static void find_gfp(struct dat *dat)
{
	for (size_t i = 0; i < DAT_LAYOUTS; i++) {
		const struct dat_layout *layout = &dat->layouts[i];

		if (layout->event && layout->gfp && !dat_gfp(&dat->target->gfp, layout->event))
			return;
	}
}

static void add_notes(const struct dat *dat)
{
	struct import_target *target = dat->target;

	if (dat->broken)
		import_target_damage(target, "%s: ignored records that are too short: %" PRIu64,
				     dat->path, dat->broken);
	if (dat->other_buffers)
		import_target_note(
			target,
			"%s: only one buffer is imported; ignored events of other buffers: %" PRIu64,
			dat->path, dat->other_buffers);
	if (dat->stacks.seen && dat->stacks.unmatched)
		import_target_note(
			target,
			"stacks of other events, and those that are not behind their event, which has none: %" PRIu64,
			dat->stacks.unmatched);
	if (dat->missed)
		import_target_note(target,
				   "lost events in the recording: %" PRIu64
				   ": of kmem and of other subsystems together",
				   dat->missed);
	if (dat->missed_unknown)
		import_target_note(
			target,
			"gaps in the recording where an unknown number of events is lost: %" PRIu64,
			dat->missed_unknown);
	import_target_note(
		target,
		"events that ftrace dropped without counting them, and those of the kernel's bulk functions, are unknown");
	import_target_note(
		target,
		"addresses of caches are invented, since the recording has at most their names; it has thread ids only, which count as processes");
}

/*
 * The header of a trace.dat: 10 bytes of magic, the version as a string, the byte order, the bytes
 * of a long, the page size. libtracecmd does not give the last one to its callers. 0: unknown.
 */
static unsigned int read_page_size(const char *path, bool big_endian)
{
	unsigned char bytes[64] = { 0 };
	FILE *file = fopen(path, "rbe");
	size_t at = 10;
	uint32_t size;

	if (!file)
		return 0;
	if (fread(bytes, 1, sizeof(bytes), file) < sizeof(bytes))
		at = sizeof(bytes);
	fclose(file);
	while (at < sizeof(bytes) && bytes[at])
		at++;
	at += 3;
	if (at + sizeof(size) > sizeof(bytes))
		return 0;
	memcpy(&size, bytes + at, sizeof(size));
	size = big_endian ? be32toh(size) : le32toh(size);
	return size >= PAGE_SIZE_LEAST && size <= PAGE_SIZE_MOST && !(size & (size - 1)) ? size : 0;
}

static void set_machine(struct metadata *metadata, struct tep_handle *tep, const char *path)
{
	int word_bytes = tep_get_long_size(tep);

	metadata->page_size = read_page_size(path, tep_is_file_bigendian(tep));
	if (word_bytes == 4 || word_bytes == 8)
		metadata->word_bits = 8 * (unsigned int)word_bytes;
	metadata->source_order = tep_is_file_bigendian(tep) ? METADATA_ORDER_BIG
							    : METADATA_ORDER_LITTLE;
}

static void dat_deinit(struct dat *dat)
{
	hash_map_deinit(&dat->call_sites);
	hash_map_deinit(&dat->places);
	free(dat->offsets);
	dat_stacks_deinit(&dat->stacks);
}

static int import_dat(struct import_target *target, char *const *paths, size_t count)
{
	struct dat dat = { .target = target, .path = paths[0] };
	struct tracecmd_input *top;
	struct stat about;
	int err;

	(void)count;
	tracecmd_set_loglevel(TEP_LOG_NONE);
	tep_set_loglevel(TEP_LOG_NONE);
	if (hash_map_init(&dat.call_sites) || hash_map_init(&dat.places)) {
		dat_deinit(&dat);
		return error_set(&target->error, -ENOMEM, strerror(ENOMEM));
	}
	if (!stat(paths[0], &about))
		dat.file_size = (uint64_t)about.st_size;
	limit_seconds(watch_seconds(&dat));
	top = tracecmd_open(paths[0], TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!top) {
		dat_deinit(&dat);
		return error_format(
			&target->error, -EINVAL,
			"%s: libtracecmd cannot read it: it is damaged, cut off, or not a trace.dat: see trace-cmd report",
			paths[0]);
	}
	dat.tep = tracecmd_get_tep(top);
	set_machine(&target->metadata, dat.tep, paths[0]);
	dat_layouts_find(dat.layouts, dat.tep);
	find_gfp(&dat);
	err = dat_stacks_init(&dat.stacks, dat.tep)
		      ? error_set(&target->error, -ENOMEM, strerror(ENOMEM))
		      : import_buffers(&dat, top);
	limit_seconds(0);
	if (!err && !target->events)
		err = error_format(&target->error, -ENODATA,
				   "%s: has no kmem event: record with trace-cmd record -e kmem",
				   paths[0]);
	if (!err)
		add_notes(&dat);
	tracecmd_close(top);
	dat_deinit(&dat);
	return err;
}

const struct import_source source_trace_cmd = {
	.name = "trace-cmd",
	.description = "a recording of trace-cmd",
	.is = is_trace_cmd,
	.import = import_dat,
	.has_symbols = true,
	.isolated = true,
};
