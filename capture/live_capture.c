// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes frames into files, and reads tables again that have changed. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/inside.h"
#include "capture/live_capture.h"

#define BLOCK 65536
#define RELEASE_BYTES ((uint64_t)1 << 20)
#define TABLE_BYTES_MAX ((size_t)64 << 20)

enum live_table_number {
	LIVE_CACHES,
	LIVE_TASKS,
	LIVE_CGROUPS,
	LIVE_STACKS,
	LIVE_STATUS,
};

/* Reads size bytes into the file. 0; -ENODATA: the stream ended; or -errno. */
static int copy_bytes(struct live_capture *live, int fd, uint64_t size)
{
	char block[BLOCK];

	while (size) {
		size_t got = fread(block, 1, size < BLOCK ? (size_t)size : BLOCK, live->input);
		int err;

		if (!got)
			return ferror(live->input) ? -EIO : -ENODATA;
		err = stream_frame_write(fd, block, got);
		if (err)
			return err;
		size -= got;
	}
	return 0;
}

static int read_table(struct live_capture *live, struct live_table *table,
		      const struct stream_frame *frame)
{
	size_t old = frame->kind == STREAM_FRAME_APPEND ? table->size : 0;
	char *text;

	if (frame->size > TABLE_BYTES_MAX - old)
		return -EFBIG;
	text = realloc(table->text, old + frame->size + 1);
	if (!text)
		return -ENOMEM;
	table->text = text;
	table->size = old + fread(text + old, 1, frame->size, live->input);
	text[table->size] = 0;
	table->changed = true;
	return table->size == old + frame->size ? 0 : -ENODATA;
}

static struct live_table *find_table(struct live_capture *live, const char *name)
{
	for (size_t i = 0; i < LIVE_TABLES; i++)
		if (!strcmp(live->tables[i].name, name))
			return &live->tables[i];
	return NULL;
}

/* A file of the directory, before the capture is open. */
static int write_first(struct live_capture *live, const struct stream_frame *frame)
{
	char path[sizeof(live->directory) + STREAM_FRAME_NAME + 1];
	int fd, err;

	snprintf(path, sizeof(path), "%s/%s", live->directory, frame->name);
	fd = open(path,
		  O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW |
			  (frame->kind == STREAM_FRAME_APPEND ? O_APPEND : O_TRUNC),
		  0600);
	if (fd < 0)
		return -errno;
	err = copy_bytes(live, fd, frame->size);
	close(fd);
	return err;
}

static int write_table_first(struct live_capture *live, const struct live_table *table)
{
	char path[sizeof(live->directory) + STREAM_FRAME_NAME + 1];
	int fd, err;

	snprintf(path, sizeof(path), "%s/%s", live->directory, table->name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	err = stream_frame_write(fd, table->text, table->size);
	close(fd);
	return err;
}

/*
 * The file for the bytes of a frame: a stream of the capture. A stream that comes later is left
 * out, so that its events count as lost; so are tables that no stream of events needs.
 */
static int file_of(const struct live_capture *live, const char *name)
{
	const struct capture *capture = live->capture;

	for (size_t i = 0; !strncmp(name, "cpu", 3) && i < capture->stream_count; i++)
		if (capture->streams[i].cpu == strtoul(name + 3, NULL, 10))
			return live->streams[i];
	return live->nowhere;
}

static int copy_packets(struct live_capture *live, const struct stream_frame *frame)
{
	int fd = file_of(live, frame->name);

	live->has_packets |= fd != live->nowhere;
	return copy_bytes(live, fd, frame->size);
}

/* Takes frames until the next time or the end. 0 or -errno. */
static int take_frames(struct live_capture *live, bool is_first)
{
	struct stream_frame frame;

	for (;;) {
		struct live_table *table;
		int got = stream_frame_read(live->input, &frame);

		if (got <= 0)
			return got ? got : -ENODATA;
		if (frame.kind == STREAM_FRAME_TIME) {
			live->watermark = frame.time;
			return 0;
		}
		if (frame.kind == STREAM_FRAME_END) {
			live->is_whole = true;
			return -ENODATA;
		}
		table = find_table(live, frame.name);
		if (table)
			got = read_table(live, table, &frame);
		else if (is_first)
			got = write_first(live, &frame);
		else
			got = copy_packets(live, &frame);
		if (got)
			return got;
	}
}

static int make_directory(struct live_capture *live)
{
	const char *folder = secure_getenv("TMPDIR");
	char path[sizeof(live->directory) + sizeof("/kernel")];
	int length, err;

	length = snprintf(live->directory, sizeof(live->directory), "%s/kmemtrace-report.XXXXXX",
			  folder && *folder ? folder : "/tmp");
	err = length >= (int)sizeof(live->directory) ? -ENAMETOOLONG : 0;
	if (!err && !mkdtemp(live->directory))
		err = -errno;
	if (err) {
		*live->directory = 0;
		return error_format(
			&live->capture->error, err,
			"cannot make a temporary directory: %s: set TMPDIR to a directory that is writable",
			strerror(-err));
	}
	snprintf(path, sizeof(path), "%s/kernel", live->directory);
	return mkdir(path, 0700) ? -errno : 0;
}

/* The files stay open. */
static void remove_directory(struct live_capture *live)
{
	int fd;

	if (!*live->directory)
		return;
	fd = open(live->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0) {
		inside_remove_all(fd);
		close(fd);
	}
	rmdir(live->directory);
	*live->directory = 0;
}

static int open_streams(struct live_capture *live)
{
	const struct capture *capture = live->capture;

	live->streams = calloc(capture->stream_count + 1, sizeof(*live->streams));
	live->released = calloc(capture->stream_count + 1, sizeof(*live->released));
	if (!live->streams || !live->released)
		return -ENOMEM;
	for (size_t i = 0; i < capture->stream_count; i++) {
		live->streams[i] = open(capture->streams[i].path,
					O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
		if (live->streams[i] < 0)
			return -errno;
		live->stream_count++;
	}
	return 0;
}

static int read_begin(struct live_capture *live)
{
	char line[sizeof(STREAM_FRAME_FIRST)];
	int err;

	if (!fgets(line, sizeof(line), live->input))
		return error_format(
			&live->capture->error, -EBADMSG,
			"standard input: empty: pipe kmemtraced -o - into this program");
	if (strcmp(line, STREAM_FRAME_FIRST))
		return error_format(
			&live->capture->error, -EBADMSG,
			"standard input: not a stream of this version of kmemtraced -o -");
	err = make_directory(live);
	if (err)
		return err;
	err = take_frames(live, true);
	for (size_t i = 0; i < LIVE_TABLES && !err; i++)
		err = live->tables[i].text ? write_table_first(live, &live->tables[i]) : 0;
	if (err == -ENODATA || err == -EBADMSG)
		return error_format(
			&live->capture->error, -EBADMSG,
			"standard input: the stream is damaged, or ended before the capture began");
	return err;
}

static int open_caches(struct live_capture *live);

int live_capture_open(struct live_capture *live, struct capture *capture, FILE *input)
{
	int err;

	*live = (struct live_capture){
		.input = input,
		.capture = capture,
		.tables = { [LIVE_CACHES] = { .name = "kernel/caches" },
			    [LIVE_TASKS] = { .name = "kernel/tasks" },
			    [LIVE_CGROUPS] = { .name = "kernel/cgroups" },
			    [LIVE_STACKS] = { .name = "kernel/stacks" },
			    [LIVE_STATUS] = { .name = "kernel/status" } },
		.nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC),
	};
	memset(capture, 0, sizeof(*capture));
	err = live->nowhere < 0 ? -errno : read_begin(live);
	if (!err)
		err = capture_open(capture, live->directory);
	if (!err)
		err = open_streams(live);
	if (!err)
		err = open_caches(live);
	if (err)
		error_format(&capture->error, err, "%s: %s",
			     *live->directory ? live->directory : "standard input", strerror(-err));
	for (size_t i = 0; i < LIVE_TABLES; i++)
		live->tables[i].changed = false;
	capture->live = live;
	return err;
}

void live_capture_close(struct live_capture *live)
{
	remove_directory(live);
	for (size_t i = 0; i < live->stream_count; i++)
		close(live->streams[i]);
	free(live->streams);
	free(live->released);
	for (size_t i = 0; i < LIVE_TABLES; i++)
		free(live->tables[i].text);
	caches_deinit(&live->sorted);
	free(live->entries);
	if (live->nowhere >= 0)
		close(live->nowhere);
}

static bool same_cache(const struct cache *a, const struct cache *b)
{
	return a->address == b->address && a->since == b->since;
}

static bool cache_precedes(const struct cache *a, const struct cache *b)
{
	return a->address < b->address || (a->address == b->address && a->since < b->since);
}

/* A cache that was in the table before keeps its entry: events refer to it. Both are sorted. */
static int read_caches(struct live_capture *live, const char *text)
{
	struct cache *list = live->capture->caches.list, **entries;
	struct caches sorted;
	size_t old = 0;
	int err = caches_parse(&sorted, text);

	if (err)
		return err;
	entries = calloc(sorted.count + 1, sizeof(struct cache *));
	if (!entries) {
		caches_deinit(&sorted);
		return -ENOMEM;
	}
	for (size_t i = 0; i < sorted.count; i++) {
		while (old < live->sorted.count &&
		       cache_precedes(&live->sorted.list[old], &sorted.list[i]))
			old++;
		if (old < live->sorted.count &&
		    same_cache(&live->sorted.list[old], &sorted.list[i]))
			entries[i] = live->entries[old];
		else if (live->entry_count < LIVE_CACHES_MAX)
			entries[i] = &list[live->entry_count++];
		if (!entries[i])
			continue;
		*entries[i] = sorted.list[i];
		entries[i]->aliases = NULL;
	}
	caches_deinit(&live->sorted);
	free(live->entries);
	live->sorted = sorted;
	live->entries = entries;
	return 0;
}

/* The list of the capture gets room for all caches that may come. */
static int open_caches(struct live_capture *live)
{
	struct cache *list = calloc(LIVE_CACHES_MAX, sizeof(*list));

	if (!list)
		return -ENOMEM;
	free(live->capture->caches.list);
	live->capture->caches.list = list;
	live->capture->caches.count = LIVE_CACHES_MAX;
	return read_caches(live,
			   live->tables[LIVE_CACHES].text ? live->tables[LIVE_CACHES].text : "");
}

void live_capture_release(struct live_capture *live, size_t stream, uint64_t end)
{
	uint64_t begin = live->released[stream];

	/* a file system that cannot do it keeps the bytes until the end */
	if (end - begin < RELEASE_BYTES ||
	    fallocate(live->streams[stream], FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      (off_t)begin, (off_t)(end - begin)))
		return;
	live->released[stream] = end;
}

const struct cache *live_capture_find_cache(const struct live_capture *live, uint64_t address,
					    uint64_t time)
{
	const struct cache *cache = caches_find(&live->sorted, address, time);

	return cache ? live->entries[cache - live->sorted.list] : NULL;
}

static int read_tasks(struct live_capture *live, const char *text)
{
	tasks_deinit(&live->capture->tasks);
	return tasks_parse(&live->capture->tasks, text);
}

static int read_cgroups(struct live_capture *live, const char *text)
{
	cgroups_deinit(&live->capture->cgroups);
	return cgroups_parse(&live->capture->cgroups, text);
}

static int read_stacks(struct live_capture *live, const char *text)
{
	stacks_deinit(&live->capture->stacks);
	return stacks_parse(&live->capture->stacks, text);
}

static int read_status(struct live_capture *live, const char *text)
{
	struct status status;
	int err = status_parse(&status, text, NULL);

	if (err)
		return err;
	status_deinit(&live->capture->status);
	live->capture->status = status;
	return 0;
}

int live_capture_read_changed(struct live_capture *live)
{
	static int (*const read[LIVE_TABLES])(struct live_capture * live,
					      const char *text) = { [LIVE_CACHES] = read_caches,
								    [LIVE_TASKS] = read_tasks,
								    [LIVE_CGROUPS] = read_cgroups,
								    [LIVE_STACKS] = read_stacks,
								    [LIVE_STATUS] = read_status };
	int err = 0;

	for (size_t i = 0; i < LIVE_TABLES && !err; i++) {
		struct live_table *table = &live->tables[i];

		if (!table->changed)
			continue;
		table->changed = false;
		live->capture->changes++;
		err = read[i](live, table->text);
		if (err)
			error_format(&live->capture->error, err, "standard input: %s: %s",
				     table->name, strerror(-err));
	}
	return err;
}

int live_capture_more(struct live_capture *live)
{
	int err = live->before_wait ? live->before_wait(live->data) : 0;

	/* the streams are open by now */
	remove_directory(live);
	if (err)
		return error_format(&live->capture->error, err, "standard output: %s",
				    strerror(-err));
	err = take_frames(live, false);
	if (err == -ENODATA) {
		live->ended = true;
		live->watermark = UINT64_MAX;
		err = 0;
	}
	if (err)
		return error_format(&live->capture->error, err, "standard input: %s",
				    err == -EBADMSG ? "the stream is damaged" : strerror(-err));
	if (!live->has_packets && !live->ended)
		return 0;
	live->has_packets = false;
	return live_capture_read_changed(live);
}
