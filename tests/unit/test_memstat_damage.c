// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Captures that are cut, damaged, of a later version or of another user, directories that are not
 * captures, and failing allocations: each gives a documented error and leaves the list unchanged.
 */
#include "config.h"

#include <byteswap.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "tests/unit/unit.h"
#include "tests/unit/fail_malloc.h"
#include "tests/unit/fake_source.h"
#include "tests/unit/scratch.h"
#include "capture/reader.h"

#define RECORDS 7

/* Only allocations, so that the rest of a cut stream can be counted; the last packets are empty. */
static const char text[] = "begin 1ms\n"
			   "end 2s\n"
			   "symbol 0xffffffff81000000 caller\n"
			   "cache some 0xffff888000001000 100 128\n"
			   "task 100 100 a_task\n"
			   "alloc  10ms 0 0xffff888000100000 100/128 caller+1\n"
			   "calloc 11ms 1 0xffff888000200000 some caller+2\n"
			   "alloc  12ms 0 0xffff888000100080 100/128 caller+1\n"
			   "flush\n"
			   "calloc 20ms 0 0xffff888000200100 some caller+2 task=100\n"
			   "alloc  21ms 1 0xffff888000100180 100/128 caller+1\n"
			   "calloc 22ms 1 0xffff888000200200 some caller+2\n"
			   "flush\n"
			   "alloc  30ms 0 0xffff888000100200 100/128 caller+1\n";

struct damage {
	char *directory;
	struct memstat_capture *capture;
	struct memory_type_list *list;
};

static int set_up_memstat_damage(void **state)
{
	struct damage *damage = calloc(1, sizeof(*damage));

	damage->directory = scratch_capture(text);
	damage->capture = memstat_capture_open(damage->directory);
	damage->list = memstat_mtl_alloc();
	*state = damage;
	return damage->capture ? memstat_kvm_all(damage->list, damage->capture) : -1;
}

static int tear_down_memstat_damage(void **state)
{
	struct damage *damage = *state;

	memstat_capture_close(damage->capture);
	memstat_mtl_free(damage->list);
	scratch_remove(damage->directory);
	free(damage);
	return 0;
}

/* The allocations of all caches. */
static uint64_t count_records(struct memory_type_list *list)
{
	uint64_t count = 0;

	for (struct memory_type *type = memstat_mtl_first(list); type;
	     type = memstat_mtl_next(type)) {
		assert_int_equal(memstat_get_numallocs(type) - memstat_get_numfrees(type),
				 memstat_get_count(type));
		if (memstat_get_allocator(type) == ALLOCATOR_UMA)
			count += memstat_get_numallocs(type);
	}
	return count;
}

/* The error of a query, which must be one that a capture can cause. */
static int query_all(struct damage *damage)
{
	int result, error;

	errno = 0;
	result = memstat_kvm_all(damage->list, damage->capture);
	if (!result) {
		assert_int_equal(errno, 0);
		return MEMSTAT_ERROR_UNDEFINED;
	}
	error = memstat_mtl_geterror(damage->list);
	assert_true(error == MEMSTAT_ERROR_DATAERROR || error == MEMSTAT_ERROR_VERSION ||
		    error == MEMSTAT_ERROR_KVM_SHORTREAD);
	assert_true(errno);
	assert_true(*memstat_mtl_errortext(damage->list));
	assert_string_equal(memstat_mtl_errortext(damage->list),
			    memstat_capture_errortext(damage->capture));
	return error;
}

/* In the byte order of this machine, which may differ from that of the capture. */
static bool read_header(const unsigned char *bytes, struct packet_header *header)
{
	bool swap;

	memcpy(header, bytes, sizeof(*header));
	swap = header->magic != PACKET_MAGIC;
	if (swap)
		packet_header_swap(header);
	assert_int_equal(header->magic, PACKET_MAGIC);
	return swap;
}

/* The records in the whole packets of a stream that ends there. */
static uint64_t whole_records(const unsigned char *bytes, size_t size, bool *between)
{
	struct packet_header header;
	uint64_t records = 0;
	size_t at = 0;

	while (size - at >= sizeof(header)) {
		read_header(bytes + at, &header);
		if (header.packet_bits / 8 > size - at)
			break;
		at += header.packet_bits / 8;
		records += header.records;
	}
	*between = at == size;
	return records;
}

static void test_cut_anywhere(void **state)
{
	static const char *const names[] = { "cpu0", "cpu1" };
	struct damage *damage = *state;
	unsigned int cuts = 0;

	assert_int_equal(count_records(damage->list), RECORDS);
	for (int i = 0; i < 2; i++) {
		char *path = scratch_path(damage->directory, names[i]);
		unsigned char *bytes;
		uint64_t all;
		size_t size;
		bool between;

		bytes = scratch_read(path, &size);
		all = whole_records(bytes, size, &between);
		assert_true(between);
		for (size_t cut = 0; cut < size; cut++) {
			uint64_t left = whole_records(bytes, cut, &between);
			int error;

			scratch_write(path, bytes, cut);
			error = query_all(damage);
			/* the loss of an empty packet is not detected */
			if (between && left == all)
				assert_int_equal(error, MEMSTAT_ERROR_UNDEFINED);
			else
				assert_int_equal(error, MEMSTAT_ERROR_KVM_SHORTREAD);
			assert_int_equal(count_records(damage->list), RECORDS - all + left);
			cuts += error == MEMSTAT_ERROR_KVM_SHORTREAD;
			if (error)
				assert_int_equal(memstat_mtl_lost(damage->list, ALLOCATOR_ANY),
						 MEMSTAT_LOST_UNKNOWN);
		}
		scratch_write(path, bytes, size);
		assert_int_equal(query_all(damage), MEMSTAT_ERROR_UNDEFINED);
		assert_int_equal(count_records(damage->list), RECORDS);
		free(bytes);
		free(path);
	}
	assert_true(cuts > 1000);
}

static void test_stream_is_gone(void **state)
{
	struct damage *damage = *state;
	char *path = scratch_path(damage->directory, "cpu1");

	assert_int_equal(unlink(path), 0);
	assert_int_equal(query_all(damage), MEMSTAT_ERROR_KVM_SHORTREAD);
	assert_int_equal(count_records(damage->list), 4);
	assert_non_null(strstr(memstat_mtl_errortext(damage->list), "hold less than its status"));
	free(path);
}

static void test_status_is_gone(void **state)
{
	struct damage *damage = *state;
	char *path = scratch_path(damage->directory, "kernel/status");

	assert_int_equal(unlink(path), 0);
	assert_int_equal(query_all(damage), MEMSTAT_ERROR_KVM_SHORTREAD);
	assert_int_equal(count_records(damage->list), RECORDS);
	assert_int_equal(memstat_mtl_lost(damage->list, ALLOCATOR_ANY), MEMSTAT_LOST_UNKNOWN);
	assert_non_null(strstr(memstat_mtl_errortext(damage->list), "no status"));
	free(path);
}

/* Damage that is followed by whole packets is not a cut. */
static void test_damage_in_the_midst(void **state)
{
	struct damage *damage = *state;
	char *path = scratch_path(damage->directory, "cpu0");
	struct packet_header header;
	unsigned char *bytes;
	size_t size, last = 0;
	unsigned int midst = 0;

	bytes = scratch_read(path, &size);
	for (size_t at = 0; at < size; at += header.packet_bits / 8) {
		read_header(bytes + at, &header);
		last = at;
	}
	for (size_t i = 0; i < size; i++) {
		int error;

		bytes[i] ^= 1 << i % 8;
		scratch_write(path, bytes, size);
		error = query_all(damage);
		bytes[i] ^= 1 << i % 8;
		if (i >= last) {
			assert_int_equal(error, MEMSTAT_ERROR_KVM_SHORTREAD);
			continue;
		}
		assert_int_equal(error, MEMSTAT_ERROR_DATAERROR);
		assert_int_equal(errno, EBADMSG);
		assert_int_equal(count_records(damage->list), RECORDS);
		assert_non_null(strstr(memstat_mtl_errortext(damage->list), "--repair"));
		midst++;
	}
	assert_true(midst > 300);
	free(bytes);
	free(path);
}

#define STRIDE 10 /* to save time: test_hostile cuts and changes every byte */

/*
 * Every other file, cut at every STRIDE bytes, and with one bit changed there; at fewer if
 * $KMEMTRACE_STRIDE is larger than 1.
 */
static void test_hostile_tables(void **state)
{
	static const char *const names[] = { "metadata", "kernel/status", "kernel/symbols",
					     "kernel/tasks", "kernel/caches" };
	const size_t stride = STRIDE * scratch_setting("KMEMTRACE_STRIDE", 1);
	struct damage *damage = *state;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *path = scratch_path(damage->directory, names[i]);
		unsigned char *bytes;
		size_t size;

		bytes = scratch_read(path, &size);
		for (size_t at = i; at < size; at += stride) {
			scratch_write(path, bytes, at);
			query_all(damage);
			assert_true(count_records(damage->list) <= RECORDS);
			bytes[at] ^= 1 << at % 8;
			scratch_write(path, bytes, size);
			query_all(damage);
			assert_true(count_records(damage->list) <= RECORDS);
			bytes[at] ^= 1 << at % 8;
		}
		scratch_write(path, bytes, size);
		assert_int_equal(query_all(damage), MEMSTAT_ERROR_UNDEFINED);
		assert_int_equal(count_records(damage->list), RECORDS);
		free(bytes);
		free(path);
	}
}

static void set_header(const char *path, uint16_t version, uint16_t codec)
{
	struct packet_header header;
	unsigned char *bytes;
	size_t size, packet;
	bool swap;

	bytes = scratch_read(path, &size);
	swap = read_header(bytes, &header);
	packet = header.packet_bits / 8;
	header.version = version;
	header.codec = codec;
	header.crc = 0;
	if (swap)
		packet_header_swap(&header);
	memcpy(bytes, &header, sizeof(header));
	header.crc = (uint32_t)crc32(0, bytes, packet);
	if (swap)
		header.crc = bswap_32(header.crc);
	memcpy(bytes, &header, sizeof(header));
	scratch_write(path, bytes, size);
	free(bytes);
}

static void append_line(const char *path, const char *line)
{
	FILE *file = fopen(path, "a");

	assert_non_null(file);
	assert_true(fputs(line, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void expect_version(struct damage *damage)
{
	assert_int_equal(query_all(damage), MEMSTAT_ERROR_VERSION);
	assert_int_equal(errno, EPROTONOSUPPORT);
	assert_int_equal(count_records(damage->list), RECORDS);
}

static void test_later_packet(void **state)
{
	struct damage *damage = *state;
	char *path = scratch_path(damage->directory, "cpu1");

	set_header(path, PACKET_VERSION + 1, PACKET_RAW);
	expect_version(damage);
	set_header(path, PACKET_VERSION, 99);
	expect_version(damage);
	set_header(path, PACKET_VERSION, PACKET_RAW);
	assert_int_equal(query_all(damage), MEMSTAT_ERROR_UNDEFINED);
	free(path);
}

static void test_later_status(void **state)
{
	struct damage *damage = *state;
	char *path = scratch_path(damage->directory, "kernel/status");

	append_line(path, "format 99\n");
	expect_version(damage);
	free(path);
}

static void test_later_metadata(void **state)
{
	struct damage *damage = *state;
	char *path = scratch_path(damage->directory, "metadata"), *at;
	unsigned char *bytes;
	size_t size;

	bytes = scratch_read(path, &size);
	bytes[size] = 0;
	at = strstr((char *)bytes, "kmt_format = 1");
	assert_non_null(at);
	at[strlen("kmt_format = ")] = '9';
	scratch_write(path, bytes, size);
	expect_version(damage);
	assert_null(memstat_capture_open(damage->directory));
	assert_int_equal(errno, EPROTONOSUPPORT);
	assert_non_null(strstr(memstat_capture_errortext(NULL), "format 9"));
	free(bytes);
	free(path);
}

/* A table that exists but cannot be read is an error: types would get other names unnoticed. */
static void test_table_cannot_be_read(void **state)
{
	struct damage *damage = *state;
	char *path = scratch_path(damage->directory, "kernel/caches");

	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(query_all(damage), MEMSTAT_ERROR_DATAERROR);
	assert_int_equal(count_records(damage->list), RECORDS);
	assert_non_null(strstr(memstat_mtl_errortext(damage->list), "names of slab caches"));
	assert_int_equal(rmdir(path), 0);
	free(path);
}

/* No counter depends on the names of tasks. */
static void test_tasks_cannot_be_read(void **state)
{
	struct damage *damage = *state;
	char *path = scratch_path(damage->directory, "kernel/tasks");

	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(query_all(damage), MEMSTAT_ERROR_UNDEFINED);
	assert_int_equal(count_records(damage->list), RECORDS);
	free(path);
}

/* Errors of the machine, not of the capture. */
static void test_no_descriptors(void **state)
{
	struct damage *damage = *state;
	struct rlimit before, none;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	errno = 0;
	assert_int_equal(memstat_kvm_all(damage->list, damage->capture), -1);
	assert_int_equal(errno, EMFILE);
	assert_int_equal(memstat_mtl_geterror(damage->list), MEMSTAT_ERROR_KVM);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(query_all(damage), MEMSTAT_ERROR_UNDEFINED);
}

static void test_permission(void **state)
{
	struct damage *damage = *state;
	char *path = scratch_path(damage->directory, "cpu1");

	if (!geteuid())
		assert_int_equal(seteuid(65534), 0);
	else
		assert_int_equal(chmod(path, 0), 0);
	errno = 0;
	assert_int_equal(memstat_kvm_all(damage->list, damage->capture), -1);
	assert_int_equal(errno, EACCES);
	assert_int_equal(memstat_mtl_geterror(damage->list), MEMSTAT_ERROR_PERMISSION);
	assert_int_equal(count_records(damage->list), RECORDS);
	if (!getuid()) {
		assert_null(memstat_capture_open(damage->directory));
		assert_int_equal(errno, EACCES);
		assert_int_equal(seteuid(0), 0);
	} else {
		assert_int_equal(chmod(path, 0600), 0);
	}
	assert_int_equal(memstat_kvm_all(damage->list, damage->capture), 0);
	free(path);
}

static void expect_no_capture(const char *path, int err, const char *part)
{
	errno = 0;
	assert_null(memstat_capture_open(path));
	assert_int_equal(errno, err);
	assert_non_null(strstr(memstat_capture_errortext(NULL), part));
}

static void test_no_capture(void **state)
{
	struct damage *damage = *state;
	char *stream = scratch_path(damage->directory, "cpu0");
	char *kernel = scratch_path(damage->directory, "kernel");
	char *nothing = scratch_path(damage->directory, "nothing");

	expect_no_capture(NULL, EINVAL, "directory");
	expect_no_capture(nothing, ENOENT, nothing);
	expect_no_capture(stream, ENOTDIR, "is a stream");
	expect_no_capture(kernel, ENOENT, "not a capture");
	expect_no_capture("/dev/null", ENOTDIR, "not a directory");
	/* errors of another thread do not appear here */
	assert_string_equal(memstat_capture_errortext(damage->capture), "");
	free(stream);
	free(kernel);
	free(nothing);
}

static void test_no_handle(void **state)
{
	struct damage *damage = *state;
	int (*const queries[])(struct memory_type_list * list,
			       void *kvm_handle) = { memstat_kvm_all, memstat_kvm_malloc,
						     memstat_kvm_uma };

	for (int i = 0; i < 3; i++) {
		errno = 0;
		assert_int_equal(queries[i](damage->list, NULL), -1);
		assert_int_equal(errno, EINVAL);
		assert_int_equal(memstat_mtl_geterror(damage->list), MEMSTAT_ERROR_DATAERROR);
		assert_non_null(strstr(memstat_mtl_errortext(damage->list), "no capture"));
		assert_int_equal(count_records(damage->list), RECORDS);
		errno = 0;
		assert_int_equal(queries[i](NULL, damage->capture), -1);
		assert_int_equal(errno, EINVAL);
		assert_int_equal(queries[i](NULL, NULL), -1);
	}
	errno = 0;
	assert_int_equal(memstat_capture_at(NULL, 1), -1);
	assert_int_equal(errno, EINVAL);
	memstat_capture_close(NULL);
	assert_non_null(memstat_capture_errortext(NULL));
}

static void expect_whole(struct memory_type_list *list)
{
	assert_int_equal(count_records(list), RECORDS);
	assert_int_equal(memstat_get_numallocs(memstat_mtl_find(list, ALLOCATOR_UMA, "some")), 3);
	assert_int_equal(memstat_get_numallocs(memstat_mtl_find(list, ALLOCATOR_MALLOC, "caller")),
			 4);
}

/* All allocations from the n-th on fail, or only the n-th: the query fails, or needs no memory. */
static void memory_runs_out(struct damage *damage, void (*inject)(size_t calls), size_t *failures)
{
	bool failed = true;

	*failures = 0;
	for (size_t calls = 0; failed; calls++) {
		struct memory_type_list *list = memstat_mtl_alloc();
		int result;

		errno = 0;
		inject(calls);
		result = memstat_kvm_all(list, damage->capture);
		fail_never(&failed);
		if (!result) {
			expect_whole(list);
		} else {
			assert_true(failed);
			assert_int_equal(errno, ENOMEM);
			assert_int_equal(memstat_mtl_geterror(list), MEMSTAT_ERROR_NOMEMORY);
			assert_true(*memstat_mtl_errortext(list));
			assert_null(memstat_mtl_first(list));
			++*failures;
		}
		memstat_mtl_free(list);
		assert_true(calls < 10000);
	}
}

static void test_memory_runs_out(void **state)
{
	size_t failures;

	memory_runs_out(*state, fail_after, &failures);
	assert_true(failures > 30);
	memory_runs_out(*state, fail_once_after, &failures);
	assert_true(failures > 30);
}

static void test_open_without_memory(void **state)
{
	struct damage *damage = *state;
	struct memstat_capture *capture;
	bool failed = true;

	for (size_t calls = 0; failed; calls++) {
		errno = 0;
		fail_after(calls);
		capture = memstat_capture_open(damage->directory);
		fail_never(&failed);
		/* memory that open can do without is allocated by the query */
		if (!capture) {
			assert_true(failed);
			assert_int_equal(errno, ENOMEM);
			assert_true(*memstat_capture_errortext(NULL));
		}
		memstat_capture_close(capture);
		assert_true(calls < 10000);
	}
	assert_non_null(capture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_cut_anywhere, set_up_memstat_damage,
						tear_down_memstat_damage),
		cmocka_unit_test_setup_teardown(test_stream_is_gone, set_up_memstat_damage,
						tear_down_memstat_damage),
		cmocka_unit_test_setup_teardown(test_status_is_gone, set_up_memstat_damage,
						tear_down_memstat_damage),
		cmocka_unit_test_setup_teardown(test_damage_in_the_midst, set_up_memstat_damage,
						tear_down_memstat_damage),
		cmocka_unit_test_setup_teardown(test_hostile_tables, set_up_memstat_damage,
						tear_down_memstat_damage),
		cmocka_unit_test_setup_teardown(test_later_packet, set_up_memstat_damage,
						tear_down_memstat_damage),
		cmocka_unit_test_setup_teardown(test_later_status, set_up_memstat_damage,
						tear_down_memstat_damage),
		cmocka_unit_test_setup_teardown(test_later_metadata, set_up_memstat_damage,
						tear_down_memstat_damage),
		cmocka_unit_test_setup_teardown(test_table_cannot_be_read, set_up_memstat_damage,
						tear_down_memstat_damage),
		cmocka_unit_test_setup_teardown(test_tasks_cannot_be_read, set_up_memstat_damage,
						tear_down_memstat_damage),
		cmocka_unit_test_setup_teardown(test_no_descriptors, set_up_memstat_damage,
						tear_down_memstat_damage),
		cmocka_unit_test_setup_teardown(test_permission, set_up_memstat_damage,
						tear_down_memstat_damage),
		cmocka_unit_test_setup_teardown(test_no_capture, set_up_memstat_damage,
						tear_down_memstat_damage),
		cmocka_unit_test_setup_teardown(test_no_handle, set_up_memstat_damage,
						tear_down_memstat_damage),
		cmocka_unit_test_setup_teardown(test_memory_runs_out, set_up_memstat_damage,
						tear_down_memstat_damage),
		cmocka_unit_test_setup_teardown(test_open_without_memory, set_up_memstat_damage,
						tear_down_memstat_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
