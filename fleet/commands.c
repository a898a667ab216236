// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The commands of kmemtrace-fleet. */
#include "config.h"

#include "cli/message.h"
#include "fleet/drop.h"
#include "fleet/load.h"
#include "fleet/options.h"
#include "fleet/question.h"

static int init_store(struct store *store, const struct fleet_options *options)
{
	(void)options;
	return store->ops->init(store) ? error_msg("%s", store->errmsg) : EXIT_OK;
}

const struct fleet_command fleet_commands[] = {
	{ .name = "load",
	  .arguments = "FILE|DIR...",
	  .summary = "load files of summaries; those of a directory end with .kms",
	  .arguments_min = 1,
	  .arguments_max = -1,
	  .mode = STORE_WRITE,
	  .run = load_files },
	{ .name = "init",
	  .arguments = "",
	  .summary = "make an empty store",
	  .mode = STORE_INIT,
	  .run = init_store },
	{ .name = "drop",
	  .arguments = "[TIME]",
	  .summary = "drop the days before a date or an age, as 30d, or hosts",
	  .arguments_max = 1,
	  .mode = STORE_WRITE,
	  .takes_time = true,
	  .run = drop_rows },
	{ .name = "growth",
	  .arguments = "",
	  .summary = "functions that hold more and more memory, and their hosts",
	  .has_by = true,
	  .ask = question_growth },
	{ .name = "versions",
	  .arguments = "[A B]",
	  .summary = "changes that came with a version of the kernel",
	  .arguments_max = 2,
	  .takes_kernels = true,
	  .has_by = true,
	  .ask = question_versions },
	{ .name = "outliers",
	  .arguments = "",
	  .summary = "hosts that are far from others of the same kernel and role",
	  .has_by = true,
	  .has_figure = true,
	  .ask = question_outliers },
	{ .name = "top",
	  .arguments = "",
	  .summary = "who allocates how much",
	  .has_by = true,
	  .ask = question_top },
	{ .name = "hosts",
	  .arguments = "",
	  .summary = "the hosts, and their missing intervals",
	  .ask = question_hosts },
	{ .name = "history",
	  .arguments = "HOST",
	  .summary = "one host over time",
	  .arguments_min = 1,
	  .arguments_max = 1,
	  .takes_host = true,
	  .ask = question_history },
	{ .name = "sql",
	  .arguments = "QUERY",
	  .summary = "any query of the tables intervals and figures",
	  .arguments_min = 1,
	  .arguments_max = 1,
	  .ask = question_sql },
};

const size_t fleet_command_count = sizeof(fleet_commands) / sizeof(*fleet_commands);
