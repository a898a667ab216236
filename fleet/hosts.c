// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The question hosts: which hosts are there, and what is missing of each. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "fleet/question.h"

enum host_column {
	HOST_NAME,
	HOST_MISSING,
	HOST_SILENT,
	HOST_INTERVALS,
	HOST_RUNS,
	HOST_LOST,
	HOST_RECORDED,
	HOST_CPU,
	HOST_RESIDENT,
	HOST_LAST,
	HOST_KERNEL,
	HOST_ROLE,
	HOST_BEGIN,
	HOST_END,
	HOST_AHEAD,
	HOST_BEHIND,
};

static const struct column columns[] = {
	{ .key = "host", .header = "host", .unit = "", .type = COLUMN_TEXT, .legend = "its name" },
	{ .key = "missing",
	  .header = "missing",
	  .unit = "",
	  .type = COLUMN_NUMBER,
	  .legend = "intervals that are missing in a run" },
	{ .key = "silent",
	  .header = "silent",
	  .unit = "",
	  .type = COLUMN_NUMBER,
	  .legend = "intervals since its last one" },
	{ .key = "intervals",
	  .header = "intervals",
	  .unit = "",
	  .type = COLUMN_NUMBER,
	  .legend = "intervals that are there" },
	{ .key = "runs",
	  .header = "runs",
	  .unit = "",
	  .type = COLUMN_NUMBER,
	  .legend = "runs of kmemtraced: a reboot begins another" },
	{ .key = "absent",
	  .header = "lost",
	  .unit = "events",
	  .type = COLUMN_NUMBER,
	  .legend = "events lost, skipped or uncounted" },
	{ .key = "recorded",
	  .header = "events",
	  .unit = "",
	  .type = COLUMN_NUMBER,
	  .where = COLUMN_NOT_IN_TEXT },
	{ .key = "cpu_percent",
	  .header = "cost",
	  .unit = "% CPU",
	  .type = COLUMN_DECIMAL,
	  .decimals = 2,
	  .legend = "CPU time of kmemtraced, in percent of one CPU" },
	{ .key = "resident_bytes",
	  .header = "memory",
	  .unit = "bytes",
	  .type = COLUMN_NUMBER,
	  .where = COLUMN_NOT_IN_TEXT,
	  .legend = "the most memory that kmemtraced had" },
	{ .key = "last",
	  .header = "last",
	  .unit = "",
	  .type = COLUMN_TEXT,
	  .where = COLUMN_IF_ROOM,
	  .legend = "the end of its last interval, by its own clock" },
	{ .key = "kernel",
	  .header = "kernel",
	  .unit = "",
	  .type = COLUMN_TEXT,
	  .where = COLUMN_IF_ROOM,
	  .legend = "that it ran last" },
	{ .key = "role",
	  .header = "role",
	  .unit = "",
	  .type = COLUMN_TEXT,
	  .where = COLUMN_IF_ROOM,
	  .legend = "as the user named it" },
	{ .key = "begin",
	  .header = "begin",
	  .unit = "ns",
	  .type = COLUMN_NULLABLE,
	  .where = COLUMN_NOT_IN_TEXT },
	{ .key = "end",
	  .header = "end",
	  .unit = "ns",
	  .type = COLUMN_NULLABLE,
	  .where = COLUMN_NOT_IN_TEXT },
	{ .key = "clock_ahead",
	  .header = "ahead",
	  .unit = "ns",
	  .type = COLUMN_NUMBER,
	  .where = COLUMN_NOT_IN_TEXT },
	{ .key = "clock_behind",
	  .header = "behind",
	  .unit = "ns",
	  .type = COLUMN_NUMBER,
	  .where = COLUMN_NOT_IN_TEXT },
};

static int add_host_row(struct question *question, const struct coverage_host *host)
{
	struct cell *row = table_add(&question->table);
	char date[DATE_SIZE];

	if (!row)
		return -ENOMEM;
	row[HOST_NAME].text = strdup(host->name);
	row[HOST_MISSING].number = host->gaps;
	row[HOST_SILENT].number = host->silent;
	row[HOST_INTERVALS].number = host->intervals;
	row[HOST_RUNS].number = host->runs;
	row[HOST_LOST].number = missing_events(&host->missing);
	row[HOST_RECORDED].number = host->missing.recorded;
	row[HOST_CPU].decimal = host->covered ? 100.0 * (double)host->cpu_ns / (double)host->covered
					      : NAN;
	row[HOST_RESIDENT].number = host->resident;
	row[HOST_LAST].text = strdup(host->seen ? date_text(host->end, date) : "never seen");
	row[HOST_KERNEL].text = strdup(host->kernel ? host->kernel : "");
	row[HOST_ROLE].text = strdup(host->role ? host->role : "");
	row[HOST_BEGIN].number = host->seen ? host->begin : CELL_UNKNOWN;
	row[HOST_END].number = host->seen ? host->end : CELL_UNKNOWN;
	row[HOST_AHEAD].number = host->ahead;
	row[HOST_BEHIND].number = host->behind;
	return row[HOST_NAME].text && row[HOST_LAST].text && row[HOST_KERNEL].text &&
			       row[HOST_ROLE].text
		       ? 0
		       : -ENOMEM;
}

int question_hosts(struct question *question)
{
	const struct coverage *coverage = &question->coverage;
	int err = question_set_table(question, "hosts", columns, sizeof(columns) / sizeof(*columns),
				     false);

	question->table.sort = "-silent,-missing,host";
	question->table.empty = "No host is known.";
	for (size_t i = 0; !err && i < coverage->count; i++)
		err = add_host_row(question, &coverage->hosts[i]);
	return err;
}
