// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The file of kmemtraced --publish, which changes while it is read: before chosen calls of pread(),
 * which the reader copies with, the input writes other bytes to the file, cuts, replaces or removes
 * it, or ends its writer.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/memstat/memstat.h"
#include "live/stats/stats_file.h"
#include "live/stats/stats_file_layout.h"
#include "tests/fuzz/fuzz.h"

#define FILE_NAME "memstat"
#define READS 3
#define CHANGE_BYTES 12 /* in the input, of one change */

static struct fuzz_input changes;
static uint8_t *whole; /* the bytes of the file that the input begins with */
static size_t whole_size;
static int file = -1;
static bool is_reading;

ssize_t __real_pread(int fd, void *bytes, size_t size, off_t offset);
ssize_t __real_pread64(int fd, void *bytes, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *bytes, size_t size, off_t offset);
ssize_t __wrap_pread64(int fd, void *bytes, size_t size, off_t offset);

/* A living writer holds the lock. */
static void set_lock(short type)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET };

	FUZZ_EXPECT(!fcntl(file, F_OFD_SETLK, &lock));
}

static void create_published(void)
{
	if (file >= 0)
		close(file);
	unlink(fuzz_path(FILE_NAME));
	file = open(fuzz_path(FILE_NAME), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	FUZZ_EXPECT(file >= 0);
	set_lock(F_WRLCK);
}

/* The places of a file that decide what a reader believes, most often. */
static off_t place_of(unsigned int where, uint64_t offset)
{
	struct stats_file_layout layout;

	stats_file_layout(&layout, 2, 8);
	stats_file_layout_more(&layout, sizeof(struct stats_file_type_more));
	switch (where % 8) {
	case 0:
		return (off_t)(offset % sizeof(struct stats_file_head));
	case 1:
		return offsetof(struct stats_file_head, current);
	case 2:
	case 3:
		return (off_t)(stats_file_slot_at(&layout, where & 1) +
			       offset % sizeof(struct stats_file_slot));
	case 4:
		return (off_t)(stats_file_records_at(&layout, (uint32_t)offset & 1) +
			       offset / 2 % (8 * sizeof(struct stats_file_record)));
	case 5:
		return (off_t)(layout.text + offset % 512);
	case 6:
		return (off_t)(stats_file_row_at(&layout, (uint32_t)offset & 1,
						 offset & 2 ? 1 : 0) +
			       offset / 4 % 320);
	default:
		return (off_t)(offset % (layout.bytes + 64));
	}
}

/* Makes the next change of the input if it is due now. */
static void make_change(void)
{
	unsigned int how, where;
	uint64_t value, offset;

	if (changes.left < CHANGE_BYTES)
		return;
	how = fuzz_byte(&changes);
	if (how & 0x80) /* not before this call */
		return;
	where = fuzz_byte(&changes);
	offset = fuzz_byte(&changes);
	offset |= (uint64_t)fuzz_byte(&changes) << 8;
	value = fuzz_number(&changes);
	switch (how % 8) {
	case 0:
		FUZZ_EXPECT(!ftruncate(file, (off_t)(value % (whole_size + 4096))));
		break;
	case 1:
		if (how & 8)
			unlink(fuzz_path(FILE_NAME));
		else
			set_lock(how & 16 ? F_UNLCK : F_WRLCK);
		break;
	case 2:
		create_published();
		FUZZ_EXPECT(pwrite(file, whole, whole_size, 0) == (ssize_t)whole_size);
		break;
	case 3:
		FUZZ_EXPECT(pwrite(file, whole, whole_size, 0) == (ssize_t)whole_size);
		break;
	default:
		FUZZ_EXPECT(pwrite(file, &value,
				   how & 8    ? 8
				   : how & 16 ? 4
					      : 1,
				   place_of(where, offset)) > 0);
	}
}

ssize_t __wrap_pread(int fd, void *bytes, size_t size, off_t offset)
{
	if (is_reading)
		make_change();
	return __real_pread(fd, bytes, size, offset);
}

ssize_t __wrap_pread64(int fd, void *bytes, size_t size, off_t offset)
{
	if (is_reading)
		make_change();
	return __real_pread64(fd, bytes, size, offset);
}

/* Whatever the file was, a reader's counters are consistent. */
static void use_view(const struct stats_file_view *view)
{
	size_t sum = 0;

	FUZZ_EXPECT(view->class_count <= TYPE_STATS_CLASSES_MAX);
	for (size_t i = 0; i < view->count; i++) {
		const struct type_stats_type *type = &view->types[i];

		FUZZ_EXPECT((unsigned int)type->kind < TYPE_STATS_KINDS && type->name[0]);
		FUZZ_EXPECT(type->numfrees <= type->numallocs);
		FUZZ_EXPECT(type->memfreed <= type->memalloced && type->cpu_count <= view->cpus);
		sum += strlen(type->name) + (type->aliases ? strlen(type->aliases) : 0);
		for (size_t cpu = 0; cpu < type->cpu_count; cpu++)
			sum += type->cpus[cpu].numallocs + type->cpus[cpu].sizemask;
	}
	if (view->snapshot.paths)
		sum += strlen(view->snapshot.paths);
	FUZZ_EXPECT(sum < SIZE_MAX);
}

static void read_view(void)
{
	struct stats_file_view view = { 0 };

	for (int i = 0; i < READS; i++) {
		int err;

		view.errmsg[0] = '\0';
		err = stats_file_read(&view, fuzz_path(FILE_NAME));
		/* a read that was tried again may have left a message */
		FUZZ_EXPECT(!err || (view.errmsg[0] && !view.count));
		if (!err)
			use_view(&view);
	}
	stats_file_view_deinit(&view);
}

static void read_memstat(void)
{
	struct memory_type_list *list = memstat_mtl_alloc();

	FUZZ_EXPECT(list);
	FUZZ_EXPECT(!setenv("KMEMTRACE_MEMSTAT", fuzz_path(FILE_NAME), 1));
	for (int i = 0; i < READS; i++) {
		if (memstat_sysctl_all(list, 0))
			FUZZ_EXPECT(memstat_mtl_errortext(list)[0]);
		for (struct memory_type *type = memstat_mtl_first(list); type;
		     type = memstat_mtl_next(type)) {
			FUZZ_EXPECT(memstat_get_name(type)[0]);
			FUZZ_EXPECT(memstat_get_numfrees(type) <= memstat_get_numallocs(type));
			memstat_get_coverage(type);
			memstat_get_unobserved(type, 0);
			memstat_get_percpu_numallocs(type, 1);
		}
		memstat_mtl_unobserved(list, 0);
	}
	memstat_mtl_free(list);
}

/*
 * The file, then the bytes 0 and 255, then the changes. Long runs of zeros, of which the file
 * has many, are short: the byte 0 and a byte n are 16 * n zeros, with n 0 one zero.
 */
static void expand_input(struct fuzz_input *input)
{
	const size_t room = 1 << 20;

	if (!whole)
		whole = malloc(room);
	FUZZ_EXPECT(whole);
	whole_size = 0;
	while (input->left) {
		uint8_t byte = fuzz_byte(input);
		size_t zeros;

		if (byte) {
			if (whole_size < room)
				whole[whole_size++] = byte;
			continue;
		}
		zeros = fuzz_byte(input);
		if (zeros == 255)
			break;
		zeros = zeros ? 16 * zeros : 1;
		if (zeros > room - whole_size)
			zeros = room - whole_size;
		memset(whole + whole_size, 0, zeros);
		whole_size += zeros;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	unsigned int how = fuzz_byte(&input);

	expand_input(&input);
	changes = input;
	create_published();
	FUZZ_EXPECT(pwrite(file, whole, whole_size, 0) == (ssize_t)whole_size);
	is_reading = true;
	if (how & 1)
		read_memstat();
	else
		read_view();
	is_reading = false;
	return 0;
}
