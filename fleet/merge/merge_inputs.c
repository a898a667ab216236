// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds files of summaries in directories, and makes them of captures. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files.h"
#include "capture/capture_file.h"
#include "capture/parts.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "fleet/merge/capture_summaries.h"
#include "fleet/merge/merge_inputs.h"
#include "fleet/summary/summary_file.h"

#define DEPTH_MAX 4 /* of directories in directories */

void merge_inputs_deinit(struct merge_inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++) {
		free(inputs->list[i].path);
		free(inputs->list[i].shown);
	}
	free(inputs->list);
	scratch_directory_remove(&inputs->scratch);
	*inputs = (struct merge_inputs){ 0 };
}

static int no_memory(void)
{
	return error_msg("%s", strerror(ENOMEM));
}

static int add_input_file(struct merge_inputs *inputs, const char *path, const char *shown)
{
	struct merge_input *list = array_grow(inputs->list, inputs->count, sizeof(*list));
	struct merge_input input = { strdup(path), strdup(shown) };

	if (list)
		inputs->list = list;
	if (!list || !input.path || !input.shown) {
		free(input.path);
		free(input.shown);
		return no_memory();
	}
	list[inputs->count++] = input;
	return 0;
}

static bool is_summaries_name(const char *name)
{
	size_t length = strlen(name), suffix = strlen(SUMMARY_FILE_SUFFIX);

	return length > suffix && !strcmp(name + length - suffix, SUMMARY_FILE_SUFFIX);
}

static int is_shown_name(const struct dirent *entry)
{
	return *entry->d_name != '.';
}

static int add_directory(struct merge_inputs *inputs, const char *path, unsigned int depth)
{
	struct dirent **entries;
	int status = 0, count = scandir(path, &entries, is_shown_name, alphasort);

	if (count < 0)
		return error_msg("%s: %s", path, strerror(errno));
	for (int i = 0; i < count; i++) {
		__attribute__((cleanup(free_text))) char *name =
			join_path(path, entries[i]->d_name);
		struct stat state;

		if (!name)
			status = status ? status : no_memory();
		else if (!status && !lstat(name, &state) && S_ISDIR(state.st_mode) &&
			 depth < DEPTH_MAX)
			status = add_directory(inputs, name, depth + 1);
		else if (!status && is_summaries_name(name))
			status = add_input_file(inputs, name, name);
		free(entries[i]);
	}
	free(entries);
	return status;
}

static int sum_up(struct merge_inputs *inputs, const char *path, const char *shown)
{
	struct progress_line line;
	struct capture_summaries summaries = { .interval = inputs->interval, .line = &line };
	__attribute__((cleanup(free_text))) char *file = NULL;

	if (asprintf(&file, "%s/%zu" SUMMARY_FILE_SUFFIX, inputs->scratch.path, inputs->count) <
	    0) {
		file = NULL;
		return no_memory();
	}
	progress_line_init(&line, inputs->quiet, PROGRESS_DELAY);
	line.file = shown;
	summaries.directory = inputs->scratch.path;
	if (capture_summaries_write(&summaries, path, file))
		return error_msg("%s", summaries.errmsg);
	if (summaries.damaged_bytes) {
		inputs->is_incomplete = true;
		if (!inputs->quiet)
			info_msg("%s: %" PRIu64 " bytes are not packets: their events are missing",
				 shown, summaries.damaged_bytes);
	}
	if (summaries.left_out) {
		inputs->is_incomplete = true;
		if (!inputs->quiet)
			info_msg("%s: pieces of earlier runs or after a gap that are not read: %zu",
				 shown, summaries.left_out);
	}
	return add_input_file(inputs, file, shown);
}

/*
 * Makes this directory before that of an archive. A guard holds the pipes of all guards before it,
 * so the directory that is removed first must have the later guard.
 */
static int make_scratch(struct merge_inputs *inputs)
{
	int err = 0;

	if (!*inputs->scratch.path)
		err = scratch_directory_make_temporary(&inputs->scratch, true);
	return err ? error_msg("a temporary directory: %s", strerror(-err)) : 0;
}

static int add_input_capture(struct merge_inputs *inputs, const char *path)
{
	struct capture_file file;
	int status, err;

	if (make_scratch(inputs))
		return EXIT_TROUBLE;
	err = capture_file_open(&file, path, true);
	if (file.is_archive)
		message_show_path_as(file.path, path);
	if (err && err != -EBADMSG) {
		status = error_msg("%s", file.error.text);
	} else {
		if (err) {
			inputs->is_incomplete = true;
			info_msg("%s: the files before that are in the result", file.error.text);
		}
		status = sum_up(inputs, file.path, path);
	}
	message_show_path_as(NULL, NULL);
	capture_file_close(&file);
	return status;
}

/* Does the directory look like a capture, or a set of pieces? Reading it says what is wrong then.
 */
static bool may_be_capture(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	bool may = !directory;

	while (!may && (entry = readdir(directory)))
		may = !strcmp(entry->d_name, "metadata") || parts_piece_number(entry->d_name) ||
		      !strncmp(entry->d_name, "cpu", strlen("cpu"));
	if (directory)
		closedir(directory);
	return may;
}

static int add_directory_or_capture(struct merge_inputs *inputs, const char *path)
{
	size_t before = inputs->count;
	int status = add_directory(inputs, path, 0);

	if (status || inputs->count > before)
		return status;
	if (!may_be_capture(path))
		return error_msg("%s: no file of summaries and no capture is there", path);
	return add_input_capture(inputs, path);
}

int merge_inputs_add(struct merge_inputs *inputs, const char *path)
{
	struct summary_reader reader;
	struct stat state;
	int err;

	if (stat(path, &state))
		return error_msg("%s: %s", path, strerror(errno));
	if (S_ISDIR(state.st_mode))
		return add_directory_or_capture(inputs, path);
	if (is_summaries_name(path))
		return add_input_file(inputs, path, path);
	err = summary_reader_open(&reader, path);
	if (!err)
		summary_reader_close(&reader);
	return err == -EBADMSG ? add_input_capture(inputs, path)
			       : add_input_file(inputs, path, path);
}
