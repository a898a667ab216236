// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads the published snapshots until the publisher ends; then checks that the capture of the same
 * time gives the same statistics at the times of the snapshots. With a file only: reads it once.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/analysis.h"
#include "live/stats/stats_file.h"
#include "live/stats/type_stats.h"

#define SNAPSHOTS_MAX 4096

/* A copy of a published type: the values that the file and a capture both have. */
struct type_copy {
	enum type_stats_kind kind;
	char *name;
	struct type_stats_type type;
	struct type_stats_cpu *cpus;
};

struct snapshot {
	struct stats_snapshot about;
	struct type_copy *list;
	size_t count, cpus;
};

static struct snapshot snapshots[SNAPSHOTS_MAX];
static size_t snapshot_count;

__attribute__((format(printf, 1, 2), noreturn)) static void end_with(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(1);
}

static void *copy_memory(const void *from, size_t size)
{
	void *to = malloc(size ? size : 1);

	if (!to)
		end_with("no memory");
	return size ? memcpy(to, from, size) : to;
}

static void store_snapshot(const struct stats_file_view *view)
{
	struct snapshot *snapshot = &snapshots[snapshot_count];

	snapshot->about = view->snapshot;
	snapshot->count = view->count;
	snapshot->cpus = view->cpus;
	snapshot->list = copy_memory("", 0);
	snapshot->list = realloc(snapshot->list, (view->count + 1) * sizeof(*snapshot->list));
	if (!snapshot->list)
		end_with("no memory");
	for (size_t i = 0; i < view->count; i++) {
		const struct type_stats_type *type = &view->types[i];

		snapshot->list[i] = (struct type_copy){
			.kind = type->kind,
			.name = copy_memory(type->name, strlen(type->name) + 1),
			.type = *type,
			.cpus = calloc(view->cpus, sizeof(*type->cpus)),
		};
		if (!snapshot->list[i].cpus || type->cpu_count > view->cpus)
			end_with("%s: %zu CPUs of %zu", type->name, type->cpu_count, view->cpus);
		memcpy(snapshot->list[i].cpus, type->cpus, type->cpu_count * sizeof(*type->cpus));
	}
	snapshot_count++;
}

/* The counters that never decrease, as an array. */
#define GROWING 9

static void list_growing(const struct type_stats_type *type, uint64_t *values)
{
	const uint64_t list[GROWING] = {
		type->numallocs, type->numfrees,	type->memalloced,
		type->memfreed,	 type->sizemask,	type->failures,
		type->xdomain,	 type->frees_unmatched, type->initial_count,
	};

	memcpy(values, list, sizeof(list));
}

static const char *const growing[GROWING] = {
	"numallocs", "numfrees", "memalloced",	    "memfreed", "sizemask",
	"failures",  "xdomain",	 "frees_unmatched", "base",
};

static void check_alone(const struct type_copy *one, size_t cpus)
{
	uint64_t numallocs = 0, numfrees = 0;

	if (one->type.numfrees > one->type.numallocs)
		end_with("%s: %" PRIu64 " frees of %" PRIu64 " allocations", one->name,
			 one->type.numfrees, one->type.numallocs);
	for (size_t i = 0; i < cpus; i++) {
		numallocs += one->cpus[i].numallocs;
		numfrees += one->cpus[i].numfrees;
	}
	if (numallocs != one->type.numallocs || numfrees > one->type.numfrees)
		end_with("%s: its CPUs have other sums: %" PRIu64 " of %" PRIu64 ", %" PRIu64
			 " of %" PRIu64,
			 one->name, numallocs, one->type.numallocs, numfrees, one->type.numfrees);
}

/* No counter is smaller than in the snapshot before. */
static void check_growth(const struct snapshot *before, const struct snapshot *after)
{
	if (after->about.time <= before->about.time || after->about.begin != before->about.begin ||
	    after->about.lost < before->about.lost || after->count < before->count)
		end_with("snapshot %" PRIu64 " comes after %" PRIu64 " and has less",
			 after->about.time, before->about.time);
	for (size_t i = 0; i < before->count; i++) {
		const struct type_copy *old = &before->list[i], *new = &after->list[i];
		uint64_t was[GROWING], is[GROWING];

		if (strcmp(old->name, new->name) || old->kind != new->kind)
			end_with("%s became %s", old->name, new->name);
		list_growing(&old->type, was);
		list_growing(&new->type, is);
		for (size_t k = 0; k < GROWING; k++)
			if (is[k] < was[k])
				end_with("%s: %s was %" PRIu64 " and is %" PRIu64, new->name,
					 growing[k], was[k], is[k]);
		for (size_t k = 0; k < before->cpus; k++)
			if (new->cpus[k].numallocs < old->cpus[k].numallocs ||
			    new->cpus[k].numfrees < old->cpus[k].numfrees)
				end_with("%s: CPU %zu has smaller counters", new->name, k);
	}
}

static void follow_file(const char *path, size_t enough)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	struct stats_file_view view = { 0 };
	unsigned int tries = 0;
	int err;

	while (snapshot_count < SNAPSHOTS_MAX) {
		nanosleep(&pause, NULL);
		err = stats_file_read(&view, path);
		if (err == -ENOENT && snapshot_count)
			break;
		if ((err == -ENOENT && ++tries < 12000) || err == -EAGAIN)
			continue;
		if (err)
			end_with("%s", view.errmsg);
		if (snapshot_count &&
		    snapshots[snapshot_count - 1].about.time == view.snapshot.time)
			continue;
		store_snapshot(&view);
		for (size_t i = 0; i < view.count; i++)
			check_alone(&snapshots[snapshot_count - 1].list[i], view.cpus);
		if (snapshot_count > 1)
			check_growth(&snapshots[snapshot_count - 2],
				     &snapshots[snapshot_count - 1]);
		printf("snapshot %zu\n", snapshot_count);
		if (snapshot_count == enough)
			printf("enough\n");
	}
	stats_file_view_deinit(&view);
}

static const struct type_stats_type *find_type_of(const struct type_stats *type_stats,
						  const struct type_copy *one)
{
	for (size_t i = 0; i < type_stats->count; i++)
		if (type_stats->types[i].kind == one->kind &&
		    !strcmp(type_stats->types[i].name, one->name))
			return &type_stats->types[i];
	end_with("%s: the capture does not have it", one->name);
}

static void compare_type(const struct snapshot *snapshot, const struct type_copy *one,
			 const struct type_stats_type *type)
{
	uint64_t published[GROWING], captured[GROWING];

	list_growing(&one->type, published);
	list_growing(type, captured);
	for (size_t k = 0; k < GROWING; k++)
		if (published[k] != captured[k])
			end_with("%" PRIu64 ": %s: %s: published %" PRIu64 ", captured %" PRIu64,
				 snapshot->about.time, one->name, growing[k], published[k],
				 captured[k]);
	if (one->type.object_size != type->object_size || one->type.size != type->size)
		end_with("%s: its sizes differ", one->name);
	for (size_t i = 0; i < snapshot->cpus; i++) {
		const struct type_stats_cpu none = { 0 };
		const struct type_stats_cpu *cpu = i < type->cpu_count ? &type->cpus[i] : &none;

		if (memcmp(cpu, &one->cpus[i], sizeof(*cpu)))
			end_with("%" PRIu64 ": %s: CPU %zu differs: published %" PRIu64
				 " - %" PRIu64 ", captured %" PRIu64 " - %" PRIu64,
				 snapshot->about.time, one->name, i, one->cpus[i].numallocs,
				 one->cpus[i].numfrees, cpu->numallocs, cpu->numfrees);
	}
}

static void compare_snapshot(const struct snapshot *snapshot, struct capture *capture)
{
	struct select select = { .before = snapshot->about.time - snapshot->about.begin };
	struct type_stats type_stats;
	struct analysis analysis;
	struct analysis_settings settings = {
		.by = GROUP_BY_FUNCTION,
		.select = &select,
		.observers = { { type_stats_on_transition, &type_stats } },
		.observer_count = 1,
	};

	if (capture->status.begin != snapshot->about.begin)
		end_with("the capture began at another time");
	if (type_stats_init(&type_stats, capture, NULL))
		end_with("no memory");
	if (capture->slabinfo.count &&
	    type_stats_slabinfo(&type_stats, &capture->slabinfo.snapshots[0], NULL))
		end_with("no memory");
	if (analysis_run(&analysis, capture, &settings))
		end_with("%s", capture->error.text);
	if (type_stats.count != snapshot->count)
		end_with("%" PRIu64 ": published %zu types, captured %zu", snapshot->about.time,
			 snapshot->count, type_stats.count);
	for (size_t i = 0; i < snapshot->count; i++)
		compare_type(snapshot, &snapshot->list[i],
			     find_type_of(&type_stats, &snapshot->list[i]));
	analysis_deinit(&analysis);
	type_stats_deinit(&type_stats);
}

/* Prints the number of types, and the sum of their allocations. */
static int read_once(const char *path)
{
	struct stats_file_view view = { 0 };
	uint64_t numallocs = 0;

	if (stats_file_read(&view, path))
		end_with("%s", view.errmsg);
	for (size_t i = 0; i < view.count; i++)
		numallocs += view.types[i].numallocs;
	printf("types %zu\nnumallocs %" PRIu64 "\nlost %" PRIu64 "\n", view.count, numallocs,
	       view.snapshot.lost);
	stats_file_view_deinit(&view);
	return 0;
}

int main(int argc, char **argv)
{
	struct capture capture;
	size_t enough, compared;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 2)
		return read_once(argv[1]);
	if (argc != 5) {
		fprintf(stderr, "usage: follow PUBLISHED [CAPTURE SNAPSHOTS COMPARED]\n");
		return 2;
	}
	enough = strtoul(argv[3], NULL, 10);
	compared = strtoul(argv[4], NULL, 10);
	follow_file(argv[1], enough);
	if (snapshot_count < enough || compared > snapshot_count)
		end_with("only %zu snapshots were published", snapshot_count);
	if (capture_open(&capture, argv[2]))
		end_with("%s", capture.error.text);
	for (size_t i = 1; i <= compared; i++)
		compare_snapshot(&snapshots[snapshot_count * i / compared - 1], &capture);
	printf("snapshots %zu\ncompared %zu\ntypes %zu\nlost %" PRIu64 "\n", snapshot_count,
	       compared, snapshots[snapshot_count - 1].count,
	       snapshots[snapshot_count - 1].about.lost);
	capture_close(&capture);
	return 0;
}
