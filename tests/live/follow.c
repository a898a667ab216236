// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads the published moments until nobody publishes any more; then looks whether the capture that
 * was taken meanwhile tells the same figures of the same moments, every one. With a file alone:
 * reads it once.
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
#include "stats/stats_file.h"
#include "stats/type_stats.h"

#define MOMENTS_MAX 4096

/* The figures of a type that both can tell. */
struct figures {
	enum type_stats_kind kind;
	char *name;
	struct type_stats_type type;
	struct type_stats_cpu *cpus;
};

struct moment {
	struct stats_snapshot about;
	struct figures *list;
	size_t count, cpus;
};

static struct moment moments[MOMENTS_MAX];
static size_t moment_count;

__attribute__((format(printf, 1, 2), noreturn)) static void die(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(1);
}

static void *copy(const void *from, size_t size)
{
	void *to = malloc(size ? size : 1);

	if (!to)
		die("no memory");
	return size ? memcpy(to, from, size) : to;
}

static void keep(const struct stats_file_view *view)
{
	struct moment *moment = &moments[moment_count];

	moment->about = view->snapshot;
	moment->count = view->count;
	moment->cpus = view->cpus;
	moment->list = copy("", 0);
	moment->list = realloc(moment->list, (view->count + 1) * sizeof(*moment->list));
	if (!moment->list)
		die("no memory");
	for (size_t i = 0; i < view->count; i++) {
		const struct type_stats_type *type = &view->types[i];

		moment->list[i] = (struct figures){
			.kind = type->kind,
			.name = copy(type->name, strlen(type->name) + 1),
			.type = *type,
			.cpus = calloc(view->cpus, sizeof(*type->cpus)),
		};
		if (!moment->list[i].cpus || type->cpu_count > view->cpus)
			die("%s: %zu CPUs of %zu", type->name, type->cpu_count, view->cpus);
		memcpy(moment->list[i].cpus, type->cpus, type->cpu_count * sizeof(*type->cpus));
	}
	moment_count++;
}

/* The figures that never get less, one after the other. */
#define GROWING 9

static void list_growing(const struct type_stats_type *type, uint64_t *figures)
{
	const uint64_t list[GROWING] = {
		type->numallocs, type->numfrees,	type->memalloced,
		type->memfreed,	 type->sizemask,	type->failures,
		type->xdomain,	 type->frees_unmatched, type->initial_count,
	};

	memcpy(figures, list, sizeof(list));
}

static const char *const growing[GROWING] = {
	"numallocs", "numfrees", "memalloced",	    "memfreed", "sizemask",
	"failures",  "xdomain",	 "frees_unmatched", "base",
};

static void check_alone(const struct figures *one, size_t cpus)
{
	uint64_t numallocs = 0, numfrees = 0;

	if (one->type.numfrees > one->type.numallocs)
		die("%s: %" PRIu64 " frees of %" PRIu64 " allocations", one->name,
		    one->type.numfrees, one->type.numallocs);
	for (size_t i = 0; i < cpus; i++) {
		numallocs += one->cpus[i].numallocs;
		numfrees += one->cpus[i].numfrees;
	}
	if (numallocs != one->type.numallocs || numfrees > one->type.numfrees)
		die("%s: its CPUs have other sums: %" PRIu64 " of %" PRIu64 ", %" PRIu64
		    " of %" PRIu64,
		    one->name, numallocs, one->type.numallocs, numfrees, one->type.numfrees);
}

/* Nothing is less than it was a moment before. */
static void check_growth(const struct moment *before, const struct moment *after)
{
	if (after->about.time <= before->about.time || after->about.begin != before->about.begin ||
	    after->about.lost < before->about.lost || after->count < before->count)
		die("moment %" PRIu64 " comes after %" PRIu64 " and is less", after->about.time,
		    before->about.time);
	for (size_t i = 0; i < before->count; i++) {
		const struct figures *old = &before->list[i], *new = &after->list[i];
		uint64_t was[GROWING], is[GROWING];

		if (strcmp(old->name, new->name) || old->kind != new->kind)
			die("%s became %s", old->name, new->name);
		list_growing(&old->type, was);
		list_growing(&new->type, is);
		for (size_t k = 0; k < GROWING; k++)
			if (is[k] < was[k])
				die("%s: %s was %" PRIu64 " and is %" PRIu64, new->name, growing[k],
				    was[k], is[k]);
		for (size_t k = 0; k < before->cpus; k++)
			if (new->cpus[k].numallocs < old->cpus[k].numallocs ||
			    new->cpus[k].numfrees < old->cpus[k].numfrees)
				die("%s: CPU %zu has less", new->name, k);
	}
}

static void follow(const char *path, size_t enough)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	struct stats_file_view view = { 0 };
	unsigned int tries = 0;
	int err;

	while (moment_count < MOMENTS_MAX) {
		nanosleep(&pause, NULL);
		err = stats_file_read(&view, path);
		if (err == -ENOENT && moment_count)
			break;
		if ((err == -ENOENT && ++tries < 3000) || err == -EAGAIN)
			continue;
		if (err)
			die("%s", view.errmsg);
		if (moment_count && moments[moment_count - 1].about.time == view.snapshot.time)
			continue;
		keep(&view);
		for (size_t i = 0; i < view.count; i++)
			check_alone(&moments[moment_count - 1].list[i], view.cpus);
		if (moment_count > 1)
			check_growth(&moments[moment_count - 2], &moments[moment_count - 1]);
		if (moment_count == enough)
			printf("enough\n");
	}
	stats_file_view_deinit(&view);
}

static const struct type_stats_type *find(const struct type_stats *type_stats,
					  const struct figures *one)
{
	for (size_t i = 0; i < type_stats->count; i++)
		if (type_stats->types[i].kind == one->kind &&
		    !strcmp(type_stats->types[i].name, one->name))
			return &type_stats->types[i];
	die("%s: the capture does not tell it", one->name);
}

static void compare_type(const struct moment *moment, const struct figures *one,
			 const struct type_stats_type *type)
{
	uint64_t told[GROWING], captured[GROWING];

	list_growing(&one->type, told);
	list_growing(type, captured);
	for (size_t k = 0; k < GROWING; k++)
		if (told[k] != captured[k])
			die("%" PRIu64 ": %s: %s: published %" PRIu64 ", captured %" PRIu64,
			    moment->about.time, one->name, growing[k], told[k], captured[k]);
	if (one->type.object_size != type->object_size || one->type.size != type->size)
		die("%s: its sizes differ", one->name);
	for (size_t i = 0; i < moment->cpus; i++) {
		const struct type_stats_cpu none = { 0 };
		const struct type_stats_cpu *cpu = i < type->cpu_count ? &type->cpus[i] : &none;

		if (memcmp(cpu, &one->cpus[i], sizeof(*cpu)))
			die("%" PRIu64 ": %s: CPU %zu differs: published %" PRIu64 " - %" PRIu64
			    ", captured %" PRIu64 " - %" PRIu64,
			    moment->about.time, one->name, i, one->cpus[i].numallocs,
			    one->cpus[i].numfrees, cpu->numallocs, cpu->numfrees);
	}
}

static void compare(const struct moment *moment, struct capture *capture)
{
	struct select select = { .before = moment->about.time - moment->about.begin };
	struct type_stats type_stats;
	struct analysis analysis;
	struct analysis_settings settings = {
		.by = GROUP_BY_FUNCTION,
		.select = &select,
		.observers = { { type_stats_on_transition, &type_stats } },
		.observer_count = 1,
	};

	if (capture->status.begin != moment->about.begin)
		die("the capture began at another time");
	if (type_stats_init(&type_stats, capture, NULL))
		die("no memory");
	if (capture->slabinfo.count &&
	    type_stats_slabinfo(&type_stats, &capture->slabinfo.moments[0], NULL))
		die("no memory");
	if (analysis_run(&analysis, capture, &settings))
		die("%s", capture->errmsg);
	if (type_stats.count != moment->count)
		die("%" PRIu64 ": published %zu types, captured %zu", moment->about.time,
		    moment->count, type_stats.count);
	for (size_t i = 0; i < moment->count; i++)
		compare_type(moment, &moment->list[i], find(&type_stats, &moment->list[i]));
	analysis_deinit(&analysis);
	type_stats_deinit(&type_stats);
}

/* Of all types: how many objects were allocated, and how many types. */
static int read_once(const char *path)
{
	struct stats_file_view view = { 0 };
	uint64_t numallocs = 0;

	if (stats_file_read(&view, path))
		die("%s", view.errmsg);
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
		fprintf(stderr, "usage: follow PUBLISHED [CAPTURE MOMENTS COMPARED]\n");
		return 2;
	}
	enough = strtoul(argv[3], NULL, 10);
	compared = strtoul(argv[4], NULL, 10);
	follow(argv[1], enough);
	if (moment_count < enough || compared > moment_count)
		die("only %zu moments were published", moment_count);
	if (capture_open(&capture, argv[2]))
		die("%s", capture.errmsg);
	for (size_t i = 1; i <= compared; i++)
		compare(&moments[moment_count * i / compared - 1], &capture);
	printf("moments %zu\ncompared %zu\ntypes %zu\nlost %" PRIu64 "\n", moment_count, compared,
	       moments[moment_count - 1].count, moments[moment_count - 1].about.lost);
	capture_close(&capture);
	return 0;
}
