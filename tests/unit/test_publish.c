// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The publishing thread: packets of a writer go in, and a reader of the file sees the statistics.
 * Needs no kernel and no privileges.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/files.h"
#include "live/stats/stats_file.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"
#include "tracer/publish/publish_types.h"

#define TEXT                                                                 \
	"begin 5\nend 500\nsymbol 0x1000 maker\nsymbol 0x2000 end\nown 77\n" \
	"cpu 0 node 0\ncpu 1 node 0\n"

struct scene {
	char *directory, *path;
	struct publish publish;
	struct stats_file_view view;
	uint32_t sequence;
	struct error error;
};

static int start_publish(struct scene *scene, size_t objects)
{
	const struct publish_settings settings = {
		.path = scene->path,
		.group = (gid_t)-1,
		.objects_max = objects,
		.cpus = 2,
	};

	return publish_start(&scene->publish, &settings, &scene->error);
}

static int open_publish(struct scene *scene, size_t objects)
{
	if (start_publish(scene, objects))
		fail_msg("%s", scene->error.text);
	assert_int_not_equal(scene->publish.task, 0);
	return publish_open(&scene->publish, scene->directory, &scene->error);
}

static struct scene *make_scene(size_t objects)
{
	struct scene *scene = calloc(1, sizeof(*scene));

	assert_non_null(scene);
	scene->directory = scratch_capture(TEXT "alloc 10 0 0x1000 8/8 maker\n");
	scene->path = scratch_path(scene->directory, "memstat");
	if (open_publish(scene, objects))
		fail_msg("%s", scene->error.text);
	return scene;
}

static void free_scene(struct scene *scene)
{
	publish_close(&scene->publish);
	stats_file_view_deinit(&scene->view);
	scratch_remove(scene->directory);
	free(scene->path);
	free(scene);
}

/* As a writer, but with memory of its own for each packet. */
static void put_packet(struct scene *scene, const struct kmt_record *record)
{
	const struct writer_sink sink = publish_sink(&scene->publish);
	const struct packet_header header = { .records = 1 };
	unsigned char *packet = malloc(WRITER_PACKET_BYTES);

	assert_non_null(packet);
	memcpy(packet + sizeof(header), record, sizeof(*record));
	free(sink.take(sink.data, &header, packet, sizeof(*record)));
}

static void put_record(struct scene *scene, uint64_t time, uint8_t id, uint64_t pointer,
		       uint64_t last)
{
	const struct kmt_record record = {
		.time = time,
		.id = id,
		.words = KMT_RECORD_WORDS,
		.sequence = scene->sequence++,
		.pointer = pointer,
		.call_site = 0x1008,
		.cache = last,
	};

	put_packet(scene, &record);
}

static void allocate_record(struct scene *scene, uint64_t time, uint64_t pointer, uint64_t site)
{
	const struct kmt_record record = {
		.time = time,
		.id = KMT_KMALLOC,
		.words = KMT_RECORD_WORDS,
		.sequence = scene->sequence++,
		.pointer = pointer,
		.call_site = site,
		.requested = 8,
		.allocated = 8,
	};

	put_packet(scene, &record);
}

static void advance_watermark(struct scene *scene, uint64_t time, uint64_t lost)
{
	const struct watermark watermark = { .time = time, .begin = 5, .missing.lost = lost };

	assert_int_equal(publish_watermark(&scene->publish, &watermark, &scene->error), 0);
}

/* Waits until the snapshot of this time is published. */
static void read_snapshot(struct scene *scene, uint64_t time)
{
	unsigned int polls = 0;

	do {
		int err = stats_file_read(&scene->view, scene->path);

		if (!err && scene->view.snapshot.time >= time)
			break;
		if (err && err != -ENOENT && err != -EAGAIN)
			fail_msg("%s", scene->view.errmsg);
	} while (scratch_wait(&polls));
	assert_int_equal(scene->view.snapshot.time, time);
	assert_int_equal(scene->view.snapshot.begin, 5);
}

/* Types with an event; the others are the caches of this machine's /proc/slabinfo. */
static size_t count_used(const struct stats_file_view *view)
{
	size_t count = 0;

	for (size_t i = 0; i < view->count; i++)
		count += view->types[i].numallocs || view->types[i].frees_unmatched;
	return count;
}

static void assert_type(const struct scene *scene, const char *name, uint64_t numallocs,
			uint64_t numfrees)
{
	for (size_t i = 0; i < scene->view.count; i++) {
		const struct type_stats_type *type = &scene->view.types[i];

		if (strcmp(type->name, name))
			continue;
		assert_int_equal(type->numallocs, numallocs);
		assert_int_equal(type->numfrees, numfrees);
		return;
	}
	fail_msg("there is no %s", name);
}

static void publishes_events_before_the_watermark(void **state)
{
	const struct cache dentry = {
		.address = 0xd000, .since = 6, .object_size = 192, .size = 200, .name = "dentry"
	};
	struct scene *scene = make_scene(0);

	(void)state;
	publish_cache(&scene->publish, &dentry);
	put_record(scene, 10, KMT_CACHE_ALLOC, 0x10000, 0xd000);
	allocate_record(scene, 20, 0x20000, 0x1008);
	put_record(scene, 30, KMT_CACHE_FREE, 0x10000, 0xd000);
	advance_watermark(scene, 30, 3);
	read_snapshot(scene, 30);
	assert_int_equal(scene->view.snapshot.lost, 3);
	assert_int_equal(count_used(&scene->view), 3);
	assert_type(scene, "dentry", 1, 0);
	assert_type(scene, "kmalloc-8", 1, 0);
	assert_type(scene, "maker", 1, 0);
	advance_watermark(scene, 31, 4);
	read_snapshot(scene, 31);
	assert_int_equal(scene->view.snapshot.lost, 4);
	assert_type(scene, "dentry", 1, 1);

	/* another cache may then have this address */
	publish_cache_gone(&scene->publish, 0xd000, 40);
	put_record(scene, 50, KMT_CACHE_ALLOC, 0x30000, 0xd000);
	advance_watermark(scene, 60, 4);
	advance_watermark(scene, 61, 4);
	read_snapshot(scene, 61);
	assert_type(scene, "dentry", 1, 1);
	assert_type(scene, "0xd000", 1, 0);

	/* events after the last watermark are aggregated at the end, but not published */
	allocate_record(scene, 70, 0x40000, 0x1008);
	assert_int_equal(publish_end(&scene->publish, NULL, &scene->error), 0);
	assert_int_equal(publish_aggregated(&scene->publish), 5);
	assert_int_equal(publish_missing(&scene->publish), 0);
	assert_int_equal(access(scene->path, F_OK), -1);
	assert_int_equal(stats_file_read(&scene->view, scene->path), -ENOENT);
	free_scene(scene);
}

/* Waits until the text has the line. */
static void wait_for_line(const char *path, const char *line)
{
	char *text = NULL;
	unsigned int polls = 0;

	do {
		int err = read_file(AT_FDCWD, path, SIZE_MAX / 2, &text, NULL);

		if (!err && strstr(text, line))
			break;
		free(text);
		text = NULL;
		if (err && err != -ENOENT)
			fail_msg("%s: %s", path, strerror(-err));
	} while (scratch_wait(&polls));
	free(text);
}

static void writes_metrics_without_a_statistics_file(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));
	struct publish_settings settings = { .group = (gid_t)-1, .objects_max = 1, .cpus = 2 };
	struct watermark watermark = { .time = 30,
				       .begin = 5,
				       .missing = { .lost = 3, .skipped = 2 } };

	(void)state;
	assert_non_null(scene);
	scene->directory = scratch_capture(TEXT "alloc 10 0 0x1000 8/8 maker\n");
	scene->path = scratch_path(scene->directory, "test.prom");
	settings.metrics = (struct publish_metrics_settings){ scene->path, 1, 50, 10 };
	assert_int_equal(publish_start(&scene->publish, &settings, &scene->error), 0);
	assert_int_equal(publish_open(&scene->publish, scene->directory, &scene->error), 0);
	assert_int_equal(publish_initial_counts(&scene->publish, scene->directory, &scene->error),
			 0);
	allocate_record(scene, 10, 0x10000, 0x1008);
	/* more than objects_max */
	allocate_record(scene, 20, 0x20000, 0x1008);
	assert_int_equal(publish_watermark(&scene->publish, &watermark, &scene->error), 0);
	wait_for_line(scene->path,
		      "\nkmemtrace_function_live_bytes{function=\"maker\",module=\"kernel\"} 8\n");
	wait_for_line(scene->path, "\nkmemtrace_comm_live_bytes{comm=\"(other)\"} 8\n");
	wait_for_line(scene->path, "\nkmemtrace_uncounted_events_total 1\n");
	wait_for_line(scene->path, "\nkmemtrace_lost_events_total 3\n");
	/* an upper bound may become less, a counter does not */
	watermark.time = 40;
	watermark.missing.lost = 4;
	watermark.missing.skipped = 1;
	put_record(scene, 35, KMT_KFREE, 0x10000, 0);
	assert_int_equal(publish_watermark(&scene->publish, &watermark, &scene->error), 0);
	wait_for_line(scene->path, "\nkmemtrace_lost_events_total 4\n");
	wait_for_line(scene->path, "\nkmemtrace_skipped_events_total 2\n");
	wait_for_line(scene->path, "\nkmemtrace_freed_objects_total 1\n");
	assert_int_equal(publish_end(&scene->publish, NULL, &scene->error), 0);
	assert_int_equal(publish_aggregated(&scene->publish), 2);
	assert_int_equal(publish_missing(&scene->publish), 1);
	assert_int_equal(access(scene->path, F_OK), -1);
	free_scene(scene);
}

static void names_functions_of_modules_loaded_later(void **state)
{
	struct scene *scene = make_scene(0);
	char *path = scratch_path(scene->directory, "kernel/symbols");
	FILE *file;

	(void)state;
	allocate_record(scene, 10, 0x10000, 0x90008);
	advance_watermark(scene, 20, 0);
	read_snapshot(scene, 20);
	assert_type(scene, "0x90008", 1, 0);
	file = fopen(path, "ae");
	assert_non_null(file);
	fprintf(file, "# since 25\n90000 t fresh\t[module]\na0000 t end\t[module]\n");
	fclose(file);
	publish_symbols_changed(&scene->publish);
	allocate_record(scene, 30, 0x20000, 0x90010);
	allocate_record(scene, 31, 0x30000, 0x90008);
	allocate_record(scene, 32, 0x40000, 0x1008);
	advance_watermark(scene, 40, 0);
	read_snapshot(scene, 40);
	assert_type(scene, "fresh [module]", 2, 0);
	assert_type(scene, "0x90008", 1, 0);
	assert_type(scene, "maker", 1, 0);
	free(path);
	free_scene(scene);
}

/* If records come faster than they are aggregated, the drain does not wait: they are counted. */
static void counts_records_that_do_not_fit_in_the_queue(void **state)
{
	struct scene *scene = make_scene(0);
	uint64_t puts = 2 * (64 << 20) / WRITER_PACKET_BYTES, aggregated;

	(void)state;
	for (uint64_t i = 0; i < puts; i++)
		allocate_record(scene, 10 + i, 0x10000 + 8 * i, 0x1008);
	assert_in_range(scene->publish.queue_dropped, puts / 4, puts);
	aggregated = puts - scene->publish.queue_dropped;
	advance_watermark(scene, 10 + puts, 1);
	read_snapshot(scene, 10 + puts);
	assert_int_equal(scene->view.snapshot.lost, 1 + scene->publish.queue_dropped);
	assert_type(scene, "maker", aggregated, 0);
	allocate_record(scene, 20 + puts, 0x10, 0x1008);
	assert_int_equal(publish_end(&scene->publish, NULL, &scene->error), 0);
	assert_int_equal(publish_aggregated(&scene->publish), aggregated + 1);
	assert_int_equal(publish_missing(&scene->publish), scene->publish.queue_dropped);
	free_scene(scene);
}

static void counts_objects_beyond_the_limit(void **state)
{
	struct scene *scene = make_scene(2);

	(void)state;
	for (uint64_t i = 0; i < 5; i++)
		allocate_record(scene, 10 + i, 0x10000 + 8 * i, 0x1008);
	put_record(scene, 30, KMT_KFREE, 0x10020, 0);
	advance_watermark(scene, 40, 0);
	read_snapshot(scene, 40);
	assert_int_equal(scene->view.snapshot.lost, 3);
	assert_type(scene, "maker", 2, 0);
	/* and a record of unknown kind */
	put_record(scene, 50, KMT_ID_END, 0, 0);
	assert_int_equal(publish_end(&scene->publish, NULL, &scene->error), 0);
	assert_int_equal(publish_aggregated(&scene->publish), 6 - 3);
	assert_int_equal(publish_missing(&scene->publish), 3 + 1);
	free_scene(scene);
}

static void reports_unknown_losses_after_a_dropped_name(void **state)
{
	struct cache cache = { .since = 6, .object_size = 8, .size = 8, .name = "some" };
	struct scene *scene = make_scene(0);
	unsigned int polls = 0;

	(void)state;
	advance_watermark(scene, 10, 2);
	read_snapshot(scene, 10);
	assert_int_equal(scene->view.snapshot.lost, 2);
	for (cache.address = 0x1000; !scene->publish.names_dropped; cache.address++)
		publish_cache(&scene->publish, &cache);
	for (uint64_t time = 20; scene->view.snapshot.time < 20; time++) {
		advance_watermark(scene, time, 2);
		scratch_wait(&polls);
		assert_int_equal(stats_file_read(&scene->view, scene->path), 0);
	}
	assert_int_equal(scene->view.snapshot.lost, STATS_FILE_LOST_UNKNOWN);
	free_scene(scene);
}

static void refuses_a_second_publisher(void **state)
{
	struct scene *scene = make_scene(0), second = { 0 };

	(void)state;
	advance_watermark(scene, 10, 0);
	read_snapshot(scene, 10);
	second.directory = scene->directory;
	second.path = scene->path;
	assert_int_equal(start_publish(&second, 0), -EBUSY);
	assert_non_null(strstr(second.error.text, "memstat"));
	publish_close(&second.publish);
	advance_watermark(scene, 20, 0);
	read_snapshot(scene, 20);
	free_scene(scene);
}

/* The unobserved paths are unknown until the status has them, and may change. */
static void publishes_the_unobserved_paths(void **state)
{
	struct scene *scene = make_scene(0);
	struct status status = { 0 };

	(void)state;
	assert_int_equal(publish_paths(&scene->publish, &status, &scene->error), 0);
	advance_watermark(scene, 30, 0);
	read_snapshot(scene, 30);
	assert_null(scene->view.snapshot.paths);
	assert_int_equal(status_add_path(&status, "kmalloc", true, NULL), 0);
	assert_int_equal(status_add_path(&status, "one", false, "why"), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(publish_paths(&scene->publish, &status, &scene->error), 0);
	advance_watermark(scene, 40, 0);
	read_snapshot(scene, 40);
	assert_string_equal(scene->view.snapshot.paths, "one");
	assert_int_equal(status_add_path(&status, "two", false, "why"), 0);
	assert_int_equal(publish_paths(&scene->publish, &status, &scene->error), 0);
	advance_watermark(scene, 50, 0);
	read_snapshot(scene, 50);
	assert_string_equal(scene->view.snapshot.paths, "one,two");
	status_deinit(&status);
	free_scene(scene);
}

static void starts_from_the_initial_counts(void **state)
{
	struct scene *scene = make_scene(0);
	char *path = scratch_path(scene->directory, "kernel/slabinfo");
	static const char text[] = "slab 4 dentry 30 40\nslab 900 dentry 99 99\n";
	const struct cache dentry = {
		.address = 0xd000, .since = 6, .object_size = 192, .size = 200, .name = "dentry"
	};

	(void)state;
	assert_int_equal(publish_initial_counts(&scene->publish, scene->directory, &scene->error),
			 0);
	scratch_write(path, text, strlen(text));
	assert_int_equal(publish_initial_counts(&scene->publish, scene->directory, &scene->error),
			 0);
	publish_cache(&scene->publish, &dentry);
	put_record(scene, 10, KMT_CACHE_ALLOC, 0x10000, 0xd000);
	advance_watermark(scene, 30, 0);
	read_snapshot(scene, 30);
	assert_int_equal(count_used(&scene->view), 1);
	assert_string_equal(scene->view.types[0].name, "dentry");
	assert_int_equal(scene->view.types[0].initial_count, 30);
	free(path);
	free_scene(scene);
}

static void closes_what_was_never_opened(void **state)
{
	struct publish none = { 0 };
	struct scene scene = { .path = (char *)"/nowhere/at/all", .directory = (char *)"/nowhere" };

	(void)state;
	publish_close(&none);
	assert_int_not_equal(start_publish(&scene, 0), 0);
	assert_non_null(strstr(scene.error.text, "nowhere"));
	assert_int_equal(publish_aggregated(&scene.publish), 0);
	publish_close(&scene.publish);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(publishes_events_before_the_watermark),
		cmocka_unit_test(writes_metrics_without_a_statistics_file),
		cmocka_unit_test(names_functions_of_modules_loaded_later),
		cmocka_unit_test(counts_records_that_do_not_fit_in_the_queue),
		cmocka_unit_test(counts_objects_beyond_the_limit),
		cmocka_unit_test(reports_unknown_losses_after_a_dropped_name),
		cmocka_unit_test(refuses_a_second_publisher),
		cmocka_unit_test(publishes_the_unobserved_paths),
		cmocka_unit_test(starts_from_the_initial_counts),
		cmocka_unit_test(closes_what_was_never_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
