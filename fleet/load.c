// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Loads files of summaries into a store, many in a transaction. A summary that the store has is
 * left out, so that a load that was killed is repeated from its begin.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/stop.h"
#include "fleet/load.h"
#include "fleet/summary/summary_file.h"
#include "fleet/summary/summary_storable.h"

/* Rows in a transaction: a kill loses at most so many. */
#define TRANSACTION_ROWS 500000

struct load {
	struct store *store;
	struct progress_line line;
	uint64_t added, known, refused, files;
	uint64_t bytes, bytes_done;
	size_t rows; /* since the begin of the transaction */
	bool in_transaction;
	bool incomplete; /* a file could not be read, or not all of it */
	bool failed;	 /* the store has failed: nothing more can be loaded */
};

static int commit_load(struct load *load)
{
	int err;

	if (!load->in_transaction)
		return 0;
	load->in_transaction = false;
	load->rows = 0;
	err = load->store->ops->commit(load->store);
	if (err)
		load->store->ops->cancel(load->store);
	return err;
}

static int put_summary(struct load *load, const struct summary *summary)
{
	int added;

	if (!load->in_transaction) {
		int err = load->store->ops->begin(load->store);

		if (err)
			return err;
		load->in_transaction = true;
	}
	added = load->store->ops->put(load->store, summary);
	if (added < 0) {
		load->store->ops->cancel(load->store);
		load->in_transaction = false;
		return added;
	}
	load->added += (uint64_t)added;
	load->known += !added;
	load->rows += 1 + (added ? summary->row_count : 0);
	return load->rows < TRANSACTION_ROWS ? 0 : commit_load(load);
}

static void load_summary(struct load *load, const char *path, const struct summary *summary)
{
	const char *why = summary_why_not_stored(summary);

	if (why) {
		/* one sentence a file: a merged file has nothing else */
		if (!load->refused++)
			error_msg("%s: a summary is not loaded: %s", path, why);
		load->incomplete = true;
		return;
	}
	if (put_summary(load, summary)) {
		progress_line_clear();
		error_msg("%s", load->store->errmsg);
		load->failed = true;
	}
}

static void load_file(struct load *load, const char *path)
{
	uint64_t refused_before = load->refused;
	struct summary_reader reader = { 0 };
	int result = summary_reader_open(&reader, path);

	load->files++;
	load->refused = 0;
	while (!result && !load->failed && !stop_signal()) {
		struct summary summary = { 0 };

		result = summary_reader_next(&reader, &summary);
		if (result == 1) {
			load_summary(load, path, &summary);
		} else if (result == -EBADMSG) {
			error_msg("%s", reader.errmsg);
			load->incomplete = true;
		}
		summary_deinit(&summary);
		progress_line_bytes(&load->line, load->bytes_done + reader.offset, load->bytes);
		if (!result)
			break;
		if (result == 1 || result == -EBADMSG)
			result = 0;
	}
	load->bytes_done += reader.offset;
	if (result) {
		error_msg("%s", reader.errmsg);
		load->incomplete = true;
	}
	if (load->refused > 1)
		error_msg("%s: %" PRIu64 " summaries are not loaded", path, load->refused);
	load->refused += refused_before;
	summary_reader_close(&reader);
}

static bool has_suffix(const char *name)
{
	size_t length = strlen(name), suffix = strlen(SUMMARY_FILE_SUFFIX);

	return length > suffix && !strcmp(name + length - suffix, SUMMARY_FILE_SUFFIX);
}

static int is_below(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* size: of a file that is loaded. err: the path cannot be read. */
struct visit {
	void (*call)(struct load *load, const char *path, uint64_t size, int err);
	bool is_argument;
};

/* Visits each file of a path: those of a directory end with .kms. */
static void visit_path(struct load *load, const char *path, struct visit visit)
{
	struct dirent **entries;
	struct stat status;
	int count;

	if (load->failed || stop_signal())
		return;
	if (visit.is_argument ? stat(path, &status) : lstat(path, &status)) {
		visit.call(load, path, 0, errno);
		return;
	}
	if (!S_ISDIR(status.st_mode)) {
		if (visit.is_argument || (S_ISREG(status.st_mode) && has_suffix(path)))
			visit.call(load, path, (uint64_t)status.st_size, 0);
		return;
	}
	count = scandir(path, &entries, is_below, alphasort);
	if (count < 0) {
		visit.call(load, path, 0, errno);
		return;
	}
	visit.is_argument = false;
	for (int i = 0; i < count; i++) {
		__attribute__((cleanup(free_text))) char *name =
			join_path(path, entries[i]->d_name);

		if (name)
			visit_path(load, name, visit);
		else
			visit.call(load, path, 0, ENOMEM);
		free(entries[i]);
	}
	free(entries);
}

static void visit_files(struct load *load, const struct fleet_options *options,
			void (*call)(struct load *load, const char *path, uint64_t size, int err))
{
	for (int i = 0; i < options->argument_count; i++)
		visit_path(load, options->arguments[i], (struct visit){ call, true });
}

static void count_bytes(struct load *load, const char *path, uint64_t size, int err)
{
	(void)path;
	(void)err;
	load->bytes += size;
}

static void visit_one(struct load *load, const char *path, uint64_t size, int err)
{
	(void)size;
	if (!err) {
		load_file(load, path);
		return;
	}
	error_msg("%s: %s", path, strerror(err));
	load->incomplete = true;
}

int load_files(struct store *store, const struct fleet_options *options)
{
	struct load load = { .store = store };

	progress_line_init(&load.line, options->quiet, PROGRESS_DELAY);
	load.line.file = store->location;
	visit_files(&load, options, count_bytes);
	visit_files(&load, options, visit_one);
	progress_line_clear();
	if (!load.failed &&
	    (commit_load(&load) || (store->ops->finish && store->ops->finish(store)))) {
		error_msg("%s", store->errmsg);
		load.failed = true;
	}
	if (load.failed)
		return EXIT_TROUBLE;
	if (!load.files && !load.incomplete)
		return error_msg(
			"no file of summaries is there: their names end with \"" SUMMARY_FILE_SUFFIX
			"\"");
	if (!options->quiet)
		info_msg("%s: %" PRIu64 " summaries loaded from %" PRIu64 " file%s, %" PRIu64
			 " were there already",
			 store->location, load.added, load.files, load.files == 1 ? "" : "s",
			 load.known);
	if (stop_signal())
		return error_msg("%s: stopped: load the same files again to continue",
				 store->location);
	return load.incomplete ? EXIT_FINDINGS : EXIT_OK;
}
