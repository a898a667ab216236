// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Makes captures from readable text: parses the lines, and makes the events. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/record_kinds.h"
#include "tests/unit/fixture.h"
#include "tests/unit/making.h"

int making_number(struct making *making, const char *text, uint64_t *value)
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
	return making_fail(making, -EINVAL, "%s is not a number", text);
}

int making_address(struct making *making, const char *text, const struct making_name *names,
		   size_t count, uint64_t *value)
{
	size_t length = strcspn(text, "+");
	uint64_t offset = 0;
	int err;

	for (size_t i = 0; i < count; i++) {
		if (strlen(names[i].text) != length || strncmp(names[i].text, text, length))
			continue;
		err = text[length] ? making_number(making, text + length + 1, &offset) : 0;
		*value = names[i].address + offset;
		return err;
	}
	return making_number(making, text, value);
}

int making_option(struct making *making, const char *key, uint64_t *value)
{
	size_t length = strlen(key);

	for (size_t i = 1; i < making->words; i++)
		if (!strncmp(making->word[i], key, length) && making->word[i][length] == '=')
			return making_number(making, making->word[i] + length + 1, value);
	return 0;
}

static int put_record(struct making *making, struct kmt_record *record)
{
	uint64_t cpu_number, task = 0, gfp = 0, context = 0, node = (uint64_t)KMT_NODE_ANY;
	struct making_cpu *cpu;
	int err;

	err = making_number(making, making->word[1], &record->time);
	if (!err)
		err = making_number(making, making->word[2], &cpu_number);
	if (!err)
		err = making_option(making, "task", &task);
	if (!err)
		err = making_option(making, "gfp", &gfp);
	if (!err)
		err = making_option(making, "node", &node);
	if (!err)
		err = making_option(making, "context", &context);
	if (err)
		return err;
	cpu = making_cpu(making, cpu_number);
	if (!cpu)
		return -EINVAL;
	record->words = record_kind_is_known(record->id) ? record_kinds[record->id].words
							 : KMT_RECORD_WORDS;
	record->task = (uint32_t)task;
	if (record->id != KMT_STACK)
		record->gfp = (uint32_t)gfp;
	record->node = kmt_node_word((int)(int16_t)node, (unsigned int)context);
	record->sequence = (uint32_t)cpu->sequence++;
	cpu->recorded++;
	cpu->own += status_is_own(&making->status, record->task);
	cpu->from_backup += record->id == KMT_BACKUP_KFREE || record->id == KMT_BACKUP_CACHE_FREE;
	if (record->time > making->now)
		making->now = record->time;
	err = writer_put(&cpu->writer, record);
	return err ? making_fail(making, err, "%s", cpu->writer.errmsg) : 0;
}

/* Parses the words of all events except raw: the pointer, and the call site at the index. */
static int read_object(struct making *making, struct kmt_record *record, size_t site)
{
	int err = making_address(making, making->word[3], making->symbols, making->symbol_count,
				 &record->pointer);

	return err ? err
		   : making_address(making, making->word[site], making->symbols,
				    making->symbol_count, &record->call_site);
}

static int put_sized_record(struct making *making, enum kmt_id id)
{
	struct kmt_record record = { .id = id };
	int err = read_object(making, &record, 5);

	if (sscanf(making->word[4], "%" SCNu32 "/%" SCNu32, &record.requested, &record.allocated) !=
	    2)
		return making_fail(making, -EINVAL, "%s is not REQUESTED/ALLOCATED",
				   making->word[4]);
	return err ? err : put_record(making, &record);
}

static int make_alloc(struct making *making)
{
	return put_sized_record(making, KMT_KMALLOC);
}

static int make_unnamed_alloc(struct making *making)
{
	return put_sized_record(making, KMT_ANONYMOUS_ALLOC);
}

static int make_resize(struct making *making)
{
	struct kmt_record record = { .id = KMT_REALLOC };
	uint64_t requested;
	int err = read_object(making, &record, 5);

	if (!err)
		err = making_number(making, making->word[4], &requested);
	if (err)
		return err;
	record.requested = (uint32_t)requested;
	return put_record(making, &record);
}

static int put_free(struct making *making, enum kmt_id id)
{
	struct kmt_record record = { .id = id };
	int err = read_object(making, &record, 4);

	return err ? err : put_record(making, &record);
}

static int make_free(struct making *making)
{
	return put_free(making, KMT_KFREE);
}

static int make_rescued_free(struct making *making)
{
	return put_free(making, KMT_BACKUP_KFREE);
}

static int put_cache_record(struct making *making, enum kmt_id id)
{
	struct kmt_record record = { .id = id };
	int err = read_object(making, &record, 5);

	if (!err)
		err = making_address(making, making->word[4], making->caches, making->cache_count,
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

static int make_bulk_alloc(struct making *making)
{
	return put_cache_record(making, KMT_BULK_ALLOC);
}

static int make_bulk_free(struct making *making)
{
	return put_cache_record(making, KMT_BULK_FREE);
}

static int make_rescued_cache_free(struct making *making)
{
	return put_cache_record(making, KMT_BACKUP_CACHE_FREE);
}

/* The indexes of the address, the call site and the payload in the line; 0: there is none. */
static int put_process_record(struct making *making, enum kmt_id id, size_t address, size_t site,
			      size_t payload)
{
	struct kmt_record record = { .id = id };
	uint64_t mode = KMT_MODE_USER;
	int err = 0;

	if (address)
		err = making_number(making, making->word[address], &record.pointer);
	if (!err && site)
		err = making_address(making, making->word[site], making->symbols,
				     making->symbol_count, &record.call_site);
	if (!err && payload)
		err = making_number(making, making->word[payload], &record.payload);
	if (!err)
		err = making_option(making, "mode", &mode);
	if (err)
		return err;
	if (site)
		record.payload = KMT_PAYLOAD(record.payload, mode);
	return put_record(making, &record);
}

static int make_page_fault(struct making *making)
{
	return put_process_record(making, KMT_PAGE_FAULT, 3, 4, 5);
}

static int make_page_fault_return(struct making *making)
{
	return put_process_record(making, KMT_PAGE_FAULT_RETURN, 3, 4, 5);
}

static int make_write_shared(struct making *making)
{
	return put_process_record(making, KMT_WRITE_SHARED, 3, 0, 0);
}

static int make_write_shared_copy(struct making *making)
{
	return put_process_record(making, KMT_WRITE_SHARED_COPY, 3, 0, 4);
}

static int make_mmap(struct making *making)
{
	return put_process_record(making, KMT_MMAP, 3, 0, 4);
}

static int make_munmap(struct making *making)
{
	return put_process_record(making, KMT_MUNMAP, 3, 0, 4);
}

static int make_brk(struct making *making)
{
	static char unknown[] = "0x8000000000000000";

	if (!strcmp(making->word[4], "unknown"))
		making->word[4] = unknown;
	return put_process_record(making, KMT_BRK, 3, 0, 4);
}

static int make_oom_kill(struct making *making)
{
	return put_process_record(making, KMT_OOM_KILL, 0, 0, 3);
}

/* The next record of the CPU is the allocation. */
static int make_stack_of(struct making *making)
{
	struct kmt_long_record record = { .head.id = KMT_STACK };
	uint64_t interval = making->status.sampling.interval, cpu_number;
	int err = read_object(making, &record.head, 4);

	if (!err)
		err = making_number(making, making->word[2], &cpu_number);
	if (!err)
		err = making_number(making, making->word[5], &record.head.payload);
	if (!err)
		err = making_option(making, "user", &record.more[0]);
	if (!err)
		err = making_option(making, "interval", &interval);
	if (err || !making_cpu(making, cpu_number))
		return err ? err : -EINVAL;
	record.head.gfp = (uint32_t)interval;
	return put_record(making, &record.head);
}

static int make_raw(struct making *making)
{
	struct kmt_record record = { .pointer = 0x1000 };
	uint64_t id;
	int err = making_number(making, making->word[3], &id);

	record.id = (uint8_t)id;
	return err ? err : put_record(making, &record);
}

static int make_lose(struct making *making)
{
	struct making_cpu *cpu;
	uint64_t cpu_number, count;
	int err = making_number(making, making->word[1], &cpu_number);

	if (!err)
		err = making_number(making, making->word[2], &count);
	if (err)
		return err;
	cpu = making_cpu(making, cpu_number);
	if (!cpu)
		return -EINVAL;
	cpu->sequence += count;
	cpu->lost += count;
	return 0;
}

static int make_flush(struct making *making)
{
	return making_flush(making, 0, false);
}

static const struct making_keyword event_keywords[] = {
	{ "alloc", 6, make_alloc },
	{ "ualloc", 6, make_unnamed_alloc },
	{ "free", 5, make_free },
	{ "calloc", 6, make_calloc },
	{ "cfree", 6, make_cfree },
	{ "balloc", 6, make_bulk_alloc },
	{ "bfree", 6, make_bulk_free },
	{ "resize", 6, make_resize },
	{ "rfree", 5, make_rescued_free },
	{ "rcfree", 6, make_rescued_cache_free },
	{ "pagefault", 6, make_page_fault },
	{ "pagefault.return", 6, make_page_fault_return },
	{ "write_shared", 4, make_write_shared },
	{ "write_shared_copy", 5, make_write_shared_copy },
	{ "mmap", 5, make_mmap },
	{ "munmap", 5, make_munmap },
	{ "brk", 5, make_brk },
	{ "oom_kill", 4, make_oom_kill },
	{ "stack_of", 6, make_stack_of },
	{ "raw", 4, make_raw },
	{ "lose", 3, make_lose },
	{ "flush", 1, make_flush },
	{ 0 },
};

static const struct making_keyword *find_keyword(const struct making_keyword *keywords,
						 const char *word)
{
	for (; keywords->word; keywords++)
		if (!strcmp(keywords->word, word))
			return keywords;
	return NULL;
}

static int make_line(struct making *making, char *line)
{
	const struct making_keyword *keyword;
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
	keyword = find_keyword(event_keywords, making->word[0]);
	if (!keyword)
		keyword = find_keyword(making_context_keywords, making->word[0]);
	if (!keyword)
		return making_fail(making, -EINVAL, "%s is not a keyword", making->word[0]);
	if (making->words < keyword->words)
		return making_fail(making, -EINVAL, "%s needs %zu words behind it", keyword->word,
				   keyword->words - 1);
	return keyword->make(making);
}

int fixture_make(FILE *text, const char *directory, char *errmsg, size_t errmsg_size)
{
	struct making making;
	char message[256], *line = NULL;
	size_t space = 0;
	int lines = 0, err;

	err = making_open(&making, directory, errmsg, errmsg_size);
	if (err)
		return err;
	while (!err && getline(&line, &space, text) >= 0) {
		lines++;
		err = make_line(&making, line);
		if (err) {
			snprintf(message, sizeof(message), "%s", making.errmsg);
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
