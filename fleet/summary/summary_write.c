// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes a summary as a block of lines. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "fleet/summary/summary_block.h"
#include "fleet/summary/summary_file.h"

/* An empty word would be no word. */
static void write_word(FILE *file, const char *text)
{
	putc(' ', file);
	text_write_word(file, text && *text ? text : "-");
}

static void write_number(FILE *file, uint64_t number)
{
	fprintf(file, " %" PRIu64, number);
}

static void write_sources(FILE *file, const struct summary *summary)
{
	for (size_t i = 0; i < summary->source_count; i++) {
		const struct summary_source *source = &summary->sources[i];

		fputs("source", file);
		write_word(file, source->host);
		write_word(file, source->boot);
		write_number(file, source->run);
		write_number(file, source->first);
		write_number(file, source->last);
		putc('\n', file);
	}
}

static void write_host(FILE *file, const struct summary_host *host)
{
	if (!host->kernel)
		return;
	fputs("host", file);
	write_word(file, host->kernel);
	write_word(file, host->arch);
	write_number(file, host->cpus);
	write_number(file, host->memory);
	write_number(file, host->slab_reclaimable);
	write_number(file, host->slab_unreclaimable);
	write_word(file, host->role);
	putc('\n', file);
}

static void write_missing(FILE *file, const struct missing *missing)
{
	fputs("bound", file);
	write_number(file, missing->recorded);
	write_number(file, missing->lost);
	write_number(file, missing->skipped);
	write_number(file, missing->uncounted);
	write_number(file, missing->unobserved);
	write_number(file, missing->sampling);
	write_number(file, missing->names_lost);
	putc('\n', file);
}

static void write_row(FILE *file, const struct summary_row *row, bool is_sampled)
{
	const struct summary_counts *counts = &row->counts;

	fputs(summary_kind_words[row->kind], file);
	for (size_t i = 0; i < summary_name_count(row->kind); i++)
		write_word(file, row->names[i]);
	write_number(file, counts->allocations);
	write_number(file, counts->frees);
	write_number(file, counts->allocated);
	write_number(file, counts->freed);
	write_number(file, counts->failed);
	write_number(file, counts->cross_cpu);
	write_number(file, counts->missed);
	write_number(file, counts->live_objects);
	write_number(file, counts->live_bytes);
	if (is_sampled)
		fprintf(file, " %.17g %.17g", counts->allocated_variance, counts->live_variance);
	putc('\n', file);
}

static int write_lines(const struct summary *summary, char **text, size_t *size)
{
	FILE *file = text_open(text, size);

	if (!file)
		return -ENOMEM;
	fputs("summary", file);
	write_number(file, summary->begin);
	write_number(file, summary->end);
	write_number(file, summary->live_at);
	write_number(file, summary->live_hosts);
	putc('\n', file);
	write_sources(file, summary);
	write_host(file, &summary->host);
	fputs("cost", file);
	write_number(file, summary->cpu_ns);
	write_number(file, summary->resident);
	putc('\n', file);
	write_missing(file, &summary->missing);
	for (size_t i = 0; i < summary->row_count; i++)
		write_row(file, &summary->rows[i], summary->missing.sampling);
	return text_close(file, text);
}

int summary_write_text(const struct summary *summary, char **text, size_t *size)
{
	char *more;
	int err = write_lines(summary, text, size);

	if (err)
		return err;
	if (*size > SUMMARY_BLOCK_MAX - SUMMARY_END_SIZE) {
		err = -EFBIG;
	} else {
		more = realloc(*text, *size + SUMMARY_END_SIZE);
		if (more) {
			*text = more;
			*size += summary_end_line(*text, *size, *text + *size);
			return 0;
		}
		err = -ENOMEM;
	}
	free(*text);
	*text = NULL;
	return err;
}
