// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Recordings of Linux 2.6.31's kmemtrace: a relay file for each CPU. The events have no time, but
 * one sequence number over all CPUs: it gives the order, and replaces the time.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "capture/import/import_source.h"
#include "capture/import/relay.h"
#include "kernel/topology.h"

#define BACKWARD_DISTANCE ((uint32_t)1 << 31) /* a difference of at least this much is negative */

struct relay_input {
	struct relay_file relay;
	struct relay_record record; /* the next record, if has_record */
	bool has_record;
	const char *path;
	unsigned int cpu;
	uint64_t records;
};

struct relay_merge {
	struct import_target *target;
	struct relay_input *inputs;
	size_t count;
	uint32_t expected; /* sequence number of the next event, if none is missing */
	uint64_t time;	   /* of an event with that number */
	uint64_t lost, backward;
	bool big_endian;
};

static bool is_relay(const unsigned char *bytes, size_t size)
{
	return relay_count(bytes, size, false) || relay_count(bytes, size, true);
}

/* The CPU of a path whose file name begins with "cpu3", such as "cpu3.out". */
static bool cpu_of_name(const char *path, unsigned int *cpu)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return cpu_name_parse(&name, TOPOLOGY_NUMBER_MAX, cpu);
}

static struct relay_input *find_input(const struct relay_merge *merge, unsigned int cpu,
				      size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (merge->inputs[i].path && merge->inputs[i].cpu == cpu)
			return &merge->inputs[i];
	return NULL;
}

/* Files without a CPU in their name get the lowest numbers that are free. */
static int assign_cpus(struct relay_merge *merge, char *const *paths)
{
	unsigned int next = 0;

	for (size_t i = 0; i < merge->count; i++) {
		struct relay_input *input = &merge->inputs[i], *other;

		if (!cpu_of_name(paths[i], &input->cpu))
			continue;
		other = find_input(merge, input->cpu, i);
		if (other)
			return error_format(
				&merge->target->error, -EINVAL,
				"%s: the name has CPU %u, as the name of %s: give the files of one recording only",
				paths[i], input->cpu, other->path);
		input->path = paths[i];
	}
	for (size_t i = 0; i < merge->count; i++) {
		struct relay_input *input = &merge->inputs[i];

		if (input->path)
			continue;
		while (find_input(merge, next, merge->count))
			next++;
		input->path = paths[i];
		input->cpu = next;
		import_target_note(merge->target, "%s: the file name has no CPU: assumed CPU %u",
				   input->path, input->cpu);
	}
	return 0;
}

static int read_next(struct relay_merge *merge, struct relay_input *input)
{
	input->has_record = relay_read(&input->relay, &input->record);
	if (input->relay.failed)
		return error_set_at(&merge->target->error, -EIO, input->path);
	input->records += input->has_record;
	return 0;
}

/* All files come from one machine: the byte order that gives the most records is right. */
static int find_byte_order(struct relay_merge *merge, char *const *paths)
{
	size_t little = 0, big = 0;
	unsigned char *bytes = malloc(SOURCE_PEEK);
	int err = bytes ? 0 : error_set(&merge->target->error, -ENOMEM, strerror(ENOMEM));

	for (size_t i = 0; i < merge->count && !err; i++) {
		FILE *file = fopen(paths[i], "rbe");
		size_t size;

		if (!file) {
			err = error_set_at(&merge->target->error, -errno, paths[i]);
			break;
		}
		size = fread(bytes, 1, SOURCE_PEEK, file);
		little += relay_count(bytes, size, false);
		big += relay_count(bytes, size, true);
		fclose(file);
	}
	free(bytes);
	if (!err && !little && !big)
		err = error_format(&merge->target->error, -ENODATA,
				   "%s: has no record of kmemtrace's ABI 1", paths[0]);
	merge->big_endian = big > little;
	return err;
}

static int open_inputs(struct relay_merge *merge)
{
	for (size_t i = 0; i < merge->count; i++) {
		struct relay_input *input = &merge->inputs[i];
		int err = relay_open(&input->relay, input->path, merge->big_endian);

		if (err)
			return error_set_at(&merge->target->error, err, input->path);
		err = read_next(merge, input);
		if (err)
			return err;
	}
	return 0;
}

/*
 * The numbers may wrap around between the first events of two CPUs. The first number of all is the
 * one from which the distance to the others is smallest.
 */
static uint32_t find_start(const struct relay_merge *merge)
{
	uint32_t start = 0, least = UINT32_MAX;

	for (size_t i = 0; i < merge->count; i++) {
		uint32_t most = 0, first = merge->inputs[i].record.sequence;

		if (!merge->inputs[i].has_record)
			continue;
		for (size_t j = 0; j < merge->count; j++) {
			uint32_t ahead = merge->inputs[j].record.sequence - first;

			if (merge->inputs[j].has_record && ahead > most)
				most = ahead;
		}
		if (most < least) {
			least = most;
			start = first;
		}
	}
	return start;
}

static struct relay_input *first_input(const struct relay_merge *merge)
{
	struct relay_input *nearest = NULL;
	uint32_t least = 0;

	for (size_t i = 0; i < merge->count; i++) {
		struct relay_input *input = &merge->inputs[i];
		uint32_t ahead = input->record.sequence - merge->expected;

		if (input->has_record && (!nearest || ahead < least)) {
			nearest = input;
			least = ahead;
		}
	}
	return nearest;
}

static uint8_t record_id(const struct relay_record *record)
{
	if (record->type == RELAY_KMALLOC)
		return record->event == RELAY_ALLOC ? KMT_KMALLOC : KMT_KFREE;
	return record->event == RELAY_ALLOC ? KMT_CACHE_ALLOC : KMT_CACHE_FREE;
}

static int add_event(struct relay_merge *merge, struct relay_input *input)
{
	const struct relay_record *record = &input->record;
	uint32_t ahead = record->sequence - merge->expected;
	struct import_event event = {
		.pointer = record->pointer,
		.call_site = record->call_site,
		.requested = record->requested,
		.allocated = record->allocated,
		.cache = record->type == RELAY_PAGES ? "pages" : NULL,
		.gfp = record->gfp,
		.node = record->node,
		.cpu = input->cpu,
		.id = record_id(record),
	};
	int err = 0;

	if (ahead < BACKWARD_DISTANCE) {
		merge->time += ahead;
		merge->lost += ahead;
		err = import_target_count_lost(merge->target, input->cpu, ahead, merge->time);
	} else {
		merge->backward++;
	}
	event.time = merge->time++;
	merge->expected = record->sequence + 1;
	return err ? err : import_target_put_event(merge->target, &event);
}

static void add_notes(const struct relay_merge *merge)
{
	struct import_target *target = merge->target;

	for (size_t i = 0; i < merge->count; i++) {
		const struct relay_input *input = &merge->inputs[i];
		const struct relay_bytes *bytes = &input->relay.bytes;

		if (bytes->damaged)
			import_target_damage(target,
					     "%s: ignored bytes that are not records: %" PRIu64,
					     input->path, bytes->damaged);
		if (bytes->cut)
			import_target_damage(
				target,
				"%s: is cut off: ignored bytes of an incomplete record at its end: %" PRIu64,
				input->path, bytes->cut);
	}
	if (merge->lost)
		import_target_note(target,
				   "missing sequence numbers, of events on unknown CPUs: %" PRIu64
				   ": each counts as lost on the CPU of the next event",
				   merge->lost);
	if (merge->backward)
		import_target_note(
			target,
			"sequence numbers that step back, as in files of different recordings: %" PRIu64
			": these events keep the order of their file",
			merge->backward);
	import_target_note(
		target,
		"the recording has no times: reports use the sequence number of an event as its time");
	import_target_note(
		target,
		"the recording has no tasks, cache names or symbols, and no count of the events that were lost while its buffers were full (that was /sys/kernel/debug/kmemtrace/total_overruns)");
}

static int merge_all(struct relay_merge *merge)
{
	struct relay_input *input;
	int err = 0;

	merge->expected = find_start(merge);
	merge->time = merge->expected;
	for (size_t i = 0; i < merge->count && !err; i++)
		err = import_target_add_cpu(merge->target, merge->inputs[i].cpu, merge->time);
	while (!err && (input = first_input(merge))) {
		err = add_event(merge, input);
		if (!err)
			err = read_next(merge, input);
	}
	return err;
}

static int import_relay(struct import_target *target, char *const *paths, size_t count)
{
	struct relay_merge merge = { .target = target, .count = count };
	int err;

	merge.inputs = calloc(count, sizeof(*merge.inputs));
	if (!merge.inputs)
		return error_set(&target->error, -ENOMEM, strerror(ENOMEM));
	err = assign_cpus(&merge, paths);
	if (!err)
		err = find_byte_order(&merge, paths);
	if (!err)
		err = open_inputs(&merge);
	if (!err)
		err = merge_all(&merge);
	if (!err)
		err = import_target_name_task(target, 0, 0, "unknown", 0);
	if (!err) {
		target->metadata.clock = METADATA_CLOCK_EVENTS;
		target->metadata.source_order = merge.big_endian ? METADATA_ORDER_BIG
								 : METADATA_ORDER_LITTLE;
		add_notes(&merge);
	}
	for (size_t i = 0; i < count; i++)
		relay_close(&merge.inputs[i].relay);
	free(merge.inputs);
	return err;
}

const struct import_source source_kmemtrace = {
	.name = "kmemtrace",
	.description = "relay files of a kmemtrace kernel",
	.is = is_relay,
	.import = import_relay,
	.many = true,
};
