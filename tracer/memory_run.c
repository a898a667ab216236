// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads who has the memory of this machine, and prints the view where of it. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "cli/exit_status.h"
#include "cli/message.h"
#include "report/render/render.h"
#include "report/views/view.h"
#include "tracer/host/where_files.h"
#include "tracer/load/machine.h"
#include "tracer/modes.h"

#define NSEC_PER_SEC UINT64_C(1000000000)

/* With a duration, once before it and once after it. 0 or -errno. */
static int read_where(struct where *where, uint64_t duration)
{
	struct timespec time = { .tv_sec = (time_t)(duration / NSEC_PER_SEC),
				 .tv_nsec = (long)(duration % NSEC_PER_SEC) };
	int err = where_files_read(&where->list[0], machine_now);

	where->count = !err;
	if (err || !duration)
		return err;
	while (nanosleep(&time, &time) && errno == EINTR)
		;
	err = where_files_read(&where->list[1], machine_now);
	where->count += !err;
	return err;
}

static int print_where(struct report *report)
{
	const struct output output = { .file = stdout, .width = render_width() };
	struct header header = { 0 };
	struct utsname machine;
	struct table *table;
	int err = report->view->make(report);

	table = &report->tables[0];
	/* kmemtraced has no --legend */
	for (size_t i = 0; i < table->column_count; i++)
		table->chosen[i].legend = NULL;
	if (!err)
		err = table_sort(table, table->sort);
	if (!err && !uname(&machine))
		err = header_add_line(&header, "kernel", false, "%s: Linux %s %s", machine.nodename,
				      machine.release, machine.machine);
	if (!err)
		err = report->view->add_header(report, &header);
	if (!err)
		err = report->renderer->print(&output, &header, report->tables,
					      report->table_count);
	header_deinit(&header);
	return err;
}

int memory_run(const struct options *options)
{
	struct capture *machine = calloc(1, sizeof(*machine));
	struct report report = {
		.view = &view_where,
		.capture = machine,
		.renderer = options->count.renderer,
	};
	int err = machine ? read_where(&machine->where, options->duration_ns) : -ENOMEM;

	if (err) {
		err = error_msg("/proc/meminfo: %s", strerror(-err));
	} else {
		err = print_where(&report);
		err = err ? error_msg("%s", strerror(-err)) : EXIT_OK;
	}
	for (size_t i = 0; i < report.table_count; i++)
		table_deinit(&report.tables[i]);
	if (machine)
		where_deinit(&machine->where);
	free(machine);
	return close_stdout(err);
}
