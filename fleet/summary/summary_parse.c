// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Parses the lines of a block. Lines of other kinds, and more words at the end of a line, come from
 * later versions and are skipped.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fleet/summary/summary_block.h"

static bool read_decimal(struct line *line, uint64_t *number)
{
	return line_u64(line, 10, number);
}

/* False: there is no word. An empty text was written as "-". */
static bool read_word(struct line *line, char *text, size_t size)
{
	line_word(line, text, size);
	if (!*text)
		return false;
	if (!strcmp(text, "-"))
		*text = '\0';
	return true;
}

static bool read_variance(struct line *line, double *variance)
{
	char text[64], *end;

	line_word(line, text, sizeof(text));
	if (*text < '0' || *text > '9')
		return false;
	*variance = strtod(text, &end);
	if (*end || !isfinite(*variance))
		return false;
	*variance = summary_round_variance(*variance);
	return true;
}

static bool is_at_end(const struct line *line)
{
	struct line left = *line;
	char text[2];

	line_word(&left, text, sizeof(text));
	return !*text;
}

static int read_source(struct line *line, struct summary *summary)
{
	char host[SUMMARY_NAME_SIZE], boot[SUMMARY_NAME_SIZE];
	struct summary_source source = { .host = host, .boot = boot };

	if (!read_word(line, host, sizeof(host)) || !read_word(line, boot, sizeof(boot)) ||
	    !read_decimal(line, &source.run) || !read_decimal(line, &source.first) ||
	    !read_decimal(line, &source.last) || source.first > source.last)
		return -EBADMSG;
	return summary_append_source(summary, &source);
}

static int read_host(struct line *line, struct summary *summary)
{
	char kernel[SUMMARY_NAME_SIZE], arch[SUMMARY_NAME_SIZE], role[SUMMARY_NAME_SIZE];
	struct summary_host host = { .kernel = kernel, .arch = arch, .role = role };

	if (!read_word(line, kernel, sizeof(kernel)) || !read_word(line, arch, sizeof(arch)) ||
	    !line_u32(line, &host.cpus) || !read_decimal(line, &host.memory) ||
	    !read_decimal(line, &host.slab_reclaimable) ||
	    !read_decimal(line, &host.slab_unreclaimable) || !read_word(line, role, sizeof(role)))
		return -EBADMSG;
	return summary_set_host(summary, &host);
}

static int read_cost(struct line *line, struct summary *summary)
{
	return read_decimal(line, &summary->cpu_ns) && read_decimal(line, &summary->resident)
		       ? 0
		       : -EBADMSG;
}

static int read_missing(struct line *line, struct summary *summary)
{
	struct missing *missing = &summary->missing;
	uint64_t names_lost;

	if (!read_decimal(line, &missing->recorded) || !read_decimal(line, &missing->lost) ||
	    !read_decimal(line, &missing->skipped) || !read_decimal(line, &missing->uncounted) ||
	    !read_decimal(line, &missing->unobserved) || !read_decimal(line, &missing->sampling) ||
	    !read_decimal(line, &names_lost))
		return -EBADMSG;
	missing->names_lost = names_lost;
	missing->counted_unknown = missing->sampling;
	return 0;
}

static bool read_counts(struct line *line, bool is_sampled, struct summary_counts *counts)
{
	if (!read_decimal(line, &counts->allocations) || !read_decimal(line, &counts->frees) ||
	    !read_decimal(line, &counts->allocated) || !read_decimal(line, &counts->freed) ||
	    !read_decimal(line, &counts->failed) || !read_decimal(line, &counts->cross_cpu) ||
	    !read_decimal(line, &counts->missed) || !read_decimal(line, &counts->live_objects) ||
	    !read_decimal(line, &counts->live_bytes))
		return false;
	return !is_sampled || is_at_end(line) ||
	       (read_variance(line, &counts->allocated_variance) &&
		read_variance(line, &counts->live_variance));
}

static int read_row(struct line *line, struct summary *summary, enum summary_kind kind)
{
	char texts[SUMMARY_NAMES][SUMMARY_NAME_SIZE];
	const char *names[SUMMARY_NAMES] = { texts[0], texts[1], texts[2] };
	struct summary_counts counts = { 0 };
	struct summary_row *row;

	for (size_t i = 0; i < summary_name_count(kind); i++) {
		line_word(line, texts[i], sizeof(texts[i]));
		if (!*texts[i])
			return -EBADMSG;
	}
	if (!read_counts(line, summary->missing.sampling, &counts))
		return -EBADMSG;
	row = summary_get_row(summary, kind, names);
	if (!row)
		return -ENOMEM;
	summary_add_counts(&row->counts, &counts);
	return 0;
}

static int read_line(struct line *line, struct summary *summary)
{
	if (line_key(line, "source"))
		return read_source(line, summary);
	if (line_key(line, "host"))
		return read_host(line, summary);
	if (line_key(line, "cost"))
		return read_cost(line, summary);
	if (line_key(line, "bound"))
		return read_missing(line, summary);
	for (int i = 0; i < SUMMARY_KINDS; i++)
		if (line_key(line, summary_kind_words[i]))
			return read_row(line, summary, (enum summary_kind)i);
	return 0;
}

/* The lines of a whole block end with a newline each. */
static bool next_line(struct line *line, const char **text, const char *end)
{
	const char *newline = *text < end ? memchr(*text, '\n', (size_t)(end - *text)) : NULL;

	if (!newline)
		return false;
	*line = (struct line){ *text, newline };
	*text = newline + 1;
	return true;
}

/* The first line of a block; its further words can be read from `line`. */
static bool read_interval(struct line *line, const char **text, const char *end, uint64_t *begin,
			  uint64_t *until)
{
	return next_line(line, text, end) && line_key(line, "summary") &&
	       read_decimal(line, begin) && read_decimal(line, until) && *begin <= *until;
}

int summary_block_head(const char *text, const struct summary_block *block,
		       struct summary_head *head)
{
	char word[2];
	struct line line;
	uint64_t number, first, last;

	if (!read_interval(&line, &text, block->lines_end, &head->begin, &head->end))
		return -EBADMSG;
	head->summaries = 0;
	while (next_line(&line, &text, block->lines_end)) {
		if (!line_key(&line, "source"))
			continue;
		line_word(&line, word, sizeof(word));
		line_word(&line, word, sizeof(word));
		if (!read_decimal(&line, &number) || !read_decimal(&line, &first) ||
		    !read_decimal(&line, &last) || first > last)
			return -EBADMSG;
		head->summaries += last - first + 1;
	}
	line = (struct line){ block->lines_end, block->next - 1 };
	return line_key(&line, "end") && read_decimal(&line, &number) &&
			       line_u32(&line, &head->checksum)
		       ? 0
		       : -EBADMSG;
}

int summary_block_parse(const char *text, const struct summary_block *block,
			struct summary *summary)
{
	struct line line;
	int err = summary_init(summary);

	if (!err &&
	    (!read_interval(&line, &text, block->lines_end, &summary->begin, &summary->end) ||
	     !read_decimal(&line, &summary->live_at) || !read_decimal(&line, &summary->live_hosts)))
		err = -EBADMSG;
	while (!err && next_line(&line, &text, block->lines_end))
		err = read_line(&line, summary);
	if (!err && (!summary->source_count || summary_order_sources(summary)))
		err = -EBADMSG;
	if (!err && !summary_is_of_one_host(summary))
		err = summary_set_host(summary, &(struct summary_host){ 0 });
	if (err)
		summary_deinit(summary);
	return err;
}

int summary_parse(struct summary *summary, const char **text, const char *end)
{
	struct summary_block block;
	const char *start = *text;
	enum summary_block_state state = summary_block_find(start, end, &block);
	int err;

	*text = block.next;
	if (state == SUMMARY_BLOCK_NONE)
		return 0;
	if (state != SUMMARY_BLOCK_WHOLE)
		return -EBADMSG;
	err = summary_block_parse(start, &block, summary);
	return err ? err : 1;
}
