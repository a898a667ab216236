// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Adds summaries to a file of SQLite, and drops old ones. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "fleet/store_sqlite.h"

#define NS_PER_DAY (24 * 3600 * UINT64_C(1000000000))

static const char *const kinds[SUMMARY_KINDS] = {
	[SUMMARY_CODE] = "code",
	[SUMMARY_CGROUP] = "cgroup",
	[SUMMARY_COMM] = "comm",
};

static const struct {
	const char *find, *add;
} list_sql[SQLITE_LISTS] = {
	[SQLITE_RUNS] = { "SELECT id FROM runs WHERE host = ?1 AND boot = ?2 AND run = ?3",
			  "INSERT INTO runs(host, boot, run) VALUES(?1, ?2, ?3)" },
	[SQLITE_MACHINES] = { "SELECT id FROM machines WHERE kernel = ?1 AND arch = ?2 AND role = "
			      "?3 AND cpus = ?4 AND memory = ?5",
			      "INSERT INTO machines(kernel, arch, role, cpus, memory) VALUES(?1, "
			      "?2, ?3, ?4, ?5)" },
	[SQLITE_NAMES] = { "SELECT id FROM names WHERE kind = ?1 AND function = ?2 AND module = ?3 "
			   "AND cache = ?4",
			   "INSERT INTO names(kind, function, module, cache) VALUES(?1, ?2, ?3, "
			   "?4)" },
};

/* A value of a row that has an id: a text, or else a number. */
struct figures_part {
	const char *text;
	uint64_t number;
};

void sqlite_store_forget(struct sqlite_store *sqlite)
{
	for (size_t i = 0; i < SQLITE_LISTS; i++) {
		struct sqlite_ids *list = &sqlite->lists[i];

		texts_deinit(&list->texts);
		free(list->ids);
		list->ids = NULL;
		list->space = 0;
		memset(&list->texts, 0, sizeof(list->texts));
	}
}

static int prepare_statements(struct store *store)
{
	struct sqlite_store *sqlite = store->data;
	int result = SQLITE_OK;

	if (sqlite->is_prepared)
		return 0;
	for (size_t i = 0; i < SQLITE_LISTS && result == SQLITE_OK; i++) {
		struct sqlite_ids *list = &sqlite->lists[i];

		result = sqlite3_prepare_v2(sqlite->database, list_sql[i].find, -1, &list->find,
					    NULL);
		if (result == SQLITE_OK)
			result = sqlite3_prepare_v2(sqlite->database, list_sql[i].add, -1,
						    &list->add, NULL);
	}
	if (result == SQLITE_OK)
		result = sqlite3_prepare_v2(
			sqlite->database,
			"INSERT OR IGNORE INTO stored_intervals(run_id, number, \"begin\", until, "
			"machine_id, slab_reclaimable, slab_unreclaimable, cpu_ns, resident, "
			"recorded, lost, skipped, uncounted, unobserved, sampling, names_lost) "
			"VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, "
			"?16)",
			-1, &sqlite->add_interval, NULL);
	if (result == SQLITE_OK)
		result = sqlite3_prepare_v2(
			sqlite->database,
			"INSERT INTO stored_figures VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, "
			"?10, ?11, ?12, ?13)",
			-1, &sqlite->add_figure, NULL);
	if (result != SQLITE_OK)
		return sqlite_store_fail(store, result);
	sqlite->is_prepared = true;
	return 0;
}

static void bind_parts(sqlite3_stmt *statement, const struct figures_part *parts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (parts[i].text)
			sqlite3_bind_text(statement, (int)i + 1, parts[i].text, -1, SQLITE_STATIC);
		else
			sqlite3_bind_int64(statement, (int)i + 1, (sqlite3_int64)parts[i].number);
	}
}

static int step_statement(struct store *store, sqlite3_stmt *statement)
{
	int result = sqlite3_step(statement);

	sqlite3_reset(statement);
	return result == SQLITE_DONE ? 0 : sqlite_store_fail(store, result);
}

static int find_or_add(struct store *store, struct sqlite_ids *list,
		       const struct figures_part *parts, size_t count, int64_t *id)
{
	struct sqlite_store *sqlite = store->data;
	int result, err;

	bind_parts(list->find, parts, count);
	result = sqlite3_step(list->find);
	if (result == SQLITE_ROW)
		*id = sqlite3_column_int64(list->find, 0);
	sqlite3_reset(list->find);
	if (result == SQLITE_ROW)
		return 0;
	if (result != SQLITE_DONE)
		return sqlite_store_fail(store, result);
	bind_parts(list->add, parts, count);
	err = step_statement(store, list->add);
	*id = sqlite3_last_insert_rowid(sqlite->database);
	return err;
}

/* The values as one text: words, so that different rows have different texts. */
static int join_words(const struct figures_part *parts, size_t count, char **text)
{
	size_t size;
	FILE *file = text_open(text, &size);

	if (!file)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (parts[i].text)
			text_write_word(file, parts[i].text);
		else
			fprintf(file, "%llu", (unsigned long long)parts[i].number);
		putc(' ', file);
	}
	return text_close(file, text);
}

static int get_id(struct store *store, enum sqlite_list which, const struct figures_part *parts,
		  size_t count, int64_t *id)
{
	struct sqlite_store *sqlite = store->data;
	struct sqlite_ids *list = &sqlite->lists[which];
	uint32_t number = 0;
	int64_t *ids;
	char *text;
	int err = 0;

	if (!list->texts.list)
		err = texts_init(&list->texts);
	if (!err && !join_words(parts, count, &text))
		number = texts_take(&list->texts, text);
	ids = number ? array_grow_zeroed(list->ids, &list->space, number + 1, sizeof(*ids)) : NULL;
	if (!ids)
		return store_fail(store, -ENOMEM, "%s", strerror(ENOMEM));
	list->ids = ids;
	if (!ids[number])
		err = find_or_add(store, list, parts, count, &ids[number]);
	*id = ids[number];
	return err;
}

/* 1: it is new. */
static int put_interval(struct store *store, const struct summary *summary, int64_t *id)
{
	const struct summary_source *source = summary->sources;
	const struct summary_host *host = &summary->host;
	const struct missing *missing = &summary->missing;
	const struct figures_part run[] = { { .text = source->host },
					    { .text = source->boot },
					    { .number = source->run } };
	const struct figures_part machine[] = { { .text = host->kernel },
						{ .text = host->arch },
						{ .text = host->role ? host->role : "" },
						{ .number = host->cpus },
						{ .number = host->memory } };
	struct sqlite_store *sqlite = store->data;
	int64_t run_id, machine_id;
	int err = get_id(store, SQLITE_RUNS, run, 3, &run_id);

	if (!err)
		err = get_id(store, SQLITE_MACHINES, machine, 5, &machine_id);
	if (err)
		return err;
	{
		const uint64_t values[] = { (uint64_t)run_id,
					    source->last,
					    summary->begin,
					    summary->end,
					    (uint64_t)machine_id,
					    host->slab_reclaimable,
					    host->slab_unreclaimable,
					    summary->cpu_ns,
					    summary->resident,
					    missing->recorded,
					    missing->lost,
					    missing->skipped,
					    missing->uncounted,
					    missing->unobserved,
					    missing->sampling,
					    missing->names_lost };

		for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
			sqlite3_bind_int64(sqlite->add_interval, (int)i + 1,
					   (sqlite3_int64)values[i]);
	}
	err = step_statement(store, sqlite->add_interval);
	*id = sqlite3_last_insert_rowid(sqlite->database);
	return err ? err : sqlite3_changes(sqlite->database) > 0;
}

static int put_figure(struct store *store, int64_t interval, const struct summary_row *row)
{
	const struct summary_counts *counts = &row->counts;
	const struct figures_part name[] = { { .text = kinds[row->kind] },
					     { .text = row->names[0] ? row->names[0] : "" },
					     { .text = row->names[1] ? row->names[1] : "" },
					     { .text = row->names[2] ? row->names[2] : "" } };
	const uint64_t values[] = { counts->allocations, counts->frees,	       counts->allocated,
				    counts->freed,	 counts->failed,       counts->cross_cpu,
				    counts->missed,	 counts->live_objects, counts->live_bytes };
	struct sqlite_store *sqlite = store->data;
	sqlite3_stmt *statement = sqlite->add_figure;
	int64_t name_id;
	int err = get_id(store, SQLITE_NAMES, name, 4, &name_id);

	if (err)
		return err;
	sqlite3_bind_int64(statement, 1, interval);
	sqlite3_bind_int64(statement, 2, name_id);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		sqlite3_bind_int64(statement, (int)i + 3, (sqlite3_int64)values[i]);
	/* null needs less space than 0.0 */
	sqlite3_bind_null(statement, 12);
	sqlite3_bind_null(statement, 13);
	if (counts->allocated_variance > 0)
		sqlite3_bind_double(statement, 12, counts->allocated_variance);
	if (counts->live_variance > 0)
		sqlite3_bind_double(statement, 13, counts->live_variance);
	return step_statement(store, statement);
}

int sqlite_store_put(struct store *store, const struct summary *summary)
{
	int64_t interval;
	int added, err = prepare_statements(store);

	if (err)
		return err;
	added = put_interval(store, summary, &interval);
	for (size_t i = 0; added == 1 && !err && i < summary->row_count; i++)
		err = put_figure(store, interval, &summary->rows[i]);
	return err ? err : added;
}

/*
 * Drops the intervals that the condition selects, with their figures. The space of the rows is used
 * again, but the file does not become smaller.
 */
__attribute__((format(printf, 2, 3))) static int drop_intervals(struct store *store,
								const char *format, ...)
{
	__attribute__((cleanup(free_text))) char *where = NULL, *sql = NULL;
	va_list arguments;
	int length, err;

	va_start(arguments, format);
	length = vasprintf(&where, format, arguments);
	va_end(arguments);
	if (length < 0)
		where = NULL;
	else
		length = asprintf(&sql,
				  "BEGIN IMMEDIATE;"
				  "DELETE FROM stored_figures WHERE interval_id IN (SELECT id FROM "
				  "stored_intervals WHERE %s);"
				  "DELETE FROM stored_intervals WHERE %s;"
				  "DELETE FROM runs WHERE id NOT IN (SELECT run_id FROM "
				  "stored_intervals)",
				  where, where);
	if (length < 0) {
		sql = NULL;
		return store_fail(store, -ENOMEM, "%s", strerror(ENOMEM));
	}
	err = sqlite_store_execute(store, sql);
	if (!err)
		err = store->ops->commit(store);
	if (err)
		store->ops->cancel(store);
	return err;
}

int sqlite_store_drop(struct store *store, uint64_t time)
{
	return drop_intervals(store, "until < %llu",
			      (unsigned long long)(time / NS_PER_DAY * NS_PER_DAY));
}

int sqlite_store_drop_hosts(struct store *store, const char *where)
{
	return drop_intervals(store, "run_id IN (SELECT id FROM runs%s)", where);
}
