// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* kmemtrace-fleet: stores the summaries of many hosts, and answers questions about all of them. */
#include "config.h"

#include "cli/memory_limit.h"
#include "cli/message.h"
#include "cli/stop.h"
#include "fleet/options.h"
#include "fleet/question.h"
#include "fleet/store.h"

int main(int argc, char **argv)
{
	struct fleet_options options;
	struct store store;
	int status;

	fleet_options_parse(&options, argc, argv);
	memory_limit_set(options.max_memory);
	if (!options.command->ask)
		stop_handle_signals(NULL);
	if (store_open(&store, options.db, options.command->mode, &options.store))
		status = error_msg("%s", store.errmsg);
	else if (options.command->ask)
		status = question_answer(&store, &options);
	else
		status = options.command->run(&store, &options);
	store_close(&store);
	return status;
}
