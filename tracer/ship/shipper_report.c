// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads what a process with fewer privileges says: its text has any bytes. */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/utc.h"
#include "tracer/ship/shipper_report.h"

static void read_time(struct line *line, uint64_t *time)
{
	char text[SHIPPER_TEXT];

	line_word(line, text, sizeof(text));
	if (!utc_parse(text, strlen(text), time))
		*time = 0;
}

static void take_line(struct shipper_report *report, struct line *line)
{
	if (line_key(line, "sent"))
		line_u64(line, 10, &report->sent);
	else if (line_key(line, "dropped"))
		line_u64(line, 10, &report->dropped);
	else if (line_key(line, "waiting_bytes"))
		line_u64(line, 10, &report->waiting);
	else if (line_key(line, "last_sent"))
		read_time(line, &report->last_sent);
	else if (line_key(line, "failing_since"))
		read_time(line, &report->failing_since);
	else if (line_key(line, "failed") && !*report->failure)
		line_rest(line, report->failure, sizeof(report->failure));
}

void shipper_report_parse(struct shipper_report *report, const char *text)
{
	uint64_t last_sent = report->last_sent;
	struct line line;

	*report = (struct shipper_report){ 0 };
	while (line_next(&line, &text))
		take_line(report, &line);
	if (!report->last_sent)
		report->last_sent = last_sent;
}

bool shipper_report_receive(struct shipper_report *report, int socket)
{
	struct shipper_report next;

	if (read(socket, &next, sizeof(next)) != sizeof(next))
		return false;
	next.failure[sizeof(next.failure) - 1] = '\0';
	*report = next;
	return true;
}
