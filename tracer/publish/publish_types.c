// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Samples are not counted by type: then the file has no types. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/number.h"
#include "live/stats/type_stats.h"
#include "tracer/host/snapshot.h"
#include "tracer/load/machine.h"
#include "tracer/publish/publish_types.h"

#define SLABINFO_BYTES_MAX ((size_t)64 << 20)
#define SLABINFO_EVERY 1000000000ULL /* ns */

struct publish_types {
	struct type_stats type_stats;
	struct stats_file *file; /* NULL: none */
	uint64_t slabinfo;	 /* ns: when slabinfo was last read */
	/* for several threads, with atomic operations */
	int space_err;	      /* errno of the first failure for lack of space in the file system */
	size_t types_omitted; /* at that failure: the number of omitted types */
	bool space_reported;
};

static struct publish_types *types_of(const struct publish *publish)
{
	return publish_state(publish, ONLINE_types);
}

static bool needs_types(const struct publish *publish)
{
	return types_of(publish)->file;
}

static bool counts_types(const struct publish *publish)
{
	return needs_types(publish) && !publish->settings.estimate;
}

static int start_types(struct publish *publish, struct error *error)
{
	const struct publish_settings *settings = &publish->settings;
	const struct stats_file_settings file = {
		.path = settings->path,
		.group = settings->group,
		.group_name = settings->group_name,
		.cpus = settings->cpus,
		.types_max = { [TYPE_STATS_FUNCTION] = PUBLISH_FUNCTIONS,
			       [TYPE_STATS_CACHE] = PUBLISH_CACHES },
	};

	return settings->path ? stats_file_create(&types_of(publish)->file, &file, error) : 0;
}

static bool find_place(const struct publish *publish, struct online_place *place)
{
	const struct stats_file *file = types_of(publish)->file;

	if (file)
		*place = (struct online_place){ stats_file_directory(file), CONFINE_RENAME, 0 };
	return file;
}

static int open_types(struct publish *publish)
{
	const struct type_stats_settings settings = {
		.types_max = { [TYPE_STATS_FUNCTION] = PUBLISH_FUNCTIONS,
			       [TYPE_STATS_CACHE] = PUBLISH_CACHES },
	};
	struct type_stats *type_stats = &types_of(publish)->type_stats;
	int err = type_stats_init(type_stats, &publish->capture, &settings);

	type_stats->generation = 1;
	return err;
}

static int take_types_transition(struct publish *publish, const struct analysis *analysis,
				 const struct transition *transition)
{
	return publish->settings.estimate ? 0
					  : type_stats_on_transition(&types_of(publish)->type_stats,
								     analysis, transition);
}

static int take_types_tally(struct publish *publish, const struct analysis *analysis,
			    const struct tally *tally, unsigned int cpu,
			    const struct tally_count *count)
{
	return type_stats_add_tally(&types_of(publish)->type_stats, analysis, tally, cpu, count);
}

static int reload_types_symbols(struct publish *publish)
{
	return type_stats_reload_symbols(&types_of(publish)->type_stats);
}

/* Updates the free objects of the caches to the present numbers, maybe newer than the watermark. */
static int update_slabinfo(struct publish_types *types)
{
	struct slabinfo_snapshot snapshot;
	uint64_t now = machine_now();
	int err;

	if (now - types->slabinfo < SLABINFO_EVERY)
		return 0;
	types->slabinfo = now;
	err = snapshot_read_slabinfo(&snapshot, now);
	if (err)
		return err == -ENOMEM ? err : 0; /* keep the numbers from before */
	err = type_stats_slabinfo(&types->type_stats, NULL, &snapshot);
	slabinfo_snapshot_deinit(&snapshot);
	return err;
}

/*
 * Stores the first failure for lack of space. It may concern only the counters of a CPU, or whole
 * types.
 */
static void check_space(struct publish_types *types)
{
	struct stats_file_omitted omitted;

	if (types->space_err)
		return;
	stats_file_omitted(types->file, &types->type_stats, &omitted);
	types->types_omitted = omitted.types;
	__atomic_store_n(&types->space_err, omitted.err, __ATOMIC_RELEASE);
}

uint64_t publish_lost(const struct publish *publish, const struct watermark *watermark)
{
	const struct missing missing =
		watermark_missing(watermark, online_analysis(publish->online));
	uint64_t lost = missing_events(&missing);

	number_add(&lost, types_of(publish)->type_stats.omitted_events);
	/* objects of a cache whose name was lost may count for another cache */
	return missing.names_lost ? STATS_FILE_LOST_UNKNOWN : lost;
}

static int step_types(struct publish *publish, const struct watermark *watermark, uint64_t time)
{
	struct publish_types *types = types_of(publish);
	const struct stats_snapshot snapshot = { .time = time,
						 .begin = watermark->begin,
						 .with_base = publish->settings.with_base,
						 .paths = publish->paths,
						 .lost = publish_lost(publish, watermark) };
	int err = counts_types(publish) ? update_slabinfo(types) : 0;

	if (err)
		return err;
	stats_file_write(types->file, &types->type_stats, &snapshot);
	check_space(types);
	types->type_stats.generation++;
	return 0;
}

static bool report_types_failure(struct publish *publish, struct error *error)
{
	struct publish_types *types = types_of(publish);
	int err = __atomic_load_n(&types->space_err, __ATOMIC_ACQUIRE);

	if (!err || types->space_reported)
		return false;
	types->space_reported = true;
	if (types->types_omitted)
		error_format(error, err, "%s: %s: %zu type%s omitted: make room in the file system",
			     publish->settings.path, strerror(err), types->types_omitted,
			     types->types_omitted == 1 ? " is" : "s are");
	else
		error_format(
			error, err,
			"%s: %s: the counters of some CPUs are omitted: make room in the file system",
			publish->settings.path, strerror(err));
	return true;
}

static int end_types(struct publish *publish, struct error *error)
{
	struct publish_types *types = types_of(publish);
	struct stats_file_omitted omitted = { 0 };
	int err;

	if (types->file)
		stats_file_omitted(types->file, &types->type_stats, &omitted);
	publish->omitted = types->type_stats.omitted_events + omitted.events;
	err = stats_file_remove(types->file);

	types->file = NULL;
	if (err)
		error_format(error, err, "%s: cannot be removed: %s", publish->settings.path,
			     strerror(-err));
	return err;
}

static void close_types(struct publish *publish)
{
	struct publish_types *types = types_of(publish);

	stats_file_remove(types->file);
	if (types->type_stats.parts)
		type_stats_deinit(&types->type_stats);
}

const struct online_counter online_types = {
	.state_bytes = sizeof(struct publish_types),
	.start = start_types,
	.find_place = find_place,
	.is_needed = needs_types,
	.open = open_types,
	.take = take_types_transition,
	.take_tally = take_types_tally,
	.symbols_changed = reload_types_symbols,
	.step = step_types,
	.failed = report_types_failure,
	.end = end_types,
	.close = close_types,
};

int publish_initial_counts(struct publish *publish, const char *directory, struct error *error)
{
	struct slabinfo slabinfo = { 0 };
	char path[4096], *text = NULL;
	int err = 0;

	if (!counts_types(publish))
		return 0;
	snprintf(path, sizeof(path), "%s/kernel/slabinfo", directory);
	err = read_file(AT_FDCWD, path, SLABINFO_BYTES_MAX, &text, NULL);
	if (err == -ENOENT)
		return 0; /* the kernel has no slabinfo */
	if (!err)
		err = slabinfo_parse(&slabinfo, text);
	if (!err && slabinfo.count)
		err = type_stats_slabinfo(&types_of(publish)->type_stats, &slabinfo.snapshots[0],
					  &slabinfo.snapshots[0]);
	slabinfo_deinit(&slabinfo);
	free(text);
	if (err)
		error_set_at(error, err, "kernel/slabinfo");
	return err;
}

const struct stats_file *publish_stats_file(const struct publish *publish)
{
	return types_of(publish)->file;
}
