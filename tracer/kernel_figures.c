// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Knows when each of them is read, and in which table of the capture it is. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tracer/host/allocinfo_file.h"
#include "tracer/host/track_files.h"
#include "tracer/host/where_files.h"
#include "tracer/kernel_figures.h"
#include "tracer/load/machine.h"

void kernel_figures_open(struct kernel_figures *figures, bool has_capture, bool has_allocator)
{
	figures->has_capture = has_capture;
	figures->has_allocator = has_allocator;
	if (has_capture && has_allocator)
		figures->debugfs = track_files_open();
}

void kernel_figures_read(struct kernel_figures *figures)
{
	struct allocinfo *allocinfo = &figures->allocinfo;
	struct where *where = &figures->where;

	if (!figures->has_capture)
		return;
	where->count += !where_files_read(&where->list[where->count], machine_now);
	if (figures->has_allocator)
		allocinfo->count +=
			!allocinfo_file_read(&allocinfo->list[allocinfo->count], machine_now());
}

static int write_where(FILE *file, const void *data)
{
	const struct where *where = data;
	int err = where_write(file, &where->list[0]);

	return err ? err : where_write(file, &where->list[1]);
}

static int write_allocinfo(FILE *file, const void *data)
{
	const struct allocinfo *allocinfo = data;
	int err = allocinfo_write(file, &allocinfo->list[0]);

	return err ? err : allocinfo_write(file, &allocinfo->list[1]);
}

static int write_tracks(FILE *file, const void *data)
{
	return tracks_write(file, data);
}

/* 1: the table is left out. On a full disk the status needs its room. */
static unsigned int write_figures(struct directory *directory, const char *name,
				  int (*write)(FILE *file, const void *data), const void *data)
{
	FILE *file = directory_open(directory, name, false);
	int err = file ? write(file, data) : 0;

	if (file && !directory_close(directory, file, name) && !err)
		return 0;
	if (err)
		directory_fail(directory, -err, "%s: %s", name, strerror(-err));
	unlinkat(directory->fd, name, 0);
	return 1;
}

static unsigned int add_tracks(const struct kernel_figures *figures, struct directory *directory)
{
	struct tracks tracks = { 0 };
	int err = track_files_read(figures->debugfs, machine_now, &tracks);
	unsigned int left_out = err != 0;

	if (err)
		directory_fail(directory, -err, "the stacks of KFENCE and of slub_debug=U: %s",
			       strerror(-err));
	else if (tracks.count)
		left_out = write_figures(directory, "kernel/tracks", write_tracks, &tracks);
	tracks_deinit(&tracks);
	return left_out;
}

unsigned int kernel_figures_write(struct kernel_figures *figures, struct directory *directory)
{
	unsigned int left_out = 0;

	if (!figures->has_capture)
		return 0;
	/* one reading alone is not of the end */
	if (figures->where.count == 2)
		left_out += write_figures(directory, "kernel/where", write_where, &figures->where);
	if (figures->allocinfo.count == 2)
		left_out += write_figures(directory, "kernel/allocinfo", write_allocinfo,
					  &figures->allocinfo);
	return left_out + (figures->has_allocator ? add_tracks(figures, directory) : 0);
}

void kernel_figures_close(struct kernel_figures *figures)
{
	allocinfo_deinit(&figures->allocinfo);
	where_deinit(&figures->where);
	if (figures->debugfs >= 0)
		close(figures->debugfs);
	figures->debugfs = -1;
}
