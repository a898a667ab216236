// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The side tables of a capture as texts: what a table is written as is read as the same table. The
 * first byte chooses the table; gfp, topology and symbols have targets of their own.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/metadata.h"
#include "capture/status.h"
#include "kernel/allocinfo.h"
#include "kernel/caches.h"
#include "kernel/cgroups.h"
#include "kernel/container.h"
#include "kernel/census.h"
#include "kernel/process_memory.h"
#include "kernel/slabinfo.h"
#include "kernel/stacks.h"
#include "kernel/user_symbols.h"
#include "kernel/tasks.h"
#include "kernel/tracks.h"
#include "kernel/where.h"
#include "tests/fuzz/fuzz.h"

/* A text that is being written. */
struct written {
	FILE *file;
	char *text;
	size_t size;
};

static void begin_text(struct written *written)
{
	written->file = open_memstream(&written->text, &written->size);
	FUZZ_EXPECT(written->file);
}

static char *end_text(struct written *written)
{
	FUZZ_EXPECT(!fclose(written->file));
	return written->text;
}

static char *parse_caches(const char *text)
{
	struct written written;
	struct caches caches;
	int err;

	begin_text(&written);
	err = caches_parse(&caches, text);
	FUZZ_EXPECT(!err || err == -EFBIG);
	for (size_t i = 0; i < caches.count; i++) {
		const struct cache *cache = &caches.list[i], *found;

		FUZZ_EXPECT(!caches_write_cache(written.file, cache));
		if (cache->until != CACHE_FOREVER)
			caches_write_gone(written.file, cache->address, cache->until);
		if (i > 100)
			continue;
		found = caches_find(&caches, cache->address, cache->since);
		FUZZ_EXPECT(!found || found->address == cache->address);
		caches_is_alone(&caches, cache);
		caches_has_kmalloc(&caches, cache->name);
		caches_find_aliases(&caches, cache->name);
	}
	for (size_t i = 0; i < caches.alias_count; i++)
		caches_write_alias(written.file, caches.aliases[i].name, caches.aliases[i].others);
	for (size_t i = 0; i < caches.kmalloc_count; i++) {
		FUZZ_EXPECT(i > 100 || caches_has_kmalloc(&caches, caches.kmalloc[i].text));
		caches_write_kmalloc(written.file, &caches.kmalloc[i]);
	}
	for (size_t i = 0; i < caches.debugged_count; i++) {
		FUZZ_EXPECT(i > 100 || caches_find_debug(&caches, caches.debugged[i].name));
		caches_write_debug(written.file, &caches.debugged[i]);
	}
	for (size_t i = 0; i < caches.reclaim_count; i++) {
		FUZZ_EXPECT(i > 100 || caches_find_reclaim(&caches, caches.reclaims[i].name) ==
					       caches.reclaims[i].reclaim);
		caches_write_reclaim(written.file, &caches.reclaims[i]);
	}
	caches_deinit(&caches);
	return end_text(&written);
}

static char *parse_tasks(const char *text)
{
	struct written written;
	struct tasks tasks;

	begin_text(&written);
	FUZZ_EXPECT(!tasks_parse(&tasks, text));
	for (size_t i = 0; i < tasks.count; i++) {
		const struct task *task = &tasks.list[i];

		FUZZ_EXPECT(!task_write(written.file, task));
		FUZZ_EXPECT(i > 100 ||
			    tasks_find(&tasks, task->tid, task->since)->tid == task->tid);
	}
	for (size_t i = 0; i < tasks.users.count; i++) {
		const struct user_name *user = &tasks.users.list[i];

		FUZZ_EXPECT(!user_write(written.file, user));
		FUZZ_EXPECT(i > 100 || users_find(&tasks.users, user->uid)->uid == user->uid);
	}
	FUZZ_EXPECT(tasks.count || !tasks_find(&tasks, 1, 1));
	tasks_deinit(&tasks);
	return end_text(&written);
}

static char *parse_status(const char *text)
{
	struct written written;
	struct status status;
	struct error error = { 0 };
	int err;

	memset(&status, 0, sizeof(status));
	err = status_parse(&status, text, &error);
	FUZZ_EXPECT(!err || err == -EPROTONOSUPPORT);
	if (err)
		FUZZ_EXPECT(*error.text);
	begin_text(&written);
	if (!err)
		FUZZ_EXPECT(!status_write(&status, written.file));
	for (size_t i = 0; !err && i < status.cpu_count && i < 100; i++)
		FUZZ_EXPECT(status_find_cpu(&status, status.cpus[i].cpu) == &status.cpus[i]);
	for (size_t i = 0; !err && i < status.own_count && i < 100; i++)
		FUZZ_EXPECT(status_is_own(&status, status.own_tasks[i]));
	status_deinit(&status);
	return end_text(&written);
}

static char *parse_slabinfo(const char *text)
{
	struct slabinfo slabinfo;
	struct written written;

	begin_text(&written);
	FUZZ_EXPECT(!slabinfo_parse(&slabinfo, text));
	for (size_t i = 0; i < slabinfo.count; i++) {
		const struct slabinfo_snapshot *snapshot = &slabinfo.snapshots[i];

		FUZZ_EXPECT(!slabinfo_write(written.file, snapshot));
		if (!i)
			FUZZ_EXPECT(!slabinfo_write_sizes(written.file, snapshot));
		FUZZ_EXPECT(slabinfo_at(&slabinfo, snapshot->time)->time == snapshot->time);
		for (size_t j = 0; j < snapshot->count && j < 100; j++)
			FUZZ_EXPECT(slabinfo_find(snapshot, snapshot->list[j].name));
	}
	slabinfo_deinit(&slabinfo);
	return end_text(&written);
}

static char *parse_heap(const char *text)
{
	struct heap_readings readings;
	struct written written;
	int err = heap_readings_parse(&readings, text);

	FUZZ_EXPECT(!err || err == -EINVAL || err == -ENOMEM);
	FUZZ_EXPECT(!err || !readings.count);
	begin_text(&written);
	for (size_t i = 0; i < readings.count; i++) {
		const struct heap_reading *reading = &readings.list[i];
		struct census census;

		FUZZ_EXPECT(!heap_reading_write(written.file, reading));
		FUZZ_EXPECT(!census_init(&census, reading));
		FUZZ_EXPECT(census.all.slabs == reading->slab_count);
		FUZZ_EXPECT(census.all.given <= census.all.room);
		FUZZ_EXPECT(census.all.spare_bytes <= census.all.slab_bytes);
		census_deinit(&census);
		for (size_t k = 0; k < reading->slab_count && k < 100; k++) {
			const struct heap_slab *slab = &reading->slabs[k];

			FUZZ_EXPECT(!slab->bytes ||
				    heap_reading_slab(reading, slab->address) == slab);
			for (uint32_t n = 0; n < slab->objects && n < 100; n++)
				heap_reading_state(reading, heap_slab_object(reading, slab, n));
		}
	}
	heap_readings_deinit(&readings);
	return end_text(&written);
}

static char *parse_tracks(const char *text)
{
	struct tracks tracks;
	struct written written;
	int err = tracks_parse(&tracks, text);

	FUZZ_EXPECT(!err || err == -EINVAL || err == -ENOMEM);
	begin_text(&written);
	if (!err)
		FUZZ_EXPECT(!tracks_write(written.file, &tracks));
	tracks_deinit(&tracks);
	/* the kernel's own forms */
	FUZZ_EXPECT(!tracks_parse_kfence(&tracks, text, UINT64_MAX));
	FUZZ_EXPECT(!tracks_parse_slub(&tracks, text, "cache", 64, 4000000));
	tracks_merge(&tracks);
	tracks_deinit(&tracks);
	return end_text(&written);
}

static char *parse_allocinfo(const char *text)
{
	struct allocinfo allocinfo;
	struct allocinfo_reading reading;
	struct written written;
	int err = allocinfo_parse(&allocinfo, text);

	FUZZ_EXPECT(!err || err == -EINVAL || err == -ENOMEM);
	begin_text(&written);
	for (size_t i = 0; i < allocinfo.count; i++)
		FUZZ_EXPECT(!allocinfo_write(written.file, &allocinfo.list[i]));
	allocinfo_deinit(&allocinfo);
	err = allocinfo_parse_proc(&reading, text, 1);
	FUZZ_EXPECT(!err || err == -EINVAL || err == -ENOMEM);
	for (size_t i = 0; !err && i < reading.count && i < 100; i++)
		FUZZ_EXPECT(allocinfo_find(&reading, &reading.list[i]) == &reading.list[i]);
	allocinfo_reading_deinit(&reading);
	return end_text(&written);
}

static char *parse_where(const char *text)
{
	const struct where_texts texts = { text, text, text, text, text, text, text, text, 4096 };
	struct where_reading reading;
	struct where where;
	struct written written;
	uint64_t error;
	int err = where_parse(&where, text);

	FUZZ_EXPECT(!err || err == -EINVAL || err == -ENOMEM);
	begin_text(&written);
	for (size_t i = 0; i < where.count; i++) {
		FUZZ_EXPECT(!where_write(written.file, &where.list[i]));
		where_unexplained(&where.list[i], &error);
	}
	where_deinit(&where);
	err = where_parse_proc(&reading, &texts, 1);
	FUZZ_EXPECT(!err || err == -EINVAL || err == -ENOMEM);
	where_reading_deinit(&reading);
	return end_text(&written);
}

static char *parse_proc_slabinfo(const char *text)
{
	struct slabinfo_snapshot snapshot;
	struct written written;
	int err = slabinfo_parse_proc(&snapshot, text, 1);

	FUZZ_EXPECT(!err || err == -EINVAL);
	begin_text(&written);
	if (!err) {
		FUZZ_EXPECT(!slabinfo_write(written.file, &snapshot));
		slabinfo_snapshot_deinit(&snapshot);
	}
	return end_text(&written);
}

static char *parse_metadata(const char *text)
{
	struct metadata metadata;
	struct written written;
	struct error error = { 0 };
	char newer[METADATA_TEXT];
	int err = metadata_parse(&metadata, text, &error);

	FUZZ_EXPECT(!err == !*error.text);
	begin_text(&written);
	if (!err) {
		FUZZ_EXPECT(!metadata_write(&metadata, written.file));
		metadata_order(&metadata);
		metadata_newer_text(metadata.tracer_version, newer, sizeof(newer));
	}
	return end_text(&written);
}

static char *parse_process_memory(const char *text)
{
	struct process_memories memories;
	struct written written;

	begin_text(&written);
	FUZZ_EXPECT(!process_memories_parse(&memories, text));
	for (size_t i = 0; i < memories.count; i++) {
		const struct process_memory *memory = &memories.list[i], *found;

		FUZZ_EXPECT(!process_memory_write(written.file, memory));
		found = process_memories_find(&memories, memory->pid, memory->time);
		FUZZ_EXPECT(!found || (found->pid == memory->pid && found->time == memory->time));
		FUZZ_EXPECT(found || memory->is_gone);
		if (found)
			FUZZ_EXPECT(process_memories_read_since(&memories, found, UINT64_MAX) >=
				    found->time);
	}
	for (size_t i = 0; i < memories.reading_count; i++)
		FUZZ_EXPECT(!process_reading_write(written.file, &memories.readings[i]));
	process_memories_deinit(&memories);
	return end_text(&written);
}

static char *parse_stacks(const char *text)
{
	struct stacks stacks;
	struct written written;

	begin_text(&written);
	FUZZ_EXPECT(!stacks_parse(&stacks, text));
	for (size_t i = 0; i < stacks.count; i++) {
		const struct stack *stack = &stacks.list[i];

		FUZZ_EXPECT(stacks_find(&stacks, stack->id) == stack);
		FUZZ_EXPECT(!stack_write(written.file, stack, stacks_frames(&stacks, stack)));
	}
	stacks_deinit(&stacks);
	return end_text(&written);
}

/* The first function of a table with the name of an offset: file 0 has no functions. */
static bool label_is(const struct user_symbols *symbols, uint32_t file, uint64_t offset,
		     const char *name)
{
	const struct user_frame frame = { file, offset };
	char *label = user_symbols_label(symbols, &frame);
	bool equal = label && !strcmp(label, name);

	free(label);
	return equal || !file;
}

static char *parse_user_symbols(const char *text)
{
	struct user_symbols symbols;
	struct written written;

	begin_text(&written);
	FUZZ_EXPECT(!user_symbols_parse(&symbols, text));
	FUZZ_EXPECT(!user_symbols_write(written.file, &symbols));
	for (size_t i = 0; i < symbols.function_count; i++) {
		const struct user_function *function = &symbols.functions[i];

		FUZZ_EXPECT(label_is(&symbols, function->file, function->begin,
				     texts_get(&symbols.strings, function->name)));
	}
	for (size_t i = 0; i < symbols.stack_count; i++)
		FUZZ_EXPECT(user_symbols_find(&symbols, symbols.stacks[i].id) ==
			    &symbols.stacks[i]);
	user_symbols_deinit(&symbols);
	return end_text(&written);
}

static char *parse_cgroups(const char *text)
{
	struct cgroups cgroups;
	struct cgroup_span span;
	struct written written;

	begin_text(&written);
	FUZZ_EXPECT(!cgroups_parse(&cgroups, text));
	for (size_t i = 0; i < cgroups.count; i++) {
		const struct cgroup *cgroup = &cgroups.list[i];
		char name[CONTAINER_TEXT];

		FUZZ_EXPECT(!cgroups_write_cgroup(written.file, cgroup->id, cgroup->since,
						  cgroup->path));
		FUZZ_EXPECT(!container_name(cgroup->path, name) || strlen(name) < sizeof(name));
	}
	for (size_t i = 0; i < cgroups.member_count; i++) {
		const struct cgroup_member *member = &cgroups.members[i];

		FUZZ_EXPECT(!cgroups_write_member(written.file, member));
		if (i > 100)
			continue;
		cgroups_find(&cgroups, member->number, member->is_process, member->number,
			     member->since, &span);
		FUZZ_EXPECT(span.since <= member->since);
		FUZZ_EXPECT(span.until > member->since || span.until == UINT64_MAX);
	}
	cgroups_deinit(&cgroups);
	return end_text(&written);
}

/* Each reads a text and returns what is written of the table. */
static char *(*const parsers[])(const char *text) = {
	parse_caches,	parse_tasks,	      parse_status,    parse_slabinfo, parse_proc_slabinfo,
	parse_metadata, parse_process_memory, parse_stacks,    parse_cgroups,  parse_user_symbols,
	parse_heap,	parse_tracks,	      parse_allocinfo, parse_where,
};

#define PROC 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	size_t which = fuzz_byte(&input) % (sizeof(parsers) / sizeof(*parsers));
	char *text = fuzz_text(&input), *once, *twice;

	once = parsers[which](text);
	if (*once) {
		twice = parsers[which == PROC ? PROC - 1 : which](once);
		if (strcmp(once, twice))
			fuzz_fail(__FILE__, __LINE__, "the same table again", once);
		free(twice);
	}
	free(once);
	free(text);
	return 0;
}
