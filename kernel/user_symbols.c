// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Files, functions and frames of user stacks, in sorted lists. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "kernel/stacks.h"
#include "kernel/user_symbols.h"

#define NAME_MAX_BYTES 4096 /* of a function or a path */

int user_file_write(FILE *file, uint32_t number, const char *build_id, const char *path)
{
	fprintf(file, "file %" PRIu32 " %s ", number, build_id);
	text_write_word(file, path);
	putc('\n', file);
	return text_write_result(file);
}

int user_function_write(FILE *file, uint32_t number, uint64_t begin, uint64_t end, const char *name)
{
	fprintf(file, "function %" PRIu32 " %" PRIx64 " %" PRIx64 " ", number, begin, end);
	text_write_word(file, name);
	putc('\n', file);
	return text_write_result(file);
}

int user_frames_write(FILE *file, uint64_t id, const struct user_frame *frames, uint32_t count)
{
	fprintf(file, "frames %" PRIx64, id);
	for (uint32_t i = 0; i < count; i++)
		fprintf(file, " %" PRIu32 " %" PRIx64, frames[i].file, frames[i].offset);
	putc('\n', file);
	return text_write_result(file);
}

static int add_user_file(struct user_symbols *symbols, struct line *line, char *text)
{
	struct user_file *list, file = { .order = (uint32_t)symbols->file_count };

	if (!line_u32(line, &file.number) || !file.number)
		return 0;
	line_word(line, text, NAME_MAX_BYTES);
	file.build_id = texts_add(&symbols->strings, text);
	line_word(line, text, NAME_MAX_BYTES);
	file.path = texts_add(&symbols->strings, text);
	list = array_grow(symbols->files, symbols->file_count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	symbols->files = list;
	list[symbols->file_count++] = file;
	return file.build_id && file.path ? 0 : -ENOMEM;
}

static int add_function(struct user_symbols *symbols, struct line *line, char *text)
{
	struct user_function *list, function = { .order = (uint32_t)symbols->function_count };

	if (!line_u32(line, &function.file) || !line_u64(line, 16, &function.begin) ||
	    !line_u64(line, 16, &function.end))
		return 0;
	line_word(line, text, NAME_MAX_BYTES);
	if (!*text || function.begin >= function.end)
		return 0;
	function.name = texts_add(&symbols->strings, text);
	list = array_grow(symbols->functions, symbols->function_count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	symbols->functions = list;
	list[symbols->function_count++] = function;
	return function.name ? 0 : -ENOMEM;
}

static int add_frames(struct user_symbols *symbols, struct line *line)
{
	struct user_frames *list, stack = { .first = symbols->frame_count };
	struct user_frame frame, *frames;

	if (!line_u64(line, 16, &stack.id) || !stack.id)
		return 0;
	while (stack.count < STACK_FRAMES_MAX && line_u32(line, &frame.file) &&
	       line_u64(line, 16, &frame.offset)) {
		frames = array_grow(symbols->frames, symbols->frame_count, sizeof(*frames));
		if (!frames)
			return -ENOMEM;
		symbols->frames = frames;
		frames[symbols->frame_count++] = frame;
		stack.count++;
	}
	list = array_grow(symbols->stacks, symbols->stack_count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	symbols->stacks = list;
	list[symbols->stack_count++] = stack;
	return 0;
}

static int compare_files(const void *left, const void *right)
{
	const struct user_file *a = left, *b = right;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static int compare_functions(const void *left, const void *right)
{
	const struct user_function *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static int compare_stacks(const void *left, const void *right)
{
	const struct user_frames *a = left, *b = right;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

static void sort_list(void *list, size_t count, size_t size,
		      int compare(const void *, const void *))
{
	if (count)
		qsort(list, count, size, compare);
}

/* Of lines with one key the first stays. */
static void sort_lists(struct user_symbols *symbols)
{
	struct user_function *functions = symbols->functions;
	struct user_frames *stacks = symbols->stacks;
	struct user_file *files = symbols->files;
	size_t kept = 0;

	sort_list(files, symbols->file_count, sizeof(*files), compare_files);
	for (size_t i = 0; i < symbols->file_count; i++)
		if (!kept || files[kept - 1].number != files[i].number)
			files[kept++] = files[i];
	symbols->file_count = kept;
	kept = 0;
	sort_list(functions, symbols->function_count, sizeof(*functions), compare_functions);
	for (size_t i = 0; i < symbols->function_count; i++)
		if (!kept || functions[kept - 1].file != functions[i].file ||
		    functions[kept - 1].begin != functions[i].begin)
			functions[kept++] = functions[i];
	symbols->function_count = kept;
	kept = 0;
	sort_list(stacks, symbols->stack_count, sizeof(*stacks), compare_stacks);
	for (size_t i = 0; i < symbols->stack_count; i++)
		if (!kept || stacks[kept - 1].id != stacks[i].id)
			stacks[kept++] = stacks[i];
	symbols->stack_count = kept;
}

int user_symbols_parse(struct user_symbols *symbols, const char *text)
{
	char *word = malloc(NAME_MAX_BYTES);
	struct line line;
	int err;

	*symbols = (struct user_symbols){ 0 };
	err = texts_init(&symbols->strings);
	if (!err && !word)
		err = -ENOMEM;
	while (!err && line_next(&line, &text)) {
		if (line_key(&line, "file"))
			err = add_user_file(symbols, &line, word);
		else if (line_key(&line, "function"))
			err = add_function(symbols, &line, word);
		else if (line_key(&line, "frames"))
			err = add_frames(symbols, &line);
	}
	free(word);
	if (err) {
		user_symbols_deinit(symbols);
		return err;
	}
	sort_lists(symbols);
	return 0;
}

int user_symbols_write(FILE *file, const struct user_symbols *symbols)
{
	int err = 0;

	for (size_t i = 0; i < symbols->file_count && !err; i++)
		err = user_file_write(file, symbols->files[i].number,
				      texts_get(&symbols->strings, symbols->files[i].build_id),
				      texts_get(&symbols->strings, symbols->files[i].path));
	for (size_t i = 0; i < symbols->function_count && !err; i++) {
		const struct user_function *function = &symbols->functions[i];

		err = user_function_write(file, function->file, function->begin, function->end,
					  texts_get(&symbols->strings, function->name));
	}
	for (size_t i = 0; i < symbols->stack_count && !err; i++) {
		const struct user_frames *stack = &symbols->stacks[i];

		err = user_frames_write(file, stack->id,
					stack->count ? symbols->frames + stack->first : NULL,
					stack->count);
	}
	return err;
}

void user_symbols_deinit(struct user_symbols *symbols)
{
	texts_deinit(&symbols->strings);
	free(symbols->files);
	free(symbols->functions);
	free(symbols->stacks);
	free(symbols->frames);
	*symbols = (struct user_symbols){ 0 };
}

const struct user_frames *user_symbols_find(const struct user_symbols *symbols, uint64_t id)
{
	size_t low = 0, high = symbols->stack_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->stacks[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < symbols->stack_count && symbols->stacks[low].id == id ? &symbols->stacks[low]
									   : NULL;
}

static const struct user_file *find_file(const struct user_symbols *symbols, uint32_t number)
{
	size_t low = 0, high = symbols->file_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->files[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < symbols->file_count && symbols->files[low].number == number
		       ? &symbols->files[low]
		       : NULL;
}

static const struct user_function *find_function(const struct user_symbols *symbols,
						 const struct user_frame *frame)
{
	size_t low = 0, high = symbols->function_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct user_function *function = &symbols->functions[middle];

		if (function->file < frame->file ||
		    (function->file == frame->file && function->begin <= frame->offset))
			low = middle + 1;
		else
			high = middle;
	}
	return low && symbols->functions[low - 1].file == frame->file &&
			       frame->offset < symbols->functions[low - 1].end
		       ? &symbols->functions[low - 1]
		       : NULL;
}

char *user_symbols_label(const struct user_symbols *symbols, const struct user_frame *frame)
{
	const struct user_function *function = frame->file ? find_function(symbols, frame) : NULL;
	const struct user_file *file = frame->file ? find_file(symbols, frame->file) : NULL;
	const char *path, *name;
	char *label;
	int length;

	if (function)
		return strdup(texts_get(&symbols->strings, function->name));
	if (!file) {
		length = asprintf(&label, "0x%" PRIx64, frame->offset);
	} else {
		path = texts_get(&symbols->strings, file->path);
		name = strrchr(path, '/');
		length = asprintf(&label, "%s+0x%" PRIx64, name ? name + 1 : path, frame->offset);
	}
	return length < 0 ? NULL : label;
}
