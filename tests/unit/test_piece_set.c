// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The directories of a set of pieces: their names, sizes, preparation and removal. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/inside.h"
#include "capture/parts.h"
#include "capture/reader.h"
#include "capture/writer.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"
#include "tracer/pieces/piece_set.h"

static char *folder;
static int set;

static int start_set(void **state)
{
	(void)state;
	folder = scratch_directory();
	set = open(folder, O_RDONLY | O_DIRECTORY);
	return set < 0;
}

static int stop_set(void **state)
{
	(void)state;
	close(set);
	scratch_remove(folder);
	return 0;
}

static void assert_text(const char *name, const char *expected)
{
	char *text;

	assert_int_equal(read_file(set, name, 1 << 20, &text, NULL), 0);
	assert_string_equal(text, expected);
	free(text);
}

static void lists_pieces_by_number(void **state)
{
	char other[PIECE_OTHER_SIZE];
	unsigned int *numbers;
	size_t count;

	(void)state;
	assert_false(piece_set_is_set(set));
	assert_false(piece_set_has_other(set, other));
	scratch_put(folder, "piece.000010/", NULL);
	scratch_put(folder, "piece.000009/", NULL);
	assert_true(piece_set_is_set(set));
	scratch_put(folder, ".next.000011/", NULL);
	assert_true(piece_set_is_set(set));
	scratch_put(folder, "piece.000009.damaged/", NULL);
	scratch_put(folder, "piece.000009.damaged.1/", NULL);
	scratch_put(folder, "piece.000009.new.a1B2c3/", NULL);
	assert_true(piece_set_is_set(set));
	assert_false(piece_set_has_other(set, other));
	scratch_put(folder, "piece.000009.old/", NULL);
	assert_false(piece_set_is_set(set));
	assert_true(piece_set_has_other(set, other));
	assert_string_equal(other, "piece.000009.old");
	scratch_put(folder, "piece.12/", NULL);
	scratch_put(folder, "piece.000000/", NULL);
	scratch_put(folder, "piece.000012.old/", NULL);
	assert_false(piece_set_is_set(set));
	assert_int_equal(parts_list_pieces_at(set, &numbers, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(numbers[0], 9);
	assert_int_equal(numbers[1], 10);
	free(numbers);
}

static void prepares_the_next_piece(void **state)
{
	struct stat about;

	(void)state;
	scratch_put_piece(folder, "piece.000001", "kernel/formats/", 1);
	scratch_put(folder, "piece.000001/kernel/symbols", "symbols");
	scratch_put(folder, "piece.000001/kernel/formats/kfree.format", "format");
	scratch_put(folder, "piece.000001/kernel/caches",
		    "kmalloc kmalloc-8\nalias a b,c\ncache ff 0 8 8 kmalloc-8\nkmallocs x\n"
		    "gone ff 5\nalias b a,c\nreclaim_account a 1\n");
	scratch_put(folder, "piece.000001/kernel/slabinfo", "sizes a 8 8\nslab 5 a 1 2\n");
	scratch_put(folder, "piece.000001/kernel/tasks", "task 1 1 0 init\n");
	assert_int_equal(piece_prepare(set, 2), 0);
	assert_text(".next.000002/kernel/caches",
		    "kmalloc kmalloc-8\nalias a b,c\nalias b a,c\nreclaim_account a 1\n");
	assert_text(".next.000002/kernel/slabinfo", "sizes a 8 8\n");
	assert_text(".next.000002/kernel/formats/kfree.format", "format");
	assert_false(scratch_has(folder, ".next.000002/kernel/tasks"));
	assert_false(scratch_has(folder, ".next.000002/kernel/gfp"));
	assert_false(scratch_has(folder, ".next.000002/metadata"));
	assert_int_equal(fstatat(set, ".next.000002/kernel/symbols", &about, 0), 0);
	assert_int_equal(about.st_nlink, 2);
	/* again, over what is there */
	assert_int_equal(piece_prepare(set, 2), 0);
	piece_prepare_undo(set, 2);
	assert_false(scratch_has(folder, ".next.000002"));
	assert_int_equal(piece_prepare(set, 3), -ENOENT);
	assert_false(scratch_has(folder, ".next.000003"));
}

/* Bytes that are appended to a shared file later are not in the other pieces. */
static void unshares_a_table(void **state)
{
	int first, second;

	(void)state;
	scratch_put_piece(folder, "piece.000001", "kernel/formats/", 1);
	scratch_put(folder, "piece.000001/kernel/symbols", "symbols");
	assert_int_equal(piece_prepare(set, 2), 0);
	assert_int_equal(renameat(set, ".next.000002", set, "piece.000002"), 0);
	first = inside_open_directory(set, "piece.000001");
	second = inside_open_directory(set, "piece.000002");
	assert_int_equal(piece_copy_newer(first, second, "kernel/symbols"), 0);
	assert_int_equal(piece_unshare(first, "kernel/symbols"), 0);
	scratch_put(folder, "piece.000001/kernel/symbols", "symbols and more");
	assert_text("piece.000002/kernel/symbols", "symbols");
	assert_int_equal(piece_copy_newer(first, second, "kernel/symbols"), 0);
	assert_text("piece.000002/kernel/symbols", "symbols and more");
	assert_int_equal(piece_unshare(second, "kernel/symbols"), 0);
	assert_int_equal(piece_unshare(second, "kernel/none"), 0);
	assert_false(scratch_has(folder, "piece.000002/kernel/.symbols"));
	close(first);
	close(second);
}

static void removes_what_was_left(void **state)
{
	(void)state;
	scratch_put_piece(folder, "piece.000001", "kernel/formats/", 1);
	scratch_put_piece(folder, "piece.000002", "kernel/formats/", 1);
	scratch_put(folder, "piece.000002/checkpoint.new/", NULL);
	scratch_put(folder, "piece.000002/checkpoint.new/cpu0", "half");
	scratch_put_piece(folder, "piece.000003", "kernel/formats/", 1);
	assert_int_equal(unlinkat(set, "piece.000003/cpu0", 0), 0);
	scratch_put(folder, ".next.000003/", NULL);
	scratch_put(folder, ".next.000003/file", "text");
	assert_int_equal(piece_set_clean(set), 0);
	assert_true(scratch_has(folder, "piece.000001/cpu0"));
	assert_true(scratch_has(folder, "piece.000002/cpu0"));
	assert_false(scratch_has(folder, "piece.000002/checkpoint.new"));
	assert_false(scratch_has(folder, "piece.000003"));
	assert_false(scratch_has(folder, ".next.000003"));
}

static void knows_the_pieces_of_one_run(void **state)
{
	(void)state;
	scratch_put_piece(folder, "piece.000001", "kernel/formats/", 1);
	scratch_put_piece(folder, "piece.000002", "kernel/formats/", 1);
	scratch_put_piece(folder, "piece.000003", "kernel/formats/", 2);
	scratch_put(folder, "piece.000002/checkpoint/", NULL);
	assert_false(piece_set_follows(set, 1));
	assert_true(piece_set_follows(set, 2));
	assert_false(piece_set_follows(set, 3));
	assert_false(piece_set_follows(set, 4));
	assert_true(piece_set_has_checkpoint(set, 2));
	assert_false(piece_set_has_checkpoint(set, 3));
	assert_int_equal(piece_set_remove(set, 1), 0);
	assert_int_equal(piece_set_remove(set, 1), 0);
	assert_false(scratch_has(folder, "piece.000001"));
	assert_false(piece_set_follows(set, 2));
}

static uint64_t measure_set(unsigned int writing)
{
	uint64_t bytes;

	assert_int_equal(piece_set_measure(set, writing, &bytes), 0);
	return bytes;
}

static void fill_file(const char *name, size_t size)
{
	char *text = calloc(1, size + 1);

	memset(text, 'x', size);
	scratch_put(folder, name, text);
	free(text);
}

/* Files with two names count once; the streams and tables of pieces that are written do not. */
static void measures_what_is_on_disk(void **state)
{
	uint64_t before, bytes;
	int piece;

	(void)state;
	scratch_put_piece(folder, "piece.000001", "kernel/formats/", 1);
	scratch_put_piece(folder, "piece.000002", "kernel/formats/", 1);
	before = measure_set(3);
	fill_file("piece.000001/cpu1", 1 << 20);
	assert_in_range(measure_set(3) - before, 1 << 20, (1 << 20) + 65536);
	assert_int_equal(linkat(set, "piece.000001/cpu1", set, "piece.000002/cpu1", 0), 0);
	assert_in_range(measure_set(3) - before, 1 << 20, (1 << 20) + 65536);
	assert_int_equal(unlinkat(set, "piece.000002/cpu1", 0), 0);
	fill_file("piece.000002/cpu1", 1 << 20);
	assert_in_range(measure_set(3) - before, 2 << 20, (2 << 20) + 65536);
	bytes = measure_set(2);
	assert_true(bytes < before + (1 << 20) + 65536);
	scratch_put(folder, "piece.000002/checkpoint/", NULL);
	fill_file("piece.000002/checkpoint/cpu0", 1 << 20);
	assert_in_range(measure_set(2) - bytes, 1 << 20, (1 << 20) + 65536);
	fill_file("piece.000002/kernel/tasks", 1 << 18);
	piece = inside_open_directory(set, "piece.000002");
	assert_int_equal(piece_set_measure_tables(piece, &bytes), 0);
	assert_in_range(bytes, 1 << 18, (1 << 18) + 65536);
	close(piece);
}

static void put_free(struct writer *writer, uint32_t sequence)
{
	struct kmt_record record = { .time = 2000 + sequence,
				     .id = KMT_KFREE,
				     .words = KMT_RECORD_WORDS,
				     .sequence = sequence };

	assert_int_equal(writer_put(writer, &record), 0);
}

/* All its events are lost then, with the times of the stream. */
static void empties_a_piece(void **state)
{
	static const uint8_t uuid[16] = { 1 };
	struct writer_ended ended;
	struct writer writer;
	struct stream stream;
	struct packet packet;
	char *path;

	(void)state;
	scratch_put_piece(folder, "piece.000001", "kernel/formats/", 1);
	scratch_put_piece(folder, "piece.000002", "kernel/formats/", 1);
	path = scratch_path(folder, "piece.000001/cpu0");
	assert_int_equal(writer_open(&writer, openat(set, "piece.000001/cpu0", O_WRONLY | O_TRUNC),
				     path, uuid, 0, 1000),
			 0);
	put_free(&writer, 0);
	assert_int_equal(writer_release(&writer), 0);
	free(path);
	path = scratch_path(folder, "piece.000002/cpu0");
	assert_int_equal(writer_switch(&writer,
				       openat(set, "piece.000002/cpu0", O_WRONLY | O_TRUNC), path,
				       2500, 0, &ended),
			 0);
	loss_deinit(&ended.loss);
	for (uint32_t i = 1; i < 10000; i++)
		put_free(&writer, i);
	assert_int_equal(writer_release(&writer), 0);
	assert_int_equal(writer_flush(&writer, 50000, 3, true), 0);
	writer_close(&writer);
	assert_int_equal(piece_empty(set, 2), 0);
	assert_int_equal(stream_open(&stream, path), 0);
	assert_int_equal(stream.size, 2 * sizeof(struct packet_header));
	assert_int_equal(stream_next(&stream, &packet), 1);
	assert_int_equal(packet.header.sequence_end, 1);
	assert_int_equal(packet.header.time_first, 2500);
	assert_int_equal(stream_next(&stream, &packet), 1);
	assert_int_equal(packet.header.records, 0);
	assert_int_equal(packet.header.lost, 9999);
	assert_int_equal(packet.header.sequence_end, 10000);
	assert_int_equal(packet.header.time_last, 50000);
	assert_int_equal(packet.header.skipped, 3);
	assert_int_equal(stream_next(&stream, &packet), 0);
	stream_close(&stream);
	assert_int_equal(piece_empty(set, 3), -ENOENT);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lists_pieces_by_number, start_set, stop_set),
		cmocka_unit_test_setup_teardown(prepares_the_next_piece, start_set, stop_set),
		cmocka_unit_test_setup_teardown(unshares_a_table, start_set, stop_set),
		cmocka_unit_test_setup_teardown(removes_what_was_left, start_set, stop_set),
		cmocka_unit_test_setup_teardown(knows_the_pieces_of_one_run, start_set, stop_set),
		cmocka_unit_test_setup_teardown(measures_what_is_on_disk, start_set, stop_set),
		cmocka_unit_test_setup_teardown(empties_a_piece, start_set, stop_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
