// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The ancestor's recording: a relay file for each CPU. One number counts the events of all CPUs,
 * and there is no time: the number orders them, and stands for it.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "import/relay.h"
#include "import/source.h"
#include "base/number.h"
#include "kernel/topology.h"

#define BACKWARD ((uint32_t)1 << 31) /* a number so far ahead lies behind */

struct head {
	struct relay_file relay;
	struct relay_record record; /* the next, if there is one */
	bool there;
	const char *path;
	unsigned int cpu;
	uint64_t records;
};

struct merge {
	struct import_target *target;
	struct head *heads;
	size_t count;
	uint32_t expected; /* number of the next event */
	uint64_t time;	   /* of the next event, if it has that number */
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

static struct head *head_of(const struct merge *merge, unsigned int cpu, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (merge->heads[i].path && merge->heads[i].cpu == cpu)
			return &merge->heads[i];
	return NULL;
}

/* Files whose name tells no CPU get the lowest numbers that are left. */
static int name_cpus(struct merge *merge, char *const *paths)
{
	unsigned int next = 0;

	for (size_t i = 0; i < merge->count; i++) {
		struct head *head = &merge->heads[i], *other;

		if (!cpu_of_name(paths[i], &head->cpu))
			continue;
		other = head_of(merge, head->cpu, i);
		if (other)
			return target_fail(merge->target, EINVAL,
					   "%s: is of CPU %u by its name, as %s is: name the files "
					   "of one recording only",
					   paths[i], head->cpu, other->path);
		head->path = paths[i];
	}
	for (size_t i = 0; i < merge->count; i++) {
		struct head *head = &merge->heads[i];

		if (head->path)
			continue;
		while (head_of(merge, next, merge->count))
			next++;
		head->path = paths[i];
		head->cpu = next;
		target_note(merge->target, "%s: the name tells no CPU: taken for CPU %u",
			    head->path, head->cpu);
	}
	return 0;
}

static int read_head(struct merge *merge, struct head *head)
{
	head->there = relay_read(&head->relay, &head->record);
	if (head->relay.failed)
		return target_fail(merge->target, EIO, "%s: %s", head->path, strerror(EIO));
	head->records += head->there;
	return 0;
}

/* All files are of one machine: the order in which most of their bytes make sense. */
static int find_byte_order(struct merge *merge, char *const *paths)
{
	size_t little = 0, big = 0;
	unsigned char *bytes = malloc(SOURCE_PEEK);
	int err = bytes ? 0 : target_fail(merge->target, ENOMEM, "%s", strerror(ENOMEM));

	for (size_t i = 0; i < merge->count && !err; i++) {
		FILE *file = fopen(paths[i], "rbe");
		size_t size;

		if (!file) {
			err = target_fail(merge->target, errno, "%s: %s", paths[i],
					  strerror(errno));
			break;
		}
		size = fread(bytes, 1, SOURCE_PEEK, file);
		little += relay_count(bytes, size, false);
		big += relay_count(bytes, size, true);
		fclose(file);
	}
	free(bytes);
	if (!err && !little && !big)
		err = target_fail(merge->target, ENODATA,
				  "%s: holds no record of kmemtrace's ABI 1", paths[0]);
	merge->big_endian = big > little;
	return err;
}

static int open_heads(struct merge *merge)
{
	for (size_t i = 0; i < merge->count; i++) {
		struct head *head = &merge->heads[i];
		int err = relay_open(&head->relay, head->path, merge->big_endian);

		if (err)
			return target_fail(merge->target, -err, "%s: %s", head->path,
					   strerror(-err));
		err = read_head(merge, head);
		if (err)
			return err;
	}
	return 0;
}

/*
 * The numbers may have wrapped around between the first events of two CPUs: the first of all is
 * the one from which the others are least far ahead.
 */
static uint32_t find_start(const struct merge *merge)
{
	uint32_t start = 0, least = UINT32_MAX;

	for (size_t i = 0; i < merge->count; i++) {
		uint32_t most = 0, first = merge->heads[i].record.sequence;

		if (!merge->heads[i].there)
			continue;
		for (size_t j = 0; j < merge->count; j++) {
			uint32_t ahead = merge->heads[j].record.sequence - first;

			if (merge->heads[j].there && ahead > most)
				most = ahead;
		}
		if (most < least) {
			least = most;
			start = first;
		}
	}
	return start;
}

static struct head *next_head(const struct merge *merge)
{
	struct head *nearest = NULL;
	uint32_t least = 0;

	for (size_t i = 0; i < merge->count; i++) {
		struct head *head = &merge->heads[i];
		uint32_t ahead = head->record.sequence - merge->expected;

		if (head->there && (!nearest || ahead < least)) {
			nearest = head;
			least = ahead;
		}
	}
	return nearest;
}

static uint8_t id_of(const struct relay_record *record)
{
	if (record->type == RELAY_KMALLOC)
		return record->event == RELAY_ALLOC ? KMT_KMALLOC : KMT_KFREE;
	return record->event == RELAY_ALLOC ? KMT_CACHE_ALLOC : KMT_CACHE_FREE;
}

static int take(struct merge *merge, struct head *head)
{
	const struct relay_record *record = &head->record;
	uint32_t ahead = record->sequence - merge->expected;
	struct target_event event = {
		.pointer = record->pointer,
		.call_site = record->call_site,
		.requested = record->requested,
		.allocated = record->allocated,
		.cache = record->type == RELAY_PAGES ? "pages" : NULL,
		.gfp = record->gfp,
		.node = record->node,
		.cpu = head->cpu,
		.id = id_of(record),
	};
	int err = 0;

	if (ahead < BACKWARD) {
		merge->time += ahead;
		merge->lost += ahead;
		err = target_lose(merge->target, head->cpu, ahead, merge->time);
	} else {
		merge->backward++;
	}
	event.time = merge->time++;
	merge->expected = record->sequence + 1;
	return err ? err : target_put(merge->target, &event);
}

static void tell(const struct merge *merge)
{
	struct import_target *target = merge->target;

	for (size_t i = 0; i < merge->count; i++) {
		const struct head *head = &merge->heads[i];
		const struct relay_bytes *bytes = &head->relay.bytes;

		if (bytes->damaged)
			target_note(target, "%s: bytes that are no records, passed over: %" PRIu64,
				    head->path, bytes->damaged);
		if (bytes->cut)
			target_note(target,
				    "%s: it is cut off: bytes of half a record at its end, left "
				    "out: %" PRIu64,
				    head->path, bytes->cut);
	}
	if (merge->lost)
		target_note(target,
			    "numbers that are missing, on CPUs that nobody knows: %" PRIu64
			    ": each is counted as lost on the CPU of the event that follows",
			    merge->lost);
	if (merge->backward)
		target_note(target,
			    "numbers that go back, as in files of different recordings: %" PRIu64
			    ": these events stay where they lie in their file",
			    merge->backward);
	target_note(target, "the recording has no times: the number of an event stands for its "
			    "time, and reports count events where they else tell time");
	target_note(target,
		    "it does not tell tasks, the names of caches, symbols, or what was lost "
		    "while its buffers were full (/sys/kernel/debug/kmemtrace/total_overruns "
		    "told that)");
}

static int merge_all(struct merge *merge)
{
	struct head *head;
	int err = 0;

	merge->expected = find_start(merge);
	merge->time = merge->expected;
	for (size_t i = 0; i < merge->count && !err; i++)
		err = target_cpu(merge->target, merge->heads[i].cpu, merge->time);
	while (!err && (head = next_head(merge))) {
		err = take(merge, head);
		if (!err)
			err = read_head(merge, head);
	}
	return err;
}

static int import_relay(struct import_target *target, char *const *paths, size_t count)
{
	struct merge merge = { .target = target, .count = count };
	int err;

	merge.heads = calloc(count, sizeof(*merge.heads));
	if (!merge.heads)
		return target_fail(target, ENOMEM, "%s", strerror(ENOMEM));
	err = name_cpus(&merge, paths);
	if (!err)
		err = find_byte_order(&merge, paths);
	if (!err)
		err = open_heads(&merge);
	if (!err)
		err = merge_all(&merge);
	if (!err)
		err = target_task(target, 0, 0, "unknown", 0);
	if (!err) {
		target->metadata.clock = METADATA_CLOCK_EVENTS;
		target->metadata.source_order = merge.big_endian ? METADATA_ORDER_BIG
								 : METADATA_ORDER_LITTLE;
		tell(&merge);
	}
	for (size_t i = 0; i < count; i++)
		relay_close(&merge.heads[i].relay);
	free(merge.heads);
	return err;
}

const struct source source_kmemtrace = {
	.name = "kmemtrace",
	.sentence = "relay files of a kmemtrace kernel",
	.is = is_relay,
	.import = import_relay,
	.many = true,
};
