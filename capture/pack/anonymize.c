// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Each file is written from the values that were parsed. The formats are copied: they are
 * texts of the kernel without addresses.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/inside.h"
#include "base/text.h"
#include "capture/directory_remove.h"
#include "capture/pack/anonymize.h"
#include "capture/pack/anonymize_symbols.h"
#include "capture/pack/anonymize_table.h"
#include "cli/message.h"

#define TABLE_BYTES_MAX ((size_t)64 << 20)
#define FORMAT_BYTES_MAX ((size_t)1 << 20)
#define STATUS_NAME "kernel/status"
#define SYMBOLS_NAME "kernel/symbols"

int anonymize_init(struct anonymize *anonymize, const struct capture *capture, bool of_tasks)
{
	*anonymize = (struct anonymize){ .records.substitutes = &anonymize->substitutes };
	return substitutes_init(&anonymize->substitutes, capture, of_tasks);
}

void anonymize_deinit(struct anonymize *anonymize)
{
	substitutes_deinit(&anonymize->substitutes);
	free(anonymize->records.bytes);
	anonymize->records.bytes = NULL;
}

static int fail_anonymized_file(struct directory *directory, int err, const char *path,
				const char *name)
{
	return directory_fail(directory, -err, "%s/%s: %s", path, name, anonymize_error_text(err));
}

/* err: of writing the file. */
static int finish_file(struct directory *directory, FILE *file, const char *name, int err)
{
	int failed = close_synced(file);

	err = err ? err : failed;
	return err ? fail_anonymized_file(directory, err, directory->path, name) : 0;
}

/* A file that cannot be read is left out, unless that is this machine's fault. */
static int leave_out(struct anonymize *anonymize, const struct capture *capture,
		     struct directory *directory, const char *name, int err)
{
	if (err == -ENOENT)
		return 0;
	if (error_is_shortage(err))
		return fail_anonymized_file(directory, err, capture->path, name);
	info_msg("%s/%s: %s: it is left out", capture->path, name, strerror(-err));
	anonymize->left_out = true;
	return 0;
}

static void report_lines(struct anonymize *anonymize, const struct capture *capture,
			 const char *name, size_t lines)
{
	if (!lines)
		return;
	info_msg("%s/%s: %zu line%s that this version does not know %s left out", capture->path,
		 name, lines, lines == 1 ? "" : "s", lines == 1 ? "is" : "are");
	anonymize->left_out = true;
}

static void report_host(struct anonymize *anonymize, const struct capture *capture,
			const char *name, size_t names)
{
	if (!names)
		return;
	info_msg("%s/%s: %zu name%s the host name in %s, and stay%s", capture->path, name, names,
		 names == 1 ? " has" : "s have", names == 1 ? "it" : "them", names == 1 ? "s" : "");
	anonymize->shows_host = true;
}

static int copy_table(struct anonymize *anonymize, const struct capture *capture, int from,
		      struct directory *directory, const struct anonymize_table *table)
{
	__attribute__((cleanup(free_text))) char *text = NULL;
	int err = read_file(from, table->name, TABLE_BYTES_MAX, &text, NULL);
	struct table_result result;
	FILE *file;

	if (err)
		return leave_out(anonymize, capture, directory, table->name, err);
	file = directory_open(directory, table->name, false);
	if (!file)
		return -EIO;
	err = anonymize_table(&anonymize->substitutes, table, text, file, &result);
	report_lines(anonymize, capture, table->name, result.left_out);
	report_host(anonymize, capture, table->name, result.with_host);
	return finish_file(directory, file, table->name, err);
}

static int copy_symbols(struct anonymize *anonymize, const struct capture *capture,
			struct directory *directory)
{
	__attribute__((cleanup(free_text))) char *path = join_path(capture->path, SYMBOLS_NAME);
	size_t lines = 0;
	int err;

	if (!path)
		return fail_anonymized_file(directory, -ENOMEM, capture->path, SYMBOLS_NAME);
	*directory->errmsg = '\0';
	err = anonymize_symbols(&anonymize->substitutes, path, directory, &lines);
	if (err && *directory->errmsg)
		return err;
	if (err == -ERANGE)
		return fail_anonymized_file(directory, err, capture->path, SYMBOLS_NAME);
	if (err)
		return leave_out(anonymize, capture, directory, SYMBOLS_NAME, err);
	report_lines(anonymize, capture, SYMBOLS_NAME, lines);
	if (capture->symbols.damaged) {
		info_msg("%s/" SYMBOLS_NAME
			 ": is damaged: the symbols after the damage are left out",
			 capture->path);
		anonymize->left_out = true;
	}
	return 0;
}

static int write_anonymized_status(struct anonymize *anonymize, const struct capture *capture,
				   struct directory *directory)
{
	struct status status = capture->status;
	FILE *file;

	for (size_t i = 0; i < capture->unread_count; i++) {
		const struct unread_table *unread = &capture->unread[i];

		if (strcmp(unread->key, "status") != 0)
			continue;
		if (unread->err != -EPROTONOSUPPORT)
			return leave_out(anonymize, capture, directory, STATUS_NAME, unread->err);
		/* without the status, the copy would look as if it were cut off */
		return directory_fail(directory, EPROTONOSUPPORT,
				      "%s/" STATUS_NAME
				      ": its format is newer than this version knows",
				      capture->path);
	}
	file = directory_open(directory, STATUS_NAME, false);
	if (!file)
		return -EIO;
	/* the text of an error may name a file of the user */
	if (!status_stop_is_ordinary(&status))
		snprintf(status.stopped, sizeof(status.stopped), "an error");
	report_lines(anonymize, capture, STATUS_NAME, status.unknown_lines);
	return finish_file(directory, file, STATUS_NAME, status_write(&status, file));
}

static size_t count_host(const struct substitutes *substitutes, const struct metadata *metadata)
{
	return (size_t)substitutes_show_host(substitutes, metadata->release) +
	       substitutes_show_host(substitutes, metadata->version) +
	       substitutes_show_host(substitutes, metadata->source);
}

/* The offset of the clock is the time at which the machine was started, to the nanosecond. */
static int write_anonymized_metadata(struct anonymize *anonymize, const struct capture *capture,
				     struct directory *directory)
{
	struct metadata metadata = capture->metadata;
	FILE *file = directory_open(directory, "metadata", false);

	if (!file)
		return -EIO;
	report_host(anonymize, capture, "metadata", count_host(&anonymize->substitutes, &metadata));
	memcpy(metadata.uuid, anonymize->substitutes.uuid, sizeof(metadata.uuid));
	snprintf(metadata.hostname, sizeof(metadata.hostname), SUBSTITUTE_HOST);
	metadata.wall_offset = 0;
	return finish_file(directory, file, "metadata", metadata_write(&metadata, file));
}

static bool is_table(const char *name)
{
	for (const struct anonymize_table *table = anonymize_tables; table->name; table++)
		if (!strcmp(name, strchr(table->name, '/') + 1))
			return true;
	return false;
}

enum part {
	TOP,
	KERNEL,
	FORMATS,
};

/* Is it a file that is copied, a temporary file, or user_symbols, which has no anonymized form? */
static bool is_known_file(enum part part, const char *name)
{
	static const char *const formats[] = {
		"kmalloc.format",	  "kfree.format",	 "kmem_cache_alloc.format",
		"kmem_cache_free.format", "kmalloc_node.format", "kmem_cache_alloc_node.format"
	};

	switch (part) {
	case TOP:
		if (!strncmp(name, "cpu", 3) && name[3])
			return !name[3 + strspn(name + 3, "0123456789")];
		return !strcmp(name, "metadata") || !strcmp(name, "kernel") ||
		       !strcmp(name, DIRECTORY_RESERVE_NAME) || !strcmp(name, DIRECTORY_PACK_NAME);
	case KERNEL:
		return is_table(name) || !strcmp(name, "status") || !strcmp(name, ".status") ||
		       !strcmp(name, "symbols") || !strcmp(name, "formats") ||
		       !strcmp(name, "user_symbols");
	case FORMATS:
		for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
			if (!strcmp(name, formats[i]))
				return true;
	}
	return false;
}

static int copy_format(struct anonymize *anonymize, const struct capture *capture, int from,
		       struct directory *directory, const char *entry)
{
	__attribute__((cleanup(free_text))) char *text = NULL;
	char name[300];
	FILE *file;
	int err;

	snprintf(name, sizeof(name), "kernel/formats/%s", entry);
	err = read_file(from, name, FORMAT_BYTES_MAX, &text, NULL);
	if (err)
		return leave_out(anonymize, capture, directory, name, err);
	file = directory_open(directory, name, false);
	if (!file)
		return -EIO;
	fputs(text, file);
	return finish_file(directory, file, name, text_write_result(file));
}

/* Names the files that this version does not know, and copies the formats. */
static int look_through(struct anonymize *anonymize, const struct capture *capture, int from,
			struct directory *directory, enum part part)
{
	static const char *const paths[] = { ".", "kernel", "kernel/formats" };
	__attribute__((cleanup(close_directory))) DIR *list = NULL;
	int err = 0, list_err = 0, fd = inside_open_directory(from, paths[part]);
	const char *name;

	list = fd < 0 ? NULL : fdopendir(fd);
	if (!list && fd >= 0)
		close(fd);
	if (!list)
		return leave_out(anonymize, capture, directory, paths[part], fd < 0 ? fd : -ENOMEM);
	while (!err && (name = inside_next(list, &list_err))) {
		if (!is_known_file(part, name)) {
			info_msg("%s/%s%s%s: this version does not know this file: it is left out",
				 capture->path, part == TOP ? "" : paths[part],
				 part == TOP ? "" : "/", name);
			anonymize->left_out = true;
		} else if (part == FORMATS) {
			err = copy_format(anonymize, capture, from, directory, name);
		}
	}
	return list_err ? leave_out(anonymize, capture, directory, paths[part], list_err) : err;
}

int anonymize_files(struct anonymize *anonymize, const struct capture *capture, int from,
		    struct directory *directory)
{
	int err = look_through(anonymize, capture, from, directory, TOP);

	if (!err)
		err = look_through(anonymize, capture, from, directory, KERNEL);
	if (!err)
		err = look_through(anonymize, capture, from, directory, FORMATS);
	for (const struct anonymize_table *table = anonymize_tables; !err && table->name; table++)
		err = copy_table(anonymize, capture, from, directory, table);
	if (!err)
		err = copy_symbols(anonymize, capture, directory);
	if (!err)
		err = write_anonymized_status(anonymize, capture, directory);
	return err ? err : write_anonymized_metadata(anonymize, capture, directory);
}
