// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Captures made from readable text: one function a keyword, in a table. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/caches.h"
#include "kernel/tasks.h"
#include "tests/unit/fixture.h"
#include "tests/unit/making.h"

static int number(struct making *making, const char *text, uint64_t *value)
{
	static const struct {
		const char *suffix;
		uint64_t factor;
	} units[] = {
		{ "", 1 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	};
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	for (size_t i = 0; end != text && !errno && i < sizeof(units) / sizeof(*units); i++) {
		if (!strcmp(end, units[i].suffix)) {
			*value *= units[i].factor;
			return 0;
		}
	}
	return making_fail(making, -EINVAL, "%s is no number", text);
}

static int address(struct making *making, const char *text, const struct making_name *names,
		   size_t count, uint64_t *value)
{
	size_t length = strcspn(text, "+");
	uint64_t offset = 0;
	int err;

	for (size_t i = 0; i < count; i++) {
		if (strlen(names[i].text) != length || strncmp(names[i].text, text, length))
			continue;
		err = text[length] ? number(making, text + length + 1, &offset) : 0;
		*value = names[i].address + offset;
		return err;
	}
	return number(making, text, value);
}

/* The number behind KEY= among the words of the line, or the value that is there. */
static int option(struct making *making, const char *key, uint64_t *value)
{
	size_t length = strlen(key);

	for (size_t i = 1; i < making->words; i++)
		if (!strncmp(making->word[i], key, length) && making->word[i][length] == '=')
			return number(making, making->word[i] + length + 1, value);
	return 0;
}

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
	int err = number(making, making->word[1], &making->begin);

	making->now = making->begin;
	return err;
}

static int make_end(struct making *making)
{
	return number(making, making->word[1], &making->end);
}

static int make_cache(struct making *making)
{
	struct cache cache = { .until = CACHE_FOREVER };
	uint64_t object_size, size;
	int err;

	snprintf(cache.name, sizeof(cache.name), "%s", making->word[1]);
	err = number(making, making->word[2], &cache.address);
	if (!err)
		err = number(making, making->word[3], &object_size);
	if (!err)
		err = number(making, making->word[4], &size);
	if (!err)
		err = option(making, "since", &cache.since);
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
	int err = address(making, making->word[1], making->caches, making->cache_count, &cache);

	if (!err)
		err = number(making, making->word[2], &until);
	return err ? err : caches_write_gone(making->cache_lines, cache, until);
}

static int make_alias(struct making *making)
{
	return caches_write_alias(making->cache_lines, making->word[1], making->word[2]);
}

static int make_task(struct making *making)
{
	struct task task = { 0 };
	uint64_t tid, tgid;
	int err = number(making, making->word[1], &tid);

	if (!err)
		err = number(making, making->word[2], &tgid);
	if (err)
		return err;
	task.tid = (uint32_t)tid;
	task.tgid = (uint32_t)tgid;
	snprintf(task.comm, sizeof(task.comm), "%s", making->word[3]);
	return tasks_write(making->task_lines, &task);
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

static int make_cpu(struct making *making)
{
	struct topology *topology = &making->topology;
	uint64_t cpu, node;
	int err = number(making, making->word[1], &cpu);

	if (!err)
		err = number(making, making->word[3], &node);
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
	int err = number(making, making->word[1], &bits);

	if (err)
		return err;
	gfp->list = making_grow(gfp->list, gfp->count, sizeof(*gfp->list));
	gfp->list[gfp->count].bits = bits;
	return text_value(making->word[2], gfp->list[gfp->count++].name, sizeof(gfp->list->name));
}

static int put_record(struct making *making, struct kmt_record *record)
{
	uint64_t cpu_number, task = 0, gfp = 0, node = (uint64_t)KMT_NODE_ANY;
	struct making_cpu *cpu;
	int err;

	err = number(making, making->word[1], &record->time);
	if (!err)
		err = number(making, making->word[2], &cpu_number);
	if (!err)
		err = option(making, "task", &task);
	if (!err)
		err = option(making, "gfp", &gfp);
	if (!err)
		err = option(making, "node", &node);
	if (err)
		return err;
	cpu = making_cpu(making, cpu_number);
	if (!cpu)
		return -EINVAL;
	record->words = KMT_RECORD_WORDS;
	record->task = (uint32_t)task;
	record->gfp = (uint32_t)gfp;
	record->node = (int16_t)node;
	record->sequence = (uint32_t)cpu->sequence++;
	cpu->recorded++;
	cpu->own += status_is_own(&making->status, record->task);
	if (record->time > making->now)
		making->now = record->time;
	err = writer_put(&cpu->writer, record);
	return err ? making_fail(making, err, "%s", cpu->writer.why) : 0;
}

/* The words that all events have but raw: pointer and call site, this one at the index. */
static int read_object(struct making *making, struct kmt_record *record, size_t site)
{
	int err = address(making, making->word[3], making->symbols, making->symbol_count,
			  &record->pointer);

	return err ? err
		   : address(making, making->word[site], making->symbols, making->symbol_count,
			     &record->call_site);
}

static int make_alloc(struct making *making)
{
	struct kmt_record record = { .id = KMT_KMALLOC };
	int err = read_object(making, &record, 5);

	if (sscanf(making->word[4], "%" SCNu32 "/%" SCNu32, &record.requested, &record.allocated) !=
	    2)
		return making_fail(making, -EINVAL, "%s is not REQUESTED/ALLOCATED",
				   making->word[4]);
	return err ? err : put_record(making, &record);
}

static int make_free(struct making *making)
{
	struct kmt_record record = { .id = KMT_KFREE };
	int err = read_object(making, &record, 4);

	return err ? err : put_record(making, &record);
}

static int put_cache_record(struct making *making, enum kmt_id id)
{
	struct kmt_record record = { .id = id };
	int err = read_object(making, &record, 5);

	if (!err)
		err = address(making, making->word[4], making->caches, making->cache_count,
			      &record.cache);
	return err ? err : put_record(making, &record);
}

static int make_calloc(struct making *making)
{
	return put_cache_record(making, KMT_CACHE_ALLOC);
}

static int make_cfree(struct making *making)
{
	return put_cache_record(making, KMT_CACHE_FREE);
}

static int make_raw(struct making *making)
{
	struct kmt_record record = { .pointer = 0x1000 };
	uint64_t id;
	int err = number(making, making->word[3], &id);

	record.id = (uint8_t)id;
	return err ? err : put_record(making, &record);
}

static int make_lose(struct making *making)
{
	struct making_cpu *cpu;
	uint64_t cpu_number, count;
	int err = number(making, making->word[1], &cpu_number);

	if (!err)
		err = number(making, making->word[2], &count);
	if (err)
		return err;
	cpu = making_cpu(making, cpu_number);
	if (!cpu)
		return -EINVAL;
	cpu->sequence += count;
	cpu->lost += count;
	return 0;
}

static int make_skip(struct making *making)
{
	return number(making, making->word[1], &making->status.skipped);
}

static int make_flush(struct making *making)
{
	return making_flush(making, 0, false);
}

static int make_own(struct making *making)
{
	uint64_t task;
	int err = number(making, making->word[1], &task);

	return err ? err : status_add_own(&making->status, (uint32_t)task);
}

static int make_wanted(struct making *making)
{
	uint64_t tgid;
	int err = number(making, making->word[1], &tgid);

	return err ? err : status_add_wanted(&making->status, (uint32_t)tgid);
}

static int make_include_self(struct making *making)
{
	making->status.include_self = true;
	return 0;
}

static int make_complete(struct making *making)
{
	making->status.complete = strcmp(making->word[1], "no") ? STATUS_COMPLETE : STATUS_CUT_OFF;
	return 0;
}

static const struct keyword {
	const char *word;
	size_t words; /* at least, itself counted */
	int (*make)(struct making *making);
} keywords[] = {
	{ "host", 2, make_host },
	{ "kernel", 2, make_kernel },
	{ "machine", 2, make_machine },
	{ "endian", 2, make_endian },
	{ "word", 2, make_word },
	{ "begin", 2, make_begin },
	{ "end", 2, make_end },
	{ "cache", 5, make_cache },
	{ "gone", 3, make_gone },
	{ "alias", 3, make_alias },
	{ "task", 4, make_task },
	{ "symbol", 3, make_symbol },
	{ "cpu", 4, make_cpu },
	{ "gfp", 3, make_gfp },
	{ "alloc", 6, make_alloc },
	{ "free", 5, make_free },
	{ "calloc", 6, make_calloc },
	{ "cfree", 6, make_cfree },
	{ "raw", 4, make_raw },
	{ "lose", 3, make_lose },
	{ "skip", 2, make_skip },
	{ "flush", 1, make_flush },
	{ "own", 2, make_own },
	{ "wanted", 2, make_wanted },
	{ "include_self", 1, make_include_self },
	{ "complete", 2, make_complete },
};

static int make_line(struct making *making, char *line)
{
	char *rest = NULL;

	making->words = 0;
	for (char *word = strtok_r(line, " \t\n", &rest); word && *word != '#';
	     word = strtok_r(NULL, " \t\n", &rest)) {
		if (making->words == MAKING_WORDS_MAX)
			return making_fail(making, -EINVAL, "too many words");
		making->word[making->words++] = word;
	}
	if (!making->words)
		return 0;
	for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++) {
		if (strcmp(making->word[0], keywords[i].word))
			continue;
		if (making->words < keywords[i].words)
			return making_fail(making, -EINVAL, "%s needs %zu words behind it",
					   keywords[i].word, keywords[i].words - 1);
		return keywords[i].make(making);
	}
	return making_fail(making, -EINVAL, "%s is no keyword", making->word[0]);
}

int fixture_make(FILE *text, const char *directory, char *why, size_t why_size)
{
	struct making making;
	char message[256], *line = NULL;
	size_t space = 0;
	int lines = 0, err;

	err = making_open(&making, directory, why, why_size);
	if (err)
		return err;
	while (!err && getline(&line, &space, text) >= 0) {
		lines++;
		err = make_line(&making, line);
		if (err) {
			snprintf(message, sizeof(message), "%s", making.why);
			making_fail(&making, err, "line %d: %s", lines,
				    *message ? message : strerror(-err));
		}
	}
	free(line);
	if (!err)
		err = making_finish(&making);
	making_close(&making);
	return err;
}
