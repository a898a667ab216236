// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The options of --metrics. */
#include "config.h"

#include <string.h>

#include "live/stats/metrics.h"
#include "live/stats/metrics_file.h"
#include "live/stats/metrics_owners.h"
#include "tracer/publish/metrics_options.h"

#define INTERVAL_LEAST 100000000ULL /* as often as the publishing thread has new figures */

static void check_metrics_name(struct argp_state *state, const char *path)
{
	size_t suffix = strlen(METRICS_FILE_SUFFIX), length = strlen(path);

	if (length < suffix || strcmp(path + length - suffix, METRICS_FILE_SUFFIX) != 0)
		option_error(state,
			     "--metrics %s: the name must end in " METRICS_FILE_SUFFIX
			     ": the textfile collector reads no other file",
			     path);
}

#define AT(member) OPTION_AT(struct metrics_options, member)

const struct option_row metrics_rows[] = {
	{ .help = "Metrics for Prometheus:" },
	{ "metrics", 0, "FILE",
	  "Write metrics to FILE, whose name ends in " METRICS_FILE_SUFFIX
	  ", for the textfile collector of node_exporter: live bytes, allocations and frees by slab cache and by function",
	  AT(path), .kind = ARGUMENT_PATH, .parse = check_metrics_name },
	{ "metrics-interval", 0, "SECONDS",
	  "Write them every SECONDS, at least 100ms (default: 15)", AT(interval_ns),
	  .kind = ARGUMENT_DURATION, .least = INTERVAL_LEAST, .needs = "metrics", .reloads = true,
	  .words = "15|30|1m" },
	{ "metrics-top", 0, "N",
	  "Name the N caches and the N functions with the most live bytes, and up to N more that were among them before (default: 50)",
	  AT(top), .kind = ARGUMENT_NUMBER, .least = 1, .most = METRICS_ROWS_MAX, .unit = "rows",
	  .needs = "metrics", .words = "20|50|200" },
	{ "metrics-owners", 0, "N",
	  "Also write the live bytes of the N task names and the N containers with the most (default: 10; 0: none)",
	  AT(owners), .kind = ARGUMENT_NUMBER, .least = 0, .most = METRICS_OWNERS_MAX,
	  .unit = "names", .needs = "metrics", .words = "0|10|50" },
	{ 0 },
};
