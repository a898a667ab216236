// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The view tracks: the stacks of live objects that the kernel itself keeps. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/render/flame.h"
#include "report/render/render.h"
#include "report/views/view.h"

_Static_assert(TRACK_UNKNOWN == CELL_UNKNOWN, "unknown numbers are unknown cells");

static const struct column_choice columns[] = {
	{ .name = COLUMN_site },
	{ .name = COLUMN_source },
	{ .name = COLUMN_cache },
	{ .name = COLUMN_objects,
	  .header = "live",
	  .unit = "objs",
	  .legend = "objects that were live when the kernel was asked, at the end" },
	{ .name = COLUMN_bytes,
	  .header = "live",
	  .unit = "bytes",
	  .type = COLUMN_NULLABLE,
	  .legend =
		  "kfence: the bytes requested; slub: the object size of the cache for each object" },
	{ .name = COLUMN_age_min_ns, .legend = "age of the youngest of these objects" },
	{ .name = COLUMN_age_max_ns,
	  .legend =
		  "age of the oldest of them, which can be from before the capture. To a tick of the kernel in slub" },
	{ .name = COLUMN_pid_min, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_pid_max, .where = COLUMN_NOT_IN_TEXT },
	{ .name = COLUMN_path,
	  .where = COLUMN_BELOW,
	  .header = "path",
	  .unit = "objects",
	  .type = COLUMN_PATH,
	  .legend = "functions from the entry into the kernel to the caller of the allocator" },
	{ .name = COLUMN_path_objects,
	  .where = COLUMN_NOT_IN_TEXT,
	  .legend = "the same as the live objects: a row has one path" },
	{ .name = COLUMN_stack_objects,
	  .where = COLUMN_NOT_IN_TEXT,
	  .legend = "the same as the live objects" },
	{ 0 },
};

static int begin_tracks(struct report *report)
{
	if (!report->settings.select)
		return 0;
	return error_format(
		&report->error, -EINVAL,
		"%s: the kernel keeps its stacks without events: use the view tracks without filters and --time",
		report->capture->path);
}

/* The functions of the stack, the outermost first. NULL: no memory. */
static char *make_path(const char *stack)
{
	const char *end = stack + strlen(stack), *begin;
	char *text = NULL;
	size_t size;
	FILE *file = text_open(&text, &size);

	if (!file)
		return NULL;
	for (; end > stack; end = begin > stack ? begin - 1 : stack) {
		begin = memrchr(stack, TRACK_FRAME_SEPARATOR, (size_t)(end - stack));
		begin = begin ? begin + 1 : stack;
		if (end != stack + strlen(stack))
			putc(FLAME_SEPARATOR, file);
		flame_put_name(file, begin, strcspn(begin, "+;"));
	}
	return text_close(file, &text) ? NULL : text;
}

static int add_track(struct table *table, const struct track *track)
{
	static const char separator[] = { TRACK_FRAME_SEPARATOR, '\0' };
	char *site = strndup(track->stack, strcspn(track->stack, separator));
	char *path = strchr(track->stack, TRACK_FRAME_SEPARATOR) ? make_path(track->stack) : NULL;

	if (!table_add(table)) {
		free(site);
		free(path);
		return -ENOMEM;
	}
	table_cell(table, COLUMN_site)->text = site;
	table_cell(table, COLUMN_source)->text = strdup(track_source_name(track->source));
	table_cell(table, COLUMN_cache)->text = strdup(track->cache);
	table_cell(table, COLUMN_objects)->number = track->objects;
	table_cell(table, COLUMN_bytes)->number = track->bytes;
	table_cell(table, COLUMN_age_min_ns)->number = track->youngest;
	table_cell(table, COLUMN_age_max_ns)->number = track->oldest;
	table_cell(table, COLUMN_pid_min)->number = track->pid_min;
	table_cell(table, COLUMN_pid_max)->number = track->pid_max;
	table_cell(table, COLUMN_path)->text = path;
	table_cell(table, COLUMN_path_objects)->number = path ? track->objects : 0;
	table_cell(table, COLUMN_stack_objects)->number = path ? track->objects : 0;
	return site && table_cell(table, COLUMN_source)->text &&
			       table_cell(table, COLUMN_cache)->text &&
			       (path || !strchr(track->stack, TRACK_FRAME_SEPARATOR))
		       ? 0
		       : -ENOMEM;
}

static int make_tracks(struct report *report)
{
	const struct tracks *tracks = &report->capture->tracks;
	struct table *table = report_add_table(report, columns);
	int err = 0;

	table->key = "tracks";
	table->empty =
		"The capture has no stacks that the kernel itself kept: it keeps some with KFENCE (/sys/module/kfence/parameters/sample_interval), and with slub_debug=U.";
	table->sort = "bytes,objects";
	table->tiebreak = table_column(table, COLUMN_source);
	table->tiebreaks = 2;
	for (size_t i = 0; i < tracks->count && !err; i++)
		err = add_track(table, &tracks->list[i]);
	return err;
}

const struct view view_tracks = {
	.name = "tracks",
	.summary = "stacks of live objects that KFENCE or slub_debug=U keep, of older ones too",
	.columns = columns,
	.begin = begin_tracks,
	.make = make_tracks,
};
