// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Makes the status and the tables of a capture from text: one function for each keyword. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/caches.h"
#include "kernel/slabinfo.h"
#include "kernel/stacks.h"
#include "kernel/tasks.h"
#include "tests/unit/making.h"

static int text_value(const char *word, char *text, size_t size)
{
	snprintf(text, size, "%s", word);
	return 0;
}

static int make_host(struct making *making)
{
	return text_value(making->word[1], making->metadata.hostname,
			  sizeof(making->metadata.hostname));
}

static int make_kernel(struct making *making)
{
	return text_value(making->word[1], making->metadata.release,
			  sizeof(making->metadata.release));
}

static int make_machine(struct making *making)
{
	return text_value(making->word[1], making->metadata.machine,
			  sizeof(making->metadata.machine));
}

static int make_endian(struct making *making)
{
	making->metadata.big_endian = !strcmp(making->word[1], "big");
	return 0;
}

static int make_word(struct making *making)
{
	making->metadata.word_bits = (unsigned int)strtoul(making->word[1], NULL, 10);
	return 0;
}

static int make_begin(struct making *making)
{
	int err = making_number(making, making->word[1], &making->begin);

	making->now = making->begin;
	return err;
}

static int make_attached(struct making *making)
{
	return making_number(making, making->word[1], &making->status.begin);
}

static int make_end(struct making *making)
{
	return making_number(making, making->word[1], &making->end);
}

static int make_cache(struct making *making)
{
	struct cache cache = { .until = CACHE_FOREVER };
	uint64_t object_size, size;
	int err;

	snprintf(cache.name, sizeof(cache.name), "%s", making->word[1]);
	err = making_number(making, making->word[2], &cache.address);
	if (!err)
		err = making_number(making, making->word[3], &object_size);
	if (!err)
		err = making_number(making, making->word[4], &size);
	if (!err)
		err = making_option(making, "since", &cache.since);
	if (err)
		return err;
	cache.object_size = (uint32_t)object_size;
	cache.size = (uint32_t)size;
	making->caches = making_grow(making->caches, making->cache_count, sizeof(*making->caches));
	making->caches[making->cache_count].address = cache.address;
	memcpy(making->caches[making->cache_count++].text, cache.name, sizeof(cache.name));
	return caches_write_cache(making->cache_lines, &cache);
}

static int make_gone(struct making *making)
{
	uint64_t cache, until;
	int err = making_address(making, making->word[1], making->caches, making->cache_count,
				 &cache);

	if (!err)
		err = making_number(making, making->word[2], &until);
	return err ? err : caches_write_gone(making->cache_lines, cache, until);
}

static int make_kmalloc_cache(struct making *making)
{
	struct kmalloc_name kmalloc = { 0 };

	snprintf(kmalloc.text, sizeof(kmalloc.text), "%s", making->word[1]);
	return caches_write_kmalloc(making->cache_lines, &kmalloc);
}

static int make_debugged_cache(struct making *making)
{
	struct cache_debug debug = { 0 };
	struct kmalloc_name kmalloc = { 0 };
	uint64_t object_size, size, bytes;
	int err = making_number(making, making->word[2], &object_size);

	if (!err)
		err = making_number(making, making->word[3], &size);
	if (!err)
		err = making_number(making, making->word[4], &bytes);
	snprintf(debug.name, sizeof(debug.name), "%s", making->word[1]);
	snprintf(debug.flags, sizeof(debug.flags), "%s", making->word[5]);
	debug.bytes = (uint32_t)bytes;
	snprintf(kmalloc.text, sizeof(kmalloc.text), "%s", making->word[1]);
	kmalloc.object_size = (uint32_t)object_size;
	kmalloc.size = (uint32_t)size;
	if (!err && caches_is_kmalloc(making->word[1]))
		err = caches_write_kmalloc(making->cache_lines, &kmalloc);
	return err ? err : caches_write_debug(making->cache_lines, &debug);
}

static int make_reclaim(struct making *making)
{
	struct cache_reclaim_account account = { .reclaim = CACHE_UNRECLAIMABLE };
	uint64_t value;
	int err = making_number(making, making->word[2], &value);

	if (!err && value)
		account.reclaim = CACHE_RECLAIMABLE;
	snprintf(account.name, sizeof(account.name), "%s", making->word[1]);
	return err ? err : caches_write_reclaim(making->cache_lines, &account);
}

static int make_slab(struct making *making)
{
	struct slabinfo_cache cache = { .held = SLABINFO_UNKNOWN };
	struct slabinfo_snapshot snapshot = { .list = &cache, .count = 1 };
	uint64_t object_size = 0, size = 0;
	int err = making_number(making, making->word[1], &snapshot.time);

	snapshot.until = snapshot.time;
	snprintf(cache.name, sizeof(cache.name), "%s", making->word[2]);
	if (!err)
		err = making_number(making, making->word[3], &cache.active);
	if (!err)
		err = making_number(making, making->word[4], &cache.total);
	if (!err)
		err = making_option(making, "held", &cache.held);
	if (!err)
		err = making_option(making, "until", &snapshot.until);
	if (!err)
		err = making_option(making, "object", &object_size);
	if (!err)
		err = making_option(making, "size", &size);
	if (err)
		return err;
	cache.object_size = (uint32_t)object_size;
	cache.size = (uint32_t)size;
	if (!making->slab_lines)
		making->slab_lines = making_file(making, "kernel/slabinfo");
	if (!making->slab_lines)
		return -errno;
	err = slabinfo_write_sizes(making->slab_lines, &snapshot);
	return err ? err : slabinfo_write(making->slab_lines, &snapshot);
}

static int make_alias(struct making *making)
{
	return caches_write_alias(making->cache_lines, making->word[1], making->word[2]);
}

static int make_task(struct making *making)
{
	struct task task = { 0 };
	uint64_t tid, tgid;
	int err = making_number(making, making->word[1], &tid);

	if (!err)
		err = making_number(making, making->word[2], &tgid);
	if (err)
		return err;
	task.tid = (uint32_t)tid;
	task.tgid = (uint32_t)tgid;
	snprintf(task.comm, sizeof(task.comm), "%s", making->word[3]);
	task.has_uid = making->has_uid;
	task.uid = making->uid;
	return task_write(making->task_lines, &task);
}

/* Of the tasks that follow. */
static int make_user(struct making *making)
{
	uint64_t uid;
	int err = making_number(making, making->word[1], &uid);

	making->has_uid = !err;
	making->uid = err ? 0 : (uint32_t)uid;
	return err;
}

static int make_symbol(struct making *making)
{
	struct making_name *symbol;

	making->symbols =
		making_grow(making->symbols, making->symbol_count, sizeof(*making->symbols));
	symbol = &making->symbols[making->symbol_count++];
	snprintf(symbol->text, sizeof(symbol->text), "%s", making->word[2]);
	fprintf(making->symbol_lines, "%016" PRIx64 " t %s",
		(symbol->address = strtoull(making->word[1], NULL, 0)), symbol->text);
	if (making->words > 3)
		fprintf(making->symbol_lines, "\t[%s]", making->word[3]);
	fputc('\n', making->symbol_lines);
	return 0;
}

static int make_memory(struct making *making)
{
	struct memory_nodes *nodes = &making->topology.memory;
	uint64_t numbers[3];
	int err = 0;

	for (size_t i = 0; i < 3 && !err; i++)
		err = making_number(making, making->word[i + 1], &numbers[i]);
	if (err)
		return err;
	nodes->list = making_grow(nodes->list, nodes->count, sizeof(*nodes->list));
	nodes->list[nodes->count++] =
		(struct memory_range){ numbers[1], numbers[2], (int)numbers[0] };
	return 0;
}

static int make_cpu(struct making *making)
{
	struct topology *topology = &making->topology;
	uint64_t cpu, node;
	int err = making_number(making, making->word[1], &cpu);

	if (!err)
		err = making_number(making, making->word[3], &node);
	if (err)
		return err;
	topology->list = making_grow(topology->list, topology->count, sizeof(*topology->list));
	topology->list[topology->count++] = (struct topology_cpu){
		.cpu = (unsigned int)cpu,
		.node = (int)node,
		.online = true,
	};
	return 0;
}

static int make_gfp(struct making *making)
{
	struct gfp_table *gfp = &making->gfp;
	uint64_t bits;
	int err = making_number(making, making->word[1], &bits);

	if (err)
		return err;
	gfp->list = making_grow(gfp->list, gfp->count, sizeof(*gfp->list));
	gfp->list[gfp->count].bits = bits;
	return text_value(making->word[2], gfp->list[gfp->count++].name, sizeof(gfp->list->name));
}

static int make_skip(struct making *making)
{
	return making_number(making, making->word[1], &making->status.skipped);
}

static int make_skips(struct making *making)
{
	uint64_t after, before, count;
	int err = making_number(making, making->word[1], &after);

	if (!err)
		err = making_number(making, making->word[2], &before);
	if (!err)
		err = making_number(making, making->word[3], &count);
	if (err)
		return err;
	making->status.skipped += count;
	return status_add_skip_span(&making->status, after, before, count);
}

static void join_words(const struct making *making, size_t first, char *text, size_t size)
{
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = first; i < making->words && length < size; i++)
		length += (size_t)snprintf(text + length, size - length, "%s%s",
					   i > first ? " " : "", making->word[i]);
}

static int make_path(struct making *making)
{
	bool observed = !strcmp(making->word[2], "observed");
	char reason[160];

	if (!observed && strcmp(making->word[2], "unobserved"))
		return making_fail(making, -EINVAL, "%s is neither observed nor unobserved",
				   making->word[2]);
	join_words(making, 3, reason, sizeof(reason));
	return status_add_path(&making->status, making->word[1], observed, reason);
}

static int make_sampling(struct making *making)
{
	uint64_t profile = 0;
	int err = making_number(making, making->word[1], &making->status.sampling.interval);

	if (!err)
		err = making_option(making, "profile", &profile);
	making->status.sampling.is_profile = profile;
	return err;
}

static int make_stack(struct making *making)
{
	uint64_t frames[MAKING_WORDS_MAX], tgid;
	struct stack stack = { 0 };
	int err = making_number(making, making->word[1], &stack.id);

	if (!err)
		err = making_number(making, making->word[2], &tgid);
	for (size_t i = 3; !err && i < making->words; i++)
		err = making_address(making, making->word[i], making->symbols, making->symbol_count,
				     &frames[stack.frame_count++]);
	if (err)
		return err;
	stack.tgid = (uint32_t)tgid;
	if (!making->stack_lines)
		making->stack_lines = making_file(making, "kernel/stacks");
	if (!making->stack_lines)
		return -errno;
	return stack_write(making->stack_lines, &stack, frames);
}

/* The words behind the keyword are a line of kernel/user_symbols. */
static int make_symbols(struct making *making)
{
	char line[1000];

	if (!making->user_lines)
		making->user_lines = making_file(making, "kernel/user_symbols");
	if (!making->user_lines)
		return -errno;
	join_words(making, 1, line, sizeof(line));
	return fprintf(making->user_lines, "%s\n", line) < 0 ? -EIO : 0;
}

static int make_probe(struct making *making)
{
	struct status_probe probe = { .is_recorded = true };
	char way[160];
	int err = 0;

	probe.counted = probe.skipped = STATUS_UNKNOWN;
	if (strcmp(making->word[2], "unknown"))
		err = making_number(making, making->word[2], &probe.counted);
	if (!err && strcmp(making->word[3], "unknown"))
		err = making_number(making, making->word[3], &probe.skipped);
	join_words(making, 4, way, sizeof(way));
	return err ? err : status_probes_add(&making->status.probes, &probe, making->word[1], way);
}

static int make_no_probe(struct making *making)
{
	char reason[160];

	join_words(making, 2, reason, sizeof(reason));
	return status_probes_add(&making->status.probes, &(struct status_probe){ 0 },
				 making->word[1], reason);
}

static int make_no_slab(struct making *making)
{
	making->status.no_slab = true;
	return 0;
}

static int make_own(struct making *making)
{
	uint64_t task;
	int err = making_number(making, making->word[1], &task);

	return err ? err : status_add_own(&making->status, (uint32_t)task);
}

static int make_wanted(struct making *making)
{
	uint64_t tgid;
	int err = making_number(making, making->word[1], &tgid);

	return err ? err : status_add_traced_pid(&making->status, (uint32_t)tgid);
}

static int make_include_self(struct making *making)
{
	making->status.include_self = true;
	return 0;
}

static int make_contexts(struct making *making)
{
	making->status.context = STATUS_CONTEXT_ALL;
	return 0;
}

static int make_complete(struct making *making)
{
	static const char *const states[] = {
		[STATUS_CUT_OFF] = "no", [STATUS_COMPLETE] = "yes", [STATUS_REPAIRED] = "repaired"
	};

	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
		if (strcmp(making->word[1], states[i]))
			continue;
		making->status.complete = (enum status_complete)i;
		return 0;
	}
	return making_fail(making, -EINVAL, "%s is not yes, no or repaired", making->word[1]);
}

const struct making_keyword making_context_keywords[] = {
	{ "host", 2, make_host },
	{ "kernel", 2, make_kernel },
	{ "machine", 2, make_machine },
	{ "endian", 2, make_endian },
	{ "word", 2, make_word },
	{ "begin", 2, make_begin },
	{ "attached", 2, make_attached },
	{ "end", 2, make_end },
	{ "cache", 5, make_cache },
	{ "gone", 3, make_gone },
	{ "alias", 3, make_alias },
	{ "has", 2, make_kmalloc_cache },
	{ "debugged", 6, make_debugged_cache },
	{ "reclaim", 3, make_reclaim },
	{ "slab", 5, make_slab },
	{ "task", 4, make_task },
	{ "user", 2, make_user },
	{ "symbol", 3, make_symbol },
	{ "cpu", 4, make_cpu },
	{ "gfp", 3, make_gfp },
	{ "sampling", 2, make_sampling },
	{ "stack", 4, make_stack },
	{ "symbols", 3, make_symbols },
	{ "memory", 4, make_memory },
	{ "skip", 2, make_skip },
	{ "skips", 4, make_skips },
	{ "path", 3, make_path },
	{ "own", 2, make_own },
	{ "probe", 5, make_probe },
	{ "no_probe", 3, make_no_probe },
	{ "no_slab", 1, make_no_slab },
	{ "wanted", 2, make_wanted },
	{ "include_self", 1, make_include_self },
	{ "contexts", 1, make_contexts },
	{ "complete", 2, make_complete },
	{ 0 },
};
