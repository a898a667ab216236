// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes the last packets, the tables, the status and the metadata of an import. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/import/import_finish.h"
#include "kernel/topology.h"

/* Address of the only symbol if none is known: readers refuse a file without symbols. */
#define UNKNOWN_ADDRESS ((uint64_t)2 << 56)

static const struct {
	const char *name;
	uint8_t id;
} tracepoints[] = {
	{ "kmalloc", KMT_KMALLOC },
	{ "kfree", KMT_KFREE },
	{ "kmem_cache_alloc", KMT_CACHE_ALLOC },
	{ "kmem_cache_free", KMT_CACHE_FREE },
};

static int add_paths(struct import_target *target)
{
	/*
	 * Linux 2.6.31, whose relay files have no times, has the first of these paths only. Later
	 * kernels may have all.
	 */
	static const char *const untraced[] = { "krealloc-in-place",	"kmem_cache_alloc_bulk",
						"kmem_cache_free_bulk", "kfree_rcu-batched",
						"sheaf-prefill",	"sheaf-return" };
	size_t count = target->metadata.clock == METADATA_CLOCK_EVENTS
			       ? 1
			       : sizeof(untraced) / sizeof(*untraced);
	struct status *status = &target->status;
	int err = 0;

	for (size_t i = 0; i < sizeof(tracepoints) / sizeof(*tracepoints) && !err; i++)
		err = status_add_path(status, tracepoints[i].name,
				      target->seen[tracepoints[i].id] != 0,
				      "the recording has no such event");
	for (size_t i = 0; i < count && !err; i++)
		err = status_add_path(status, untraced[i], false,
				      "has no tracepoint, if the kernel has it");
	return err;
}

static int finish_cpu(struct import_target *target, struct import_cpu *cpu)
{
	struct status *status = &target->status;
	struct writer *writer = &cpu->writer;
	struct status_cpu *counters;
	int err;

	err = writer_release(writer);
	if (!err)
		err = writer_confirm_losses(writer, cpu->sequence, target->end);
	if (!err)
		err = writer_flush(writer, target->end, 0, true);
	if (err)
		return error_set(&target->error, err, writer->errmsg);
	counters = status_add_cpu(status, cpu->cpu);
	if (!counters)
		return error_set(&target->error, -ENOMEM, strerror(ENOMEM));
	counters->recorded = cpu->recorded;
	counters->lost = cpu->lost;
	counters->seen = cpu->recorded + cpu->lost;
	counters->skipped = STATUS_UNKNOWN;
	status->lost_unattributed += cpu->lost;
	status->clamped += writer->clamped;
	if (writer->clamped_max > status->clamped_max)
		status->clamped_max = writer->clamped_max;
	err = status_add_spans(status, cpu->cpu, &writer->loss);
	return err ? error_set(&target->error, err, strerror(-err)) : 0;
}

static int write_topology(const struct import_target *target, FILE *file)
{
	struct topology topology = { .count = target->cpu_count };
	int err;

	topology.list = calloc(topology.count + 1, sizeof(*topology.list));
	if (!topology.list)
		return -ENOMEM;
	for (size_t i = 0; i < topology.count; i++)
		topology.list[i] = (struct topology_cpu){ target->cpus[i]->cpu, -1, true };
	err = topology_write(&topology, file);
	topology_deinit(&topology);
	return err;
}

static int write_caches(const struct import_target *target, FILE *file)
{
	return cache_guesses_write(&target->caches, target->begin, file);
}

static int write_gfp(const struct import_target *target, FILE *file)
{
	return gfp_write(&target->gfp, file);
}

static int write_import_status(const struct import_target *target, FILE *file)
{
	return status_write(&target->status, file);
}

static int write_import_metadata(const struct import_target *target, FILE *file)
{
	return metadata_write(&target->metadata, file);
}

static int write_file(struct import_target *target, const char *name,
		      int (*write)(const struct import_target *target, FILE *file))
{
	FILE *file = directory_open(target->directory, name, false);
	int err = file ? write(target, file) : -EIO;

	if (!file)
		return error_set(&target->error, err, target->directory->errmsg);
	if (err)
		error_format(&target->error, err, "%s/%s: %s", target->directory->path, name,
			     strerror(-err));
	if (directory_close(target->directory, file, name) && !err)
		err = error_set(&target->error, -EIO, target->directory->errmsg);
	return err;
}

static int close_tables(struct import_target *target)
{
	int failed = !target->has_symbols &&
		     import_target_add_symbol(target, UNKNOWN_ADDRESS, "unknown", "unknown");
	FILE *tasks = target->task_lines, *stacks = target->stack_lines;

	failed |= gzclose(target->symbols) != Z_OK;
	target->symbols = NULL;
	target->task_lines = target->stack_lines = NULL;
	if (stacks && directory_close(target->directory, stacks, "kernel/stacks")) {
		fclose(tasks);
		return error_set(&target->error, -EIO, target->directory->errmsg);
	}
	if (directory_close(target->directory, tasks, "kernel/tasks"))
		return error_set(&target->error, -EIO, target->directory->errmsg);
	return failed ? error_format(&target->error, -EIO, "%s/kernel/symbols: cannot be written",
				     target->directory->path)
		      : 0;
}

int import_finish(struct import_target *target)
{
	static const struct {
		const char *name;
		int (*write)(const struct import_target *target, FILE *file);
	} files[] = {
		{ "kernel/topology", write_topology }, { "kernel/caches", write_caches },
		{ "kernel/gfp", write_gfp },	       { "kernel/status", write_import_status },
		{ "metadata", write_import_metadata },
	};
	struct status *status = &target->status;
	int err = 0;

	for (size_t i = 0; i < target->cpu_count && !err; i++)
		err = finish_cpu(target, target->cpus[i]);
	if (!err && add_paths(target))
		err = error_set(&target->error, -ENOMEM, strerror(ENOMEM));
	if (err)
		return err;
	status->complete = STATUS_COMPLETE;
	status->begin = target->begin;
	status->end = target->end;
	status->skipped = STATUS_UNKNOWN;
	snprintf(status->stopped, sizeof(status->stopped), "the recording ended");
	if (target->wide && !target->metadata.word_bits)
		target->metadata.word_bits = 64;
	err = close_tables(target);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files) && !err; i++)
		err = write_file(target, files[i].name, files[i].write);
	return err;
}
