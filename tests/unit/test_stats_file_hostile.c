// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Files that are cut, damaged or made up, although they have a living writer: the reader returns an
 * error, or consistent counters. Run this with the address sanitizer too.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/stats/stats_file_layout.h"
#include "tests/unit/hand_type_stats.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#define DAMAGES 20000

struct fixture {
	char *directory, *path;
	int file; /* locked as by a writer */
	unsigned char *bytes;
	size_t size;
	struct stats_file_layout layout;
	struct stats_file_view view;
};

/* The bytes of a valid file. */
static void make_good(struct fixture *fixture)
{
	char *path = scratch_path(fixture->directory, "good");
	struct stats_file *stats_file = hand_stats_file_create(path);
	struct type_stats type_stats;

	hand_type_stats_init(&type_stats);
	hand_type_stats_change(&type_stats,
			       hand_type_stats_add(&type_stats, TYPE_STATS_FUNCTION, "function", 2),
			       1);
	hand_type_stats_change(&type_stats,
			       hand_type_stats_add(&type_stats, TYPE_STATS_CACHE, "cache", 1), 2);
	hand_type_stats_add(&type_stats, TYPE_STATS_CACHE, "empty", 0)->aliases = "one,two";
	hand_stats_file_write(stats_file, &type_stats, 1);
	hand_stats_file_write(stats_file, &type_stats, 2);
	hand_stats_file_write(stats_file, &type_stats, 3);
	fixture->bytes = scratch_read(path, &fixture->size);
	stats_file_layout(&fixture->layout, 2, 8);
	stats_file_layout_more(&fixture->layout, sizeof(struct stats_file_type_more));
	assert_int_equal(fixture->size, fixture->layout.bytes);
	stats_file_remove(stats_file);
	hand_type_stats_deinit(&type_stats);
	free(path);
}

static int set_up_stats_file_hostile(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	assert_non_null(fixture);
	fixture->directory = scratch_directory();
	fixture->path = scratch_path(fixture->directory, "memstat");
	make_good(fixture);
	fixture->file = open(fixture->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fixture->file >= 0);
	assert_int_equal(fcntl(fixture->file, F_OFD_SETLK, &lock), 0);
	*state = fixture;
	return 0;
}

static int tear_down_stats_file_hostile(void **state)
{
	struct fixture *fixture = *state;

	stats_file_view_deinit(&fixture->view);
	close(fixture->file);
	free(fixture->bytes);
	free(fixture->path);
	scratch_remove(fixture->directory);
	free(fixture);
	return 0;
}

/* Writes this number of bytes to the file. */
static void write_bytes(const struct fixture *fixture, size_t size)
{
	assert_int_equal(ftruncate(fixture->file, (off_t)size), 0);
	assert_int_equal(pwrite(fixture->file, fixture->bytes, size, 0), size);
}

/* Reads every byte of the view, and checks that its counters are consistent. */
static void use_view(const struct stats_file_view *view)
{
	size_t sum = 0;

	assert_in_range(view->class_count, 0, TYPE_STATS_CLASSES_MAX);
	for (size_t i = 0; i < view->count; i++) {
		const struct type_stats_type *type = &view->types[i];

		assert_in_range(type->kind, 0, TYPE_STATS_KINDS - 1);
		assert_true(strlen(type->name) > 0);
		sum += type->aliases ? strlen(type->aliases) : 0;
		assert_true(type->numfrees <= type->numallocs);
		assert_true(type->memfreed <= type->memalloced);
		assert_true(type->cpu_count <= view->cpus);
		for (size_t cpu = 0; cpu < type->cpu_count; cpu++)
			sum += type->cpus[cpu].numallocs + type->cpus[cpu].sizemask;
	}
	assert_true(sum < SIZE_MAX);
}

static int read_any(struct fixture *fixture)
{
	int err;

	fixture->view.errmsg[0] = 0;
	err = stats_file_read(&fixture->view, fixture->path);
	switch (err) {
	case 0:
		use_view(&fixture->view);
		return 0;
	case -EBADMSG:
	case -EPROTONOSUPPORT:
	case -EAGAIN:
	case -ENOMEM:
		assert_int_equal(fixture->view.count, 0);
		assert_non_null(strstr(fixture->view.errmsg, fixture->path));
		return err;
	default:
		fail_msg("error %d: %s", err, fixture->view.errmsg);
		return err;
	}
}

static void test_good(void **state)
{
	struct fixture *fixture = *state;

	write_bytes(fixture, fixture->size);
	assert_int_equal(read_any(fixture), 0);
	assert_int_equal(fixture->view.count, 3);
	assert_int_equal(fixture->view.snapshot.time, 3);
}

/* Reads with a view that has read the valid file before, and with a new one. */
static void test_cut_file(void **state)
{
	struct fixture *fixture = *state;

	for (size_t size = 0; size < fixture->size; size += size < 200 ? 1 : 97) {
		write_bytes(fixture, fixture->size);
		assert_int_equal(read_any(fixture), 0);
		assert_int_equal(ftruncate(fixture->file, (off_t)size), 0);
		if (read_any(fixture))
			assert_int_equal(read_any(fixture), -EBADMSG);
		stats_file_view_deinit(&fixture->view);
		assert_int_equal(read_any(fixture), -EBADMSG);
	}
}

static void test_version(void **state)
{
	struct fixture *fixture = *state;
	struct stats_file_head *head = (void *)fixture->bytes;

	head->version = STATS_FILE_VERSION + 1;
	write_bytes(fixture, fixture->size);
	assert_int_equal(read_any(fixture), -EPROTONOSUPPORT);
	assert_non_null(strstr(fixture->view.errmsg, "version 2"));
	head->version = STATS_FILE_VERSION;
	head->magic = __builtin_bswap64(head->magic);
	write_bytes(fixture, fixture->size);
	assert_int_equal(read_any(fixture), -EBADMSG);
}

/* As if the writer always overwrote the slot that is being read. */
static void test_too_fast(void **state)
{
	struct fixture *fixture = *state;
	struct stats_file_slot *slot =
		(void *)(fixture->bytes + stats_file_slot_at(&fixture->layout, 3));

	assert_int_equal(slot->generation, 3);
	slot->generation = 5;
	write_bytes(fixture, fixture->size);
	assert_int_equal(read_any(fixture), -EAGAIN);
	slot->types = UINT64_MAX;
	write_bytes(fixture, fixture->size);
	assert_int_equal(read_any(fixture), -EAGAIN);
	slot->generation = 3;
	write_bytes(fixture, fixture->size);
	assert_int_equal(read_any(fixture), -EBADMSG);
}

/* Each of these numbers is set too high or out of order. */
static void test_numbers(void **state)
{
	struct fixture *fixture = *state;
	struct stats_file_slot *slot =
		(void *)(fixture->bytes + stats_file_slot_at(&fixture->layout, 3));
	struct stats_file_record *record =
		(void *)(fixture->bytes + stats_file_records_at(&fixture->layout, 3));
	struct type_stats_cpu *row =
		(void *)(fixture->bytes + stats_file_row_at(&fixture->layout, 3, 1));
	struct stats_file_slot_more *slot_more = (void *)(slot + 1);
	struct stats_file_type_more *type_more =
		(void *)(fixture->bytes + stats_file_more_at(&fixture->layout, 3));
	struct stats_file_head *head = (void *)fixture->bytes;
	const struct {
		uint64_t *number, value;
	} wrong[] = {
		{ &slot->types, 9 },
		{ &slot->types, UINT64_MAX },
		{ &slot->cpus, 3 },
		{ &slot->cpus, 1 },
		{ &slot->text_bytes, 0 },
		{ &slot->text_bytes, 4 },
		{ &slot->text_bytes, UINT64_MAX },
		{ &slot->class_count, 65 },
		{ &slot->class_count, 1 },
		{ &slot->class_bytes[1], 8 },
		{ &slot->class_bytes[0], 0 },
		{ &record->kind, 2 },
		{ &record->name, slot->text_bytes },
		{ &record->name, UINT64_MAX },
		{ &record->name, record->name + 8 },
		{ &record->aliases, slot->text_bytes },
		{ &record->object_size, UINT64_C(1) << 32 },
		{ &record->size, UINT64_C(1) << 32 },
		{ &record->numfrees, record->numallocs + 1 },
		{ &record->memfreed, record->memalloced + 1 },
		{ &record->sizemask, 8 },
		{ &record->cpu_count, 3 },
		{ &row->sizemask, 8 },
		{ &slot_more->paths, slot->text_bytes },
		{ &slot_more->paths, UINT64_MAX },
		{ &type_more->missed_frees, record->numfrees + 1 },
		{ &head->type_more_bytes, 12 },
		{ &head->type_more_bytes, 4096 },
		{ &head->type_more_bytes, UINT64_MAX },
	};

	write_bytes(fixture, fixture->size);
	assert_int_equal(read_any(fixture), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		uint64_t right = *wrong[i].number;

		*wrong[i].number = wrong[i].value;
		stats_file_view_deinit(&fixture->view);
		write_bytes(fixture, fixture->size);
		if (read_any(fixture) != -EBADMSG)
			fail_msg("number %zu is believed", i);
		*wrong[i].number = right;
	}
	write_bytes(fixture, fixture->size);
	assert_int_equal(read_any(fixture), 0);
}

/* Records of a file without CPUs have no rows: the reader's array of rows may be empty. */
static void test_no_cpus(void **state)
{
	struct fixture *fixture = *state;
	struct stats_file_slot *slot =
		(void *)(fixture->bytes + stats_file_slot_at(&fixture->layout, 3));
	struct stats_file_record *records =
		(void *)(fixture->bytes + stats_file_records_at(&fixture->layout, 3));

	slot->cpus = 0;
	for (size_t i = 0; i < slot->types; i++)
		records[i].cpu_count = 0;
	write_bytes(fixture, fixture->size);
	assert_int_equal(read_any(fixture), 0);
	assert_int_equal(fixture->view.count, 3);
	assert_int_equal(fixture->view.types[0].cpu_count, 0);
}

/* A sparse file of the maximum size: the reader does not allocate so much memory. */
static void test_much(void **state)
{
	struct fixture *fixture = *state;
	struct stats_file_head *head = (void *)fixture->bytes;
	struct stats_file_slot slot = { .generation = 2,
					.types = STATS_FILE_TYPES_MAX,
					.cpus = STATS_FILE_CPUS_MAX,
					.text_bytes = 1 };
	struct stats_file_layout layout;

	stats_file_layout(&layout, STATS_FILE_CPUS_MAX, STATS_FILE_TYPES_MAX);
	head->cpus = STATS_FILE_CPUS_MAX;
	head->types = STATS_FILE_TYPES_MAX;
	head->text_bytes = layout.text_bytes;
	head->current = 2;
	if (ftruncate(fixture->file, (off_t)layout.bytes))
		skip(); /* the file system does not allow files of that size */
	assert_int_equal(pwrite(fixture->file, head, sizeof(*head), 0), sizeof(*head));
	assert_int_equal(pwrite(fixture->file, &slot, sizeof(slot),
				(off_t)stats_file_slot_at(&layout, 2)),
			 sizeof(slot));
	assert_int_equal(read_any(fixture), -EBADMSG);
}

/* The offset of something: the headers, the records, the rows, the names. */
static size_t random_place(const struct fixture *fixture, uint64_t *random)
{
	const struct stats_file_layout *layout = &fixture->layout;
	const size_t starts[] = { 0,
				  stats_file_slot_at(layout, 3),
				  stats_file_records_at(layout, 3),
				  stats_file_row_at(layout, 3, 0),
				  stats_file_row_at(layout, 3, 1),
				  layout->text };
	static const size_t sizes[] = { 64, 96, 3 * 128, 3 * 40, 3 * 40, 40 };
	size_t part = scratch_random(random) % 6;

	return starts[part] + scratch_random(random) % sizes[part];
}

static void test_damaged(void **state)
{
	static const unsigned char often[] = { 0, 1, 2, 3, 0x7f, 0x80, 0xff };
	struct fixture *fixture = *state;
	unsigned char *good = malloc(fixture->size);
	uint64_t random = 0x9e3779b97f4a7c15;
	size_t believed = 0;

	assert_non_null(good);
	memcpy(good, fixture->bytes, fixture->size);
	for (int i = 0; i < DAMAGES; i++) {
		size_t changes = 1 + scratch_random(&random) % 4;

		for (size_t k = 0; k < changes; k++) {
			uint64_t value = scratch_random(&random);

			fixture->bytes[random_place(fixture, &random)] =
				value & 256 ? (unsigned char)value : often[value % 7];
		}
		write_bytes(fixture, fixture->size);
		believed += !read_any(fixture);
		if (scratch_random(&random) % 4 == 0)
			stats_file_view_deinit(&fixture->view);
		if (scratch_random(&random) % 3)
			memcpy(fixture->bytes, good, fixture->size);
	}
	/* most changes hit a counter, and give a valid file */
	assert_in_range(believed, DAMAGES / 20, DAMAGES / 20 * 19);
	free(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_good, set_up_stats_file_hostile,
						tear_down_stats_file_hostile),
		cmocka_unit_test_setup_teardown(test_cut_file, set_up_stats_file_hostile,
						tear_down_stats_file_hostile),
		cmocka_unit_test_setup_teardown(test_version, set_up_stats_file_hostile,
						tear_down_stats_file_hostile),
		cmocka_unit_test_setup_teardown(test_too_fast, set_up_stats_file_hostile,
						tear_down_stats_file_hostile),
		cmocka_unit_test_setup_teardown(test_numbers, set_up_stats_file_hostile,
						tear_down_stats_file_hostile),
		cmocka_unit_test_setup_teardown(test_no_cpus, set_up_stats_file_hostile,
						tear_down_stats_file_hostile),
		cmocka_unit_test_setup_teardown(test_much, set_up_stats_file_hostile,
						tear_down_stats_file_hostile),
		cmocka_unit_test_setup_teardown(test_damaged, set_up_stats_file_hostile,
						tear_down_stats_file_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
