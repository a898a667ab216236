// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The running system as a source: the statistics file of kmemtraced --publish. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "live/memstat/internal.h"
#include "live/stats/stats_file.h"
#include "live/stats/stats_file_layout.h"

_Static_assert(MEMSTAT_MAXCPU == STATS_FILE_CPUS_MAX, "no published CPU has a higher number");
_Static_assert(MEMSTAT_LOST_UNKNOWN == STATS_FILE_LOST_UNKNOWN, "lost is passed on unchanged");

/* secure_getenv(): a set-user-ID program ignores the variable. */
static const char *stats_file_path(void)
{
	const char *path = secure_getenv("KMEMTRACE_MEMSTAT");

	return path && *path ? path : STATS_FILE_PATH;
}

static void put_kind(struct update *update, const struct stats_file_view *view,
		     enum type_stats_kind kind)
{
	for (size_t i = 0; i < view->count; i++) {
		if (view->types[i].kind == kind)
			update_put_type_stats(update, &view->types[i]);
	}
}

static int read_stats_file(struct update *update, void *handle)
{
	struct memory_type_list *list = handle;
	struct stats_file_view *view = list->live;
	int err;

	if (!view)
		view = list->live = calloc(1, sizeof(*view));
	if (!view)
		return update_fail(update, MEMSTAT_ERROR_NOMEMORY, ENOMEM, "%m");
	err = -stats_file_read(view, stats_file_path());
	if (err)
		return update_fail(update, MEMSTAT_ERROR_UNDEFINED, err, "%s", view->errmsg);

	update_set_time(update, view->snapshot.time);
	update_set_begin_time(update, view->snapshot.begin);
	update_set_lost(update, view->snapshot.lost);
	update_set_base(update, view->snapshot.with_base);
	if (view->snapshot.paths && update_set_paths(update, view->snapshot.paths))
		return -ENOMEM;
	update_set_cpus(update, view->cpus);
	update_set_classes(update, view->class_bytes, view->class_count);
	put_kind(update, view, TYPE_STATS_FUNCTION);
	put_kind(update, view, TYPE_STATS_CACHE);
	return 0;
}

void live_view_free(struct memory_type_list *list)
{
	if (list->live)
		stats_file_view_deinit(list->live);
	free(list->live);
}

int memstat_sysctl_all(struct memory_type_list *list, int flags)
{
	return query_flags(list, flags, QUERY_ALL, read_stats_file, list);
}

int memstat_sysctl_malloc(struct memory_type_list *list, int flags)
{
	return query_flags(list, flags, QUERY_MALLOC, read_stats_file, list);
}

int memstat_sysctl_uma(struct memory_type_list *list, int flags)
{
	return query_flags(list, flags, QUERY_UMA, read_stats_file, list);
}
