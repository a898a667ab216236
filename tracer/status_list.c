// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Makes a table of the status files. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "base/inside.h"
#include "base/utc.h"
#include "cli/message.h"
#include "report/render/render.h"
#include "tracer/modes.h"
#include "tracer/status_file.h"

#define KIB 1024

enum {
	PID,
	SINCE,
	EVENTS,
	COUNTED,
	LOST,
	SKIPPED,
	MEMORY,
	DISK,
	PIECES,
	DUMPS,
	FREE,
	SUMMARIES,
	SUMMARY_ERRORS,
	SHIPPED,
	SHIP_WAITING,
	SHIP_DROPPED,
	FIRED,
	CAPTURE,
	PUBLISHED,
	OPTIONS,
	TRIGGER,
	DOUBTS,
	DUMP,
	DUMP_TIME,
	DUMP_TRIGGER,
	DUMP_FAILURE,
	LAST_SUMMARY,
	LAST_SHIPPED,
	SHIPPING,
	COLUMNS
};

static const struct column columns[COLUMNS] = {
	[PID] = { "pid", "PROCESS", "", COLUMN_ID },
	[SINCE] = { "since", "SINCE", "", COLUMN_TEXT },
	[EVENTS] = { "events", "EVENTS", "", COLUMN_NULLABLE },
	[COUNTED] = { "counted", "COUNTED", "", COLUMN_NULLABLE, .where = COLUMN_IN_TEXT_IF_USED },
	[LOST] = { "lost", "LOST", "", COLUMN_NULLABLE },
	[SKIPPED] = { "skipped", "SKIPPED", "", COLUMN_NULLABLE },
	[MEMORY] = { "memory_bytes", "MEMORY", "bytes", COLUMN_NULLABLE },
	[DISK] = { "disk_bytes", "DISK", "bytes", COLUMN_NULLABLE },
	[PIECES] = { "pieces", "PIECES", "", COLUMN_NULLABLE, .where = COLUMN_IN_TEXT_IF_USED },
	[DUMPS] = { "dumps", "DUMPS", "", COLUMN_NULLABLE, .where = COLUMN_IN_TEXT_IF_USED },
	[FREE] = { "free_bytes", "FREE", "bytes", COLUMN_NULLABLE },
	[SUMMARIES] = { "summaries", "SUMMARIES", "", COLUMN_NULLABLE,
			.where = COLUMN_IN_TEXT_IF_USED },
	[SUMMARY_ERRORS] = { "summary_errors", "NOT WRITTEN", "", COLUMN_NULLABLE,
			     .where = COLUMN_IN_TEXT_IF_USED },
	[SHIPPED] = { "shipped", "SHIPPED", "", COLUMN_NULLABLE, .where = COLUMN_IN_TEXT_IF_USED },
	[SHIP_WAITING] = { "ship_waiting_bytes", "TO SHIP", "bytes", COLUMN_NULLABLE,
			   .where = COLUMN_IN_TEXT_IF_USED },
	[SHIP_DROPPED] = { "ship_dropped", "DROPPED", "", COLUMN_NULLABLE,
			   .where = COLUMN_IN_TEXT_IF_USED },
	[FIRED] = { "fired", "FIRED", "", COLUMN_NULLABLE, .where = COLUMN_IN_TEXT_IF_USED },
	[CAPTURE] = { "capture", "capture", "", COLUMN_TEXT, .where = COLUMN_BELOW },
	[PUBLISHED] = { "published", "published", "", COLUMN_TEXT, .where = COLUMN_BELOW },
	[OPTIONS] = { "options", "options", "", COLUMN_TEXT, .where = COLUMN_BELOW },
	[TRIGGER] = { "trigger", "last trigger", "", COLUMN_TEXT, .where = COLUMN_BELOW },
	[DOUBTS] = { "unknown_names", "unknown names", "", COLUMN_TEXT, .where = COLUMN_BELOW },
	[DUMP] = { "last_dump", "last dump", "", COLUMN_TEXT, .where = COLUMN_BELOW },
	[DUMP_TIME] = { "last_dump_time", "dump written", "", COLUMN_TEXT, .where = COLUMN_BELOW },
	[DUMP_TRIGGER] = { "last_dump_trigger", "dump because of", "", COLUMN_TEXT,
			   .where = COLUMN_BELOW },
	[DUMP_FAILURE] = { "dump_failure", "dump failed", "", COLUMN_TEXT, .where = COLUMN_BELOW },
	[LAST_SUMMARY] = { "last_summary", "last summary", "", COLUMN_TEXT, .where = COLUMN_BELOW },
	[LAST_SHIPPED] = { "last_shipped", "last shipped", "", COLUMN_TEXT, .where = COLUMN_BELOW },
	[SHIPPING] = { "not_shipping", "not shipping", "", COLUMN_TEXT, .where = COLUMN_BELOW },
};

/* The resident memory of the process. */
static uint64_t read_memory(uint64_t pid)
{
	__attribute__((cleanup(close_file))) FILE *file = NULL;
	uint64_t kib = 0;
	char path[64], line[256];

	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmRSS: %" SCNu64, &kib) == 1)
			return kib * KIB;
	return CELL_UNKNOWN;
}

/* The texts become the table's. */
static int add_daemon_row(struct table *table, struct daemon_status *status)
{
	struct cell *row = table_add(table);
	char since[40];

	if (!row)
		return -ENOMEM;
	utc_text_second(status->since, since, sizeof(since));
	row[PID].number = status->pid;
	row[SINCE].text = strdup(since);
	row[EVENTS].number = status->events;
	row[COUNTED].number = status->counted;
	row[LOST].number = status->lost;
	row[SKIPPED].number = status->skipped;
	row[MEMORY].number = read_memory(status->pid);
	row[DISK].number = status->disk;
	row[PIECES].number = status->pieces;
	row[DUMPS].number = status->dumps;
	row[FREE].number = status->free;
	row[SUMMARIES].number = status->summaries;
	row[SUMMARY_ERRORS].number = status->summary_errors;
	row[SHIPPED].number = status->shipped;
	row[SHIP_WAITING].number = status->ship_waiting;
	row[SHIP_DROPPED].number = status->ship_dropped;
	row[FIRED].number = status->fired;
	row[CAPTURE].text = status->capture;
	row[PUBLISHED].text = status->published;
	row[OPTIONS].text = status->options;
	row[TRIGGER].text = status->trigger;
	row[DOUBTS].text = status->doubts;
	row[DUMP].text = status->dump;
	row[DUMP_TIME].text = status->dump_time;
	row[DUMP_TRIGGER].text = status->dump_trigger;
	row[DUMP_FAILURE].text = status->dump_failure;
	row[LAST_SUMMARY].text = status->last_summary;
	row[LAST_SHIPPED].text = status->last_shipped;
	row[SHIPPING].text = status->shipping;
	*status = (struct daemon_status){ 0 };
	return row[SINCE].text ? 0 : -ENOMEM;
}

/* A file that ends meanwhile, or has another format, is not of a running kmemtraced. */
static int add_file(struct table *table, int directory, const char *name)
{
	struct daemon_status status;
	int err;

	if (!status_file_is_name(name))
		return 0;
	err = status_file_read(directory, name, &status);
	if (err == -ENOENT || err == -ENODATA)
		return 0;
	if (err) {
		error_msg(STATUS_FILE_DIRECTORY "/%s: %s", name,
			  err == -EAGAIN ? "it is damaged" : strerror(-err));
		return err == -ENOMEM ? err : 0;
	}
	err = add_daemon_row(table, &status);
	daemon_status_deinit(&status);
	return err;
}

static int make_table(struct table *table)
{
	__attribute__((cleanup(close_directory))) DIR *list = opendir(STATUS_FILE_DIRECTORY);
	const char *name;
	int err = 0;

	if (!list)
		return errno == ENOENT ? 0 : -errno;
	while ((name = inside_next(list, &err)))
		err = add_file(table, dirfd(list), name);
	return err ? err : table_sort(table, "pid");
}

static int print_daemons(const struct renderer *renderer, const struct table *table)
{
	const struct output output = { .file = stdout };
	struct header header = { 0 };
	struct utsname machine;
	int err = 0;

	if (!table->rows && renderer->for_people) {
		puts("No kmemtraced is running.");
		return 0;
	}
	if (!uname(&machine))
		err = header_add_line(&header, "kernel", false, "%s: Linux %s %s", machine.nodename,
				      machine.release, machine.machine);
	if (!err)
		err = renderer->print(&output, &header, table, 1);
	header_deinit(&header);
	return err;
}

int status_list_run(const struct options *options)
{
	struct table table;
	int err, result;

	table_init(&table, columns, COLUMNS);
	table.key = "daemons";
	err = make_table(&table);
	if (!err)
		err = print_daemons(options->count.renderer, &table);
	if (err)
		result = error_msg(STATUS_FILE_DIRECTORY ": %s", strerror(-err));
	else
		result = table.rows ? EXIT_OK : EXIT_FINDINGS;
	table_deinit(&table);
	return close_stdout(result);
}
