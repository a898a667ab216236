// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Each letter of a form is a word of the line:
 *
 *   n  a decimal number, or "unknown"
 *   i  a decimal number, or "-1"
 *   d  a decimal number, which can be negative
 *   b  "0x" and bits in hexadecimal, which stay
 *   a  the address of a cache or slab, in hexadecimal
 *   h  the id of a stack, in hexadecimal
 *   r  addresses of code, in hexadecimal, to the end of the line
 *   c  the name of a cache, which can be "0x" and its address
 *   w  another name, which stays
 *   p  the path of a cgroup
 *   l  the name of a user
 *   t  the name of a task; a line can lack it
 *   k  "node"
 *   s  "online" or "offline"
 *   u  "accounted" or "unaccounted"
 *   ?  the next words can be missing
 *   q  a place in the kernel's source, of which a file behind an absolute path keeps its name only
 *   f  names of functions, to the end of the line
 *   -  the node of the memory at some addresses: see put_memory()
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "base/text.h"
#include "capture/pack/anonymize_table.h"

const struct anonymize_table anonymize_tables[] = {
	{ "kernel/caches",
	  { { "cache", "annnc?u" },
	    { "gone", "an" },
	    { "kmalloc", "w?nn" },
	    { "debug", "wnw" },
	    { "alias", "ww" },
	    { "reclaim_account", "wn" } } },
	{ "kernel/tasks", { { "task", "nnnt?n" }, { "user", "nl" } } },
	{ "kernel/slabinfo", { { "slab", "nwnn?n" }, { "read", "nn" }, { "sizes", "wnn" } } },
	{ "kernel/heap",
	  { { "heap", "nn" },
	    { "cache", "annnc" },
	    { "unsure", "n" },
	    { "slab", "nannw" },
	    { "end", "n" } } },
	{ "kernel/tracks", { { "track", "wnnnnnncf" }, { "read", "wn" } } },
	{ "kernel/allocinfo", { { "read", "n" }, { "line", "dnqw?w" }, { "inexact", "dnqw?w" } } },
	{ "kernel/where", { { "read", "nn" }, { "owner", "wnn" } } },
	{ "kernel/process_memory",
	  { { "statm", "nnnnnnn" }, { "gone", "nn" }, { "reading", "nn" } } },
	{ "kernel/stacks", { { "stack", "hnnr" } } },
	{ "kernel/cgroups",
	  { { "cgroup", "nnp" },
	    { "gone", "nn" },
	    { "member", "nnn" },
	    { "process", "nnn" },
	    { "uncharged", "" } } },
	{ "kernel/topology", { { "cpu", "nkis" }, { "memory", "-" } } },
	{ "kernel/gfp", { { "", "bw" } } },
	{ 0 },
};

struct writer_of_words {
	struct substitutes *substitutes;
	FILE *file; /* NULL: the line is only checked */
	struct table_result *result;
	char *word; /* room for any word of the text */
	size_t word_size;
};

static void put_after(const struct writer_of_words *words, const char *before, const char *word)
{
	if (!words->file)
		return;
	fputs(before, words->file);
	text_write_word(words->file, word);
}

static bool put_number_after(const struct writer_of_words *words, struct line *line,
			     unsigned int base, const char *before)
{
	uint64_t number;

	if (!line_u64(line, base, &number))
		return false;
	if (words->file)
		fprintf(words->file, base == 16 ? "%s%" PRIx64 : "%s%" PRIu64, before, number);
	return true;
}

static bool put_address(const struct writer_of_words *words, struct line *line)
{
	uint64_t address;

	if (!line_u64(line, 16, &address))
		return false;
	if (words->file)
		fprintf(words->file, " 0x%" PRIx64, substitute_object(words->substitutes, address));
	return true;
}

static bool put_signed(const struct writer_of_words *words, struct line *line)
{
	line->at += strspn(line->at, " ");
	if (line->at == line->end || *line->at != '-')
		return put_number_after(words, line, 10, " ");
	line->at++;
	return put_number_after(words, line, 10, " -");
}

static bool put_stack(const struct writer_of_words *words, struct line *line)
{
	uint64_t id;

	if (!line_u64(line, 16, &id))
		return false;
	if (words->file)
		fprintf(words->file, " %" PRIx64, substitute_stack(words->substitutes, id));
	return true;
}

static bool put_frames(const struct writer_of_words *words, struct line *line)
{
	uint64_t address;

	while (line_u64(line, 16, &address))
		if (words->file)
			fprintf(words->file, " %" PRIx64,
				substitute_code(words->substitutes, address));
	return true;
}

static bool put_one_of(const struct writer_of_words *words, struct line *line,
		       const char *const *choices)
{
	for (; *choices; choices++) {
		if (line_key(line, *choices)) {
			put_after(words, " ", *choices);
			return true;
		}
	}
	return false;
}

static bool put_name(const struct writer_of_words *words)
{
	if (words->file)
		substitute_in_name(words->substitutes, words->word);
	put_after(words, " ", words->word);
	return *words->word;
}

/* A cache without a known name has its address as name. */
static bool put_cache_name(const struct writer_of_words *words, struct line *line)
{
	const char *digits = words->word + 2;
	uint64_t address;
	char name[24];

	line_word(line, words->word, words->word_size);
	if (!strncmp(words->word, "0x", 2) && number_parse(&digits, 16, &address) && !*digits) {
		if (!words->file)
			return true;
		snprintf(name, sizeof(name), "0x%" PRIx64,
			 substitute_object(words->substitutes, address));
		put_after(words, " ", name);
		return true;
	}
	return put_name(words);
}

static bool put_task(const struct writer_of_words *words, struct line *line)
{
	char text[SUBSTITUTE_TASK_SIZE];
	const char *name = words->word;

	line_word(line, words->word, words->word_size);
	if (!words->file)
		return true;
	substitute_in_name(words->substitutes, words->word);
	if (*name && words->substitutes->of_tasks)
		name = substitute_task(words->substitutes, name, text);
	words->result->with_host += substitutes_show_host(words->substitutes, name);
	put_after(words, " ", name);
	return true;
}

static bool put_user(const struct writer_of_words *words, struct line *line)
{
	char text[SUBSTITUTE_USER_SIZE];

	line_word(line, words->word, words->word_size);
	if (words->file)
		put_after(words, " ", substitute_user(words->substitutes, words->word, text));
	return *words->word;
}

static bool put_functions(const struct writer_of_words *words, struct line *line)
{
	line_word(line, words->word, words->word_size);
	while (*words->word) {
		put_name(words);
		line_word(line, words->word, words->word_size);
	}
	return true;
}

static bool put_place(const struct writer_of_words *words, struct line *line)
{
	const char *slash;

	line_word(line, words->word, words->word_size);
	slash = *words->word == '/' ? strrchr(words->word, '/') : NULL;
	if (slash)
		memmove(words->word, slash + 1, strlen(slash));
	return put_name(words);
}

static bool put_path(const struct writer_of_words *words, struct line *line)
{
	char text[SUBSTITUTE_CGROUP_SIZE], *rest, *part;

	line_word(line, words->word, words->word_size);
	if (*words->word != '/')
		return false;
	if (!words->file)
		return true;
	putc(' ', words->file);
	part = strtok_r(words->word, "/", &rest);
	if (!part)
		putc('/', words->file);
	for (; part; part = strtok_r(NULL, "/", &rest))
		fprintf(words->file, "/%s", substitute_cgroup(words->substitutes, part, text));
	return true;
}

static bool put_word(const struct writer_of_words *words, struct line *line, char form)
{
	static const char *const unknown[] = { "unknown", NULL }, *const minus[] = { "-1", NULL };
	static const char *const node[] = { "node", NULL };
	static const char *const accountings[] = { "accounted", "unaccounted", NULL };
	static const char *const states[] = { "online", "offline", NULL };

	switch (form) {
	case 'n':
		return put_number_after(words, line, 10, " ") || put_one_of(words, line, unknown);
	case 'i':
		return put_number_after(words, line, 10, " ") || put_one_of(words, line, minus);
	case 'd':
		return put_signed(words, line);
	case 'b':
		return !strncmp(line->at, "0x", 2) && put_number_after(words, line, 16, "0x");
	case 'a':
		return put_address(words, line);
	case 'h':
		return put_stack(words, line);
	case 'r':
		return put_frames(words, line);
	case 'c':
		return put_cache_name(words, line);
	case 'q':
		return put_place(words, line);
	case 'f':
		return put_functions(words, line);
	case 'p':
		return put_path(words, line);
	case 't':
		return put_task(words, line);
	case 'l':
		return put_user(words, line);
	case 'k':
		return put_one_of(words, line, node);
	case 's':
		return put_one_of(words, line, states);
	case 'u':
		return put_one_of(words, line, accountings);
	default:
		line_word(line, words->word, words->word_size);
		return put_name(words);
	}
}

/* line: behind the key. False: it has not this form. */
static bool put_line(const struct writer_of_words *words, struct line line,
		     const struct table_line *form)
{
	bool optional = false;

	if (words->file)
		fputs(form->key, words->file);
	for (const char *at = form->words; *at; at++) {
		if (*at == '?')
			optional = true;
		else if (!put_word(words, &line, *at))
			return optional;
	}
	return true;
}

static const struct table_line *find_form(const struct anonymize_table *table, struct line *line)
{
	for (const struct table_line *form = table->lines; form->key; form++)
		if (!*form->key || line_key(line, form->key))
			return form;
	return NULL;
}

/*
 * The words behind "memory". All memory is of one node: the line stays. A line of some addresses is
 * left out, since the addresses of objects get substitutes.
 */
static void put_memory(struct line *line, FILE *file)
{
	uint64_t begin, last;
	uint32_t node;

	if (line_u32(line, &node) && line_u64(line, 16, &begin) && line_u64(line, 16, &last) &&
	    !begin && last == UINT64_MAX)
		fprintf(file, "memory %" PRIu32 " 0x0 0x%" PRIx64 "\n", node, last);
}

int anonymize_table(struct substitutes *substitutes, const struct anonymize_table *table,
		    const char *text, FILE *file, struct table_result *result)
{
	size_t size = strlen(text) + 1;
	__attribute__((cleanup(free_text))) char *word = malloc(size);
	struct writer_of_words words = {
		.substitutes = substitutes, .result = result, .word = word, .word_size = size
	};
	struct line line;

	*result = (struct table_result){ 0 };
	if (!word)
		return -ENOMEM;
	while (line_next(&line, &text)) {
		const struct table_line *form = find_form(table, &line);

		words.file = NULL;
		if (form && *form->words == '-') {
			put_memory(&line, file);
			continue;
		}
		if (!form || !put_line(&words, line, form)) {
			result->left_out += line.at < line.end;
			continue;
		}
		words.file = file;
		put_line(&words, line, form);
		putc('\n', file);
	}
	return substitutes->error ? substitutes->error : text_write_result(file);
}
