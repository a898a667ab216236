// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes events, losses, tasks and symbols into a new capture. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "capture/import/import_target.h"
#include "cli/stop.h"
#include "kernel/caches.h"
#include "kernel/possible.h"
#include "kernel/sampling.h"
#include "kernel/stacks.h"
#include "kernel/tasks.h"
#include "kernel/topology.h"

#define UNKNOWN "unknown"
/* The call site of an event without one: no kernel has code there. */
#define UNKNOWN_SITE (((uint64_t)2 << 56) - (1 << 20))
#define UNKNOWN_SITE_32_BITS FIRST_PAGE_BYTES
#define KMALLOC_SLAB_MAX ((uint32_t)1 << 25) /* bytes: no class of any kernel is larger */
/* Sequence numbers have 32 bits in a packet: a larger gap needs a packet border. */
#define LOSS_IN_PACKET_MAX ((uint64_t)1 << 30)
#define LOSS_MAX ((uint64_t)1 << 48) /* a larger number is damaged */

void import_target_note(struct import_target *target, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(target->notes.file, format, arguments);
	va_end(arguments);
	putc('\n', target->notes.file);
}

void import_target_damage(struct import_target *target, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(target->damages.file, format, arguments);
	va_end(arguments);
	putc('\n', target->damages.file);
}

static bool notes_open(struct import_notes *notes)
{
	notes->file = text_open(&notes->text, &notes->size);
	return notes->file;
}

static void notes_close(struct import_notes *notes)
{
	if (notes->file)
		fclose(notes->file);
	free(notes->text);
}

static int fail_target_memory(struct import_target *target)
{
	return error_set(&target->error, -ENOMEM, strerror(ENOMEM));
}

/* metadata_init() describes this machine, not the recorded machine. */
static void clear_machine(struct metadata *metadata)
{
	snprintf(metadata->hostname, sizeof(metadata->hostname), UNKNOWN);
	snprintf(metadata->release, sizeof(metadata->release), UNKNOWN);
	snprintf(metadata->version, sizeof(metadata->version), UNKNOWN);
	snprintf(metadata->machine, sizeof(metadata->machine), UNKNOWN);
	metadata->word_bits = 0;
	metadata->page_size = 0;
	metadata->wall_offset = 0;
	metadata->clock = METADATA_CLOCK_OTHER;
}

int import_target_open(struct import_target *target, struct directory *directory,
		       const char *source)
{
	int err;

	memset(target, 0, sizeof(*target));
	target->directory = directory;
	err = metadata_init(&target->metadata);
	if (err)
		return error_set(&target->error, err, strerror(-err));
	clear_machine(&target->metadata);
	snprintf(target->metadata.source, sizeof(target->metadata.source), "%s", source);
	if (!notes_open(&target->notes) || !notes_open(&target->damages) ||
	    cache_guesses_init(&target->caches) || texts_init(&target->comms) ||
	    texts_init(&target->stacks) || hash_map_init(&target->tasks))
		return fail_target_memory(target);
	target->task_lines = directory_open(directory, "kernel/tasks", false);
	if (!target->task_lines)
		return error_set(&target->error, -EIO, directory->errmsg);
	target->symbols = directory_open_gz(directory, "kernel/symbols", false);
	if (!target->symbols)
		return error_set(&target->error, -EIO, directory->errmsg);
	return 0;
}

void import_target_close(struct import_target *target)
{
	for (size_t i = 0; i < target->cpu_count; i++) {
		writer_close(&target->cpus[i]->writer);
		free(target->cpus[i]);
	}
	free(target->cpus);
	if (target->task_lines)
		fclose(target->task_lines);
	if (target->stack_lines)
		fclose(target->stack_lines);
	if (target->symbols)
		gzclose(target->symbols);
	notes_close(&target->notes);
	notes_close(&target->damages);
	free(target->task_comms);
	hash_map_deinit(&target->tasks);
	texts_deinit(&target->comms);
	texts_deinit(&target->stacks);
	cache_guesses_deinit(&target->caches);
	gfp_deinit(&target->gfp);
	status_deinit(&target->status);
	memset(target, 0, sizeof(*target));
}

static int add_cpu(struct import_target *target, unsigned int number, size_t index)
{
	struct import_cpu **list;
	struct import_cpu *cpu;
	char name[24], path[4096];
	int err, fd;

	if (number > TOPOLOGY_NUMBER_MAX)
		return error_format(
			&target->error, -ERANGE,
			"the recording has a CPU %u, above the maximum of %u: it is damaged",
			number, TOPOLOGY_NUMBER_MAX);
	list = array_grow(target->cpus, target->cpu_count, sizeof(*list));
	if (!list)
		return fail_target_memory(target);
	target->cpus = list;
	cpu = calloc(1, sizeof(*cpu));
	if (!cpu)
		return fail_target_memory(target);
	cpu->cpu = number;
	snprintf(name, sizeof(name), "cpu%u", number);
	fd = directory_create(target->directory, name);
	err = fd < 0 ? error_set(&target->error, fd, target->directory->errmsg) : 0;
	if (!err) {
		directory_name(target->directory, name, path, sizeof(path));
		err = writer_open(&cpu->writer, fd, path, target->metadata.uuid, number,
				  target->begin);
		if (err)
			error_set(&target->error, err, cpu->writer.errmsg);
	}
	if (err) {
		free(cpu);
		return err;
	}
	memmove(list + index + 1, list + index, (target->cpu_count - index) * sizeof(*list));
	list[index] = cpu;
	target->cpu_count++;
	return 0;
}

/* Finds or adds the CPU. NULL with *err set. */
static struct import_cpu *find_cpu(struct import_target *target, unsigned int number, uint64_t time,
				   int *err)
{
	size_t low = 0, high = target->cpu_count;

	if (!target->begun) {
		target->begun = true;
		target->begin = target->end = time;
	}
	if (time > target->end)
		target->end = time;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (target->cpus[middle]->cpu < number)
			low = middle + 1;
		else
			high = middle;
	}
	*err = 0;
	if (low == target->cpu_count || target->cpus[low]->cpu != number)
		*err = add_cpu(target, number, low);
	return *err ? NULL : target->cpus[low];
}

int import_target_add_cpu(struct import_target *target, unsigned int cpu, uint64_t time)
{
	int err;

	find_cpu(target, cpu, time, &err);
	return err;
}

static uint32_t clamp_size(uint64_t size)
{
	return size < KMT_SIZE_MAX ? (uint32_t)size : KMT_SIZE_MAX;
}

/* Sets the sizes and the cache. Only earlier events show which cache an object belongs to. */
static int set_cache(struct import_target *target, const struct import_event *event,
		     struct kmt_record *record)
{
	struct cache_guesses *caches = &target->caches;
	uint32_t requested = clamp_size(event->requested), allocated = clamp_size(event->allocated);
	uint64_t cache;
	int err = 0;

	switch (event->id) {
	case KMT_KMALLOC:
		record->requested = requested;
		record->allocated = allocated;
		if (event->pointer && allocated <= KMALLOC_SLAB_MAX &&
		    !caches_is_kmalloc_size(allocated) && !target->metadata.odd_allocated) {
			target->metadata.odd_requested = requested;
			target->metadata.odd_allocated = allocated;
		}
		/* fall through */
	case KMT_KFREE:
		cache_guesses_forget(caches, event->pointer);
		return 0;
	case KMT_CACHE_ALLOC:
		err = cache_guesses_alloc(caches, event->pointer, event->cache, requested,
					  allocated, &cache);
		if (!err && !event->cache) {
			record->id = KMT_ANONYMOUS_ALLOC;
			record->requested = requested;
			record->allocated = allocated;
			return 0;
		}
		break;
	default:
		err = cache_guesses_free(caches, event->pointer, event->cache, &cache);
	}
	record->cache = cache;
	return err ? fail_target_memory(target) : 0;
}

static bool is_possible(const struct import_target *target, const struct import_event *event)
{
	unsigned int word_bits = target->metadata.word_bits;

	return pointer_is_possible(event->pointer, word_bits) &&
	       (!event->call_site || address_is_possible(event->call_site, word_bits)) &&
	       (!event->pointer || clamp_size(event->allocated) >= clamp_size(event->requested));
}

/* The id of the event's stack, which is written if it is new; 0 with *err set: it failed. */
static uint64_t find_stack_id(struct import_target *target, const struct import_event *event,
			      int *err)
{
	struct stack stack = { .since = event->time, .frame_count = event->frame_count };
	char text[STACK_FRAMES_MAX * 17 + 1] = "";
	size_t length = 0, count = target->stacks.count;

	for (uint32_t i = 0; i < event->frame_count; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%" PRIx64 " ",
					   event->frames[i]);
	stack.id = texts_add(&target->stacks, text);
	if (!stack.id)
		*err = fail_target_memory(target);
	if (!stack.id || stack.id < count)
		return stack.id;
	if (!target->stack_lines)
		target->stack_lines = directory_open(target->directory, "kernel/stacks", false);
	if (!target->stack_lines)
		*err = error_set(&target->error, -EIO, target->directory->errmsg);
	else if (stack_write(target->stack_lines, &stack, event->frames))
		*err = error_format(&target->error, -EIO, "kernel/stacks: %s", strerror(EIO));
	return stack.id;
}

/* Puts the record of the stack in front of that of the allocation. */
static int put_allocation_stack(struct import_target *target, const struct import_event *event,
				const struct kmt_record *allocation, struct import_cpu *cpu)
{
	struct kmt_long_record record = {
		.head = {
			.time = allocation->time,
			.id = KMT_STACK,
			.words = KMT_RECORD_WORDS + 1,
			.node = KMT_NODE_ANY,
			.pointer = allocation->pointer,
			.call_site = allocation->call_site,
			.task = allocation->task,
			.gfp = SAMPLING_EACH,
		},
	};
	int err = 0;

	if (event->frame_count)
		record.head.payload = find_stack_id(target, event, &err);
	else
		target->status.sampling.unwalked++;
	if (err)
		return err;
	target->status.sampling.interval = SAMPLING_EACH;
	record.head.sequence = (uint32_t)cpu->sequence++;
	cpu->recorded++;
	err = writer_put(&cpu->writer, &record.head);
	return err ? error_set(&target->error, err, cpu->writer.errmsg) : 0;
}

/* Gives the record the call site that stands for an unknown one. */
static int set_unknown_site(struct import_target *target, struct kmt_record *record)
{
	record->call_site = target->metadata.word_bits == 32 ? UNKNOWN_SITE_32_BITS : UNKNOWN_SITE;
	if (target->unknown_sites++)
		return 0;
	return import_target_add_symbol(target, record->call_site, UNKNOWN, NULL);
}

int import_target_put_event(struct import_target *target, const struct import_event *event)
{
	struct kmt_record record = {
		.time = event->time,
		.id = event->id,
		.words = KMT_RECORD_WORDS,
		.node = KMT_NODE_ANY,
		.pointer = event->pointer,
		.call_site = event->call_site,
		.task = event->task,
		.gfp = event->gfp,
	};
	struct import_cpu *cpu;
	int err;

	if (stop_signal())
		return error_format(&target->error, -EINTR, "interrupted: nothing was imported");
	if (!is_possible(target, event)) {
		target->impossible++;
		return import_target_count_lost(target, event->cpu, 1, event->time);
	}
	cpu = find_cpu(target, event->cpu, event->time, &err);
	if (!cpu)
		return err;
	err = set_cache(target, event, &record);
	if (!err && !event->call_site)
		err = set_unknown_site(target, &record);
	if (err)
		return err;
	if (event->node >= 0 && event->node <= KMT_NODE_MAX)
		record.node = (int16_t)event->node;
	if (event->pointer >> 32)
		target->wide = true;
	if (event->has_stack && event->pointer &&
	    (event->id == KMT_KMALLOC || event->id == KMT_CACHE_ALLOC))
		err = put_allocation_stack(target, event, &record, cpu);
	if (err)
		return err;
	record.sequence = (uint32_t)cpu->sequence++;
	cpu->recorded++;
	target->events++;
	target->seen[event->id]++;
	err = writer_put(&cpu->writer, &record);
	return err ? error_set(&target->error, err, cpu->writer.errmsg) : 0;
}

int import_target_count_lost(struct import_target *target, unsigned int number, uint64_t count,
			     uint64_t time)
{
	struct import_cpu *cpu;
	int err;

	if (!count)
		return 0;
	cpu = find_cpu(target, number, time, &err);
	if (!cpu)
		return err;
	if (count > LOSS_MAX || cpu->lost > LOSS_MAX)
		return error_format(&target->error, -ERANGE,
				    "the recording has %" PRIu64
				    " lost events on CPU %u: it is damaged",
				    count, number);
	err = writer_release(&cpu->writer);
	if (!err && count >= LOSS_IN_PACKET_MAX)
		err = writer_flush(&cpu->writer, cpu->writer.time_last, 0, false);
	cpu->sequence += count;
	cpu->lost += count;
	if (!err)
		err = writer_confirm_losses(&cpu->writer, cpu->sequence, time);
	return err ? error_set(&target->error, err, cpu->writer.errmsg) : 0;
}

int import_target_name_task(struct import_target *target, uint32_t tid, uint32_t tgid,
			    const char *comm, uint64_t time)
{
	struct task task = { .tid = tid, .tgid = tgid, .since = time };
	uint32_t index = hash_map_find(&target->tasks, tid);
	uint32_t number = texts_add(&target->comms, comm);
	int err;

	if (!number)
		return fail_target_memory(target);
	if (index == HASH_MAP_NONE) {
		uint32_t *list;

		index = (uint32_t)target->tasks.count;
		list = array_grow(target->task_comms, index, sizeof(*list));
		if (!list)
			return fail_target_memory(target);
		target->task_comms = list;
		if (hash_map_add(&target->tasks, tid, index))
			return fail_target_memory(target);
	} else if (target->task_comms[index] == number) {
		return 0;
	}
	target->task_comms[index] = number;
	snprintf(task.comm, sizeof(task.comm), "%s", comm);
	err = task_write(target->task_lines, &task);
	return err ? error_format(&target->error, err, "kernel/tasks: %s", strerror(-err)) : 0;
}

int import_target_fail_symbols(struct import_target *target)
{
	int code, err;

	gzerror(target->symbols, &code);
	err = code == Z_MEM_ERROR ? ENOMEM : EIO;
	return error_format(&target->error, -err, "kernel/symbols: %s", strerror(err));
}

int import_target_add_symbol(struct import_target *target, uint64_t address, const char *name,
			     const char *module)
{
	target->has_symbols = true;
	if (gzprintf(target->symbols, "%016" PRIx64 " t %s%s%s%s\n", address, name,
		     module ? " [" : "", module ? module : "", module ? "]" : "") <= 0)
		return import_target_fail_symbols(target);
	return 0;
}
