// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include "fleet/clickhouse/rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "fleet/clickhouse/schema.h"

static const char *const kind_names[SUMMARY_KINDS] = { "code", "cgroup", "comm" };

int clickhouse_rows_init(struct clickhouse_rows *rows)
{
	*rows = (struct clickhouse_rows){ 0 };
	rows->intervals = text_open(&rows->interval_text, &rows->interval_size);
	rows->figures = text_open(&rows->figure_text, &rows->figure_size);
	if (rows->intervals && rows->figures)
		return 0;
	clickhouse_rows_deinit(rows);
	return -ENOMEM;
}

void clickhouse_rows_deinit(struct clickhouse_rows *rows)
{
	if (rows->intervals)
		fclose(rows->intervals);
	if (rows->figures)
		fclose(rows->figures);
	free(rows->interval_text);
	free(rows->figure_text);
	*rows = (struct clickhouse_rows){ 0 };
}

/* A column of text, and the tab behind it. */
static void put_text_column(FILE *file, const char *text)
{
	for (text = text ? text : ""; *text; text++) {
		switch (*text) {
		case '\t':
			fputs("\\t", file);
			break;
		case '\n':
			fputs("\\n", file);
			break;
		case '\\':
			fputs("\\\\", file);
			break;
		default:
			putc(*text, file);
		}
	}
	putc('\t', file);
}

static void put_number_column(FILE *file, uint64_t number)
{
	fprintf(file, "%" PRIu64 "\t", number);
}

static void put_source(FILE *file, const struct summary *summary)
{
	put_text_column(file, summary->sources->host);
	put_text_column(file, summary->sources->boot);
	put_number_column(file, summary->sources->run);
	put_number_column(file, summary->sources->first);
}

static void put_interval(FILE *file, const struct summary *summary)
{
	const struct summary_host *host = &summary->host;
	const struct missing *missing = &summary->missing;

	put_source(file, summary);
	put_number_column(file, summary->begin);
	put_number_column(file, summary->end);
	put_text_column(file, host->kernel);
	put_text_column(file, host->arch);
	put_text_column(file, host->role);
	put_number_column(file, host->cpus);
	put_number_column(file, host->memory);
	put_number_column(file, host->slab_reclaimable);
	put_number_column(file, host->slab_unreclaimable);
	put_number_column(file, summary->cpu_ns);
	put_number_column(file, summary->resident);
	put_number_column(file, missing->recorded);
	put_number_column(file, missing->lost);
	put_number_column(file, missing->skipped);
	put_number_column(file, missing->uncounted);
	put_number_column(file, missing->unobserved);
	put_number_column(file, missing->sampling);
	fprintf(file, "%d\n", missing->names_lost);
}

static void put_figures(FILE *file, const struct summary *summary, const struct summary_row *row)
{
	const struct summary_counts *counts = &row->counts;

	put_source(file, summary);
	put_number_column(file, summary->end);
	put_text_column(file, summary->host.kernel);
	put_text_column(file, summary->host.role);
	put_text_column(file, kind_names[row->kind]);
	for (size_t i = 0; i < SUMMARY_NAMES; i++)
		put_text_column(file, row->names[i]);
	put_number_column(file, counts->allocations);
	put_number_column(file, counts->frees);
	put_number_column(file, counts->allocated);
	put_number_column(file, counts->freed);
	put_number_column(file, counts->failed);
	put_number_column(file, counts->cross_cpu);
	put_number_column(file, counts->missed);
	put_number_column(file, counts->live_objects);
	put_number_column(file, counts->live_bytes);
	fprintf(file, "%.17g\t%.17g\n", counts->allocated_variance, counts->live_variance);
}

int clickhouse_rows_add(struct clickhouse_rows *rows, const struct summary *summary)
{
	put_interval(rows->intervals, summary);
	for (size_t i = 0; i < summary->row_count; i++)
		put_figures(rows->figures, summary, &summary->rows[i]);
	if (fflush(rows->intervals) || fflush(rows->figures) || ferror(rows->intervals) ||
	    ferror(rows->figures))
		return -ENOMEM;
	rows->summaries++;
	rows->rows += summary->row_count + 1;
	return 0;
}

static int send_table(struct clickhouse_client *client, enum clickhouse_table table,
		      const char *rows, size_t size)
{
	char *query;
	int err;

	if (!size)
		return 0;
	query = clickhouse_insert_query(client->database, table);
	if (!query) {
		snprintf(client->errmsg, sizeof(client->errmsg), "out of memory");
		return -ENOMEM;
	}
	err = clickhouse_insert(client, query, rows, size);
	free(query);
	return err;
}

int clickhouse_rows_send(struct clickhouse_rows *rows, struct clickhouse_client *client)
{
	int err = send_table(client, CLICKHOUSE_FIGURES, rows->figure_text, rows->figure_size);

	return err ? err
		   : send_table(client, CLICKHOUSE_INTERVALS, rows->interval_text,
				rows->interval_size);
}
