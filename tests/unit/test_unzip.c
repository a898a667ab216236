// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Plain and gzip files, whole and damaged: the text is the same as with zlib. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

#include <zlib.h>

#include "tests/unit/unit.h"
#include "base/unzip.h"
#include "scratch.h"

#define TEXT_SIZE 1000000U
#define LARGE (9 * TEXT_SIZE) /* more than is inflated at once */

struct fixture {
	char *directory, *path;
	unsigned char *text; /* TEXT_SIZE bytes that gzip makes a little smaller */
};

/* The text of a file, and the pieces in which it was read. */
struct whole {
	unsigned char *text;
	size_t size, pieces;
	bool damaged;
};

static int set_up_unzip(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	uint32_t number = 1;

	assert_non_null(fixture);
	fixture->directory = scratch_directory();
	fixture->path = scratch_path(fixture->directory, "file");
	fixture->text = malloc(TEXT_SIZE);
	assert_non_null(fixture->text);
	for (size_t i = 0; i < TEXT_SIZE; i++) {
		number = number * 1103515245 + 12345;
		fixture->text[i] = "0123456789abcdef ghijklmnopq\ntxyz"[number >> 16 & 31];
	}
	*state = fixture;
	return 0;
}

static int tear_down_unzip(void **state)
{
	struct fixture *fixture = *state;

	scratch_remove(fixture->directory);
	free(fixture->path);
	free(fixture->text);
	free(fixture);
	return 0;
}

static void add_member(const struct fixture *fixture, const char *mode, const void *text,
		       size_t size)
{
	gzFile file = gzopen(fixture->path, mode);

	assert_non_null(file);
	assert_int_equal(gzwrite(file, text, size), size);
	assert_int_equal(gzclose(file), Z_OK);
}

static struct whole read_all(const char *path)
{
	struct whole whole = { 0 };
	struct unzip unzip;
	size_t size, room;

	assert_int_equal(unzip_open(&unzip, path), 0);
	do {
		room = unzip_room(&unzip);
		assert_true(room >= UNZIP_PIECE);
		whole.text = realloc(whole.text, whole.size + room);
		assert_non_null(whole.text);
		assert_int_equal(unzip_read(&unzip, (char *)whole.text + whole.size, room, &size),
				 0);
		assert_true(size <= room);
		whole.size += size;
		whole.pieces += size > 0;
	} while (size);
	assert_int_equal(unzip_read(&unzip, (char *)whole.text, room, &size), 0); /* still */
	assert_int_equal(size, 0);
	whole.damaged = unzip.damaged;
	unzip_close(&unzip);
	return whole;
}

/* Reads with zlib byte by byte: larger reads of a damaged file lose more text. */
static struct whole read_by_zlib(const char *path)
{
	struct whole whole = { .text = malloc(4 * TEXT_SIZE) };
	gzFile file = gzopen(path, "rb");
	int byte, code;

	assert_non_null(whole.text);
	assert_non_null(file);
	gzbuffer(file, UNZIP_PIECE / 2); /* zlib inflates twice as much at once */
	while ((byte = gzgetc(file)) >= 0) {
		assert_in_range(whole.size, 0, 4 * TEXT_SIZE - 1);
		whole.text[whole.size++] = (unsigned char)byte;
	}
	gzerror(file, &code);
	whole.damaged = code != Z_OK && code != Z_STREAM_END;
	gzclose(file);
	return whole;
}

static void assert_read(const char *path, const void *text, size_t size, size_t pieces)
{
	struct whole whole = read_all(path);

	assert_int_equal(whole.size, size);
	if (size)
		assert_memory_equal(whole.text, text, size);
	assert_int_equal(whole.pieces, pieces);
	assert_false(whole.damaged);
	free(whole.text);
}

static bool assert_as_zlib(const char *path)
{
	struct whole ours = read_all(path), zlib = read_by_zlib(path);

	assert_int_equal(ours.size, zlib.size);
	if (ours.size)
		assert_memory_equal(ours.text, zlib.text, ours.size);
	assert_int_equal(ours.damaged, zlib.damaged);
	free(ours.text);
	free(zlib.text);
	return ours.damaged;
}

static void reads_plain_files(void **state)
{
	struct fixture *fixture = *state;

	scratch_write(fixture->path, "", 0);
	assert_read(fixture->path, "", 0, 0);
	scratch_write(fixture->path, "\x1f", 1);
	assert_read(fixture->path, "\x1f", 1, 1);
	scratch_write(fixture->path, "\x1f\x8a\x1f\x8b", 4);
	assert_read(fixture->path, "\x1f\x8a\x1f\x8b", 4, 1);
	/* the size of one read: half of UNZIP_PIECE */
	scratch_write(fixture->path, fixture->text, TEXT_SIZE);
	assert_read(fixture->path, fixture->text, TEXT_SIZE, TEXT_SIZE * 2 / UNZIP_PIECE + 1);
}

static void members_are_read_whole(void **state)
{
	struct fixture *fixture = *state;

	add_member(fixture, "wb1", fixture->text, TEXT_SIZE);
	assert_read(fixture->path, fixture->text, TEXT_SIZE, 1);
	add_member(fixture, "wb6", fixture->text, 5);
	assert_read(fixture->path, fixture->text, 5, 1);
	add_member(fixture, "ab6", "", 0);
	add_member(fixture, "ab6", fixture->text + 5, 700000 - 5);
	add_member(fixture, "ab0", fixture->text + 700000, TEXT_SIZE - 700000);
	add_member(fixture, "ab9", "", 0);
	assert_read(fixture->path, fixture->text, TEXT_SIZE, 3);
	add_member(fixture, "wb1", "", 0);
	assert_read(fixture->path, "", 0, 0);
}

static size_t pieces_of(size_t size)
{
	return (size + UNZIP_PIECE - 1) / UNZIP_PIECE;
}

/* A member that is too large is read in pieces, and so are all members behind it. */
static void large_members_are_read_in_pieces(void **state)
{
	struct fixture *fixture = *state;
	unsigned char *large = calloc(1, LARGE + 5);

	assert_non_null(large);
	memcpy(large, fixture->text, 5);
	add_member(fixture, "wb6", large, 5);
	add_member(fixture, "ab6", large + 5, LARGE - 10); /* it shrinks to a thousandth */
	add_member(fixture, "ab6", large + LARGE - 5, 5);
	assert_read(fixture->path, large, LARGE, 1 + pieces_of(LARGE - 10) + 1);

	for (size_t at = 0; at < LARGE; at += TEXT_SIZE)
		memcpy(large + at, fixture->text, TEXT_SIZE);
	add_member(fixture, "wb0", large, LARGE);
	add_member(fixture, "ab0", large, 5);
	memmove(large + LARGE, large, 5);
	assert_read(fixture->path, large, LARGE + 5, pieces_of(LARGE) + 1);
	free(large);
}

/* The file is read in steps of half a piece: the second member has its first byte in one. */
static void header_may_span_two_reads(void **state)
{
	const size_t step = UNZIP_PIECE / 2;
	struct fixture *fixture = *state;
	unsigned char *large = malloc(LARGE);
	size_t size, over, cut = UNZIP_PIECE;

	assert_non_null(large);
	for (size_t at = 0; at < LARGE; at += TEXT_SIZE)
		memcpy(large + at, fixture->text, TEXT_SIZE);
	do {
		add_member(fixture, "wb0", large, LARGE - cut);
		free(scratch_read(fixture->path, &size));
		over = (size + 1) % step;
		cut += over < step / 2 ? over : over - step;
		assert_in_range(cut, 1, 2 * UNZIP_PIECE);
	} while (over);
	add_member(fixture, "ab0", large + LARGE - cut, cut);
	assert_read(fixture->path, large, LARGE, pieces_of(LARGE - cut) + 1);
	free(large);
}

/* A file of unknown size. */
/* Reading one would wait for its writer. */
static void refuses_pipes(void **state)
{
	struct unzip unzip;
	char name[32];
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	snprintf(name, sizeof(name), "/dev/fd/%d", ends[0]);
	assert_int_equal(unzip_open(&unzip, name), -EINVAL);
	close(ends[0]);
	close(ends[1]);
}

/* One by one in headers and trailers, in longer steps between them. */
static size_t next_cut(size_t cut, size_t first, size_t size)
{
	size_t trailer = (cut < first ? first : size) - 12;
	size_t header = cut < first ? 0 : first;

	return cut < header + 20 || cut >= trailer ? cut + 1 : MIN(cut + 9001, trailer);
}

static void file_may_be_cut_off_anywhere(void **state)
{
	struct fixture *fixture = *state;
	unsigned char *packed;
	size_t first, size, cuts = 0;

	add_member(fixture, "wb6", fixture->text, 30000);
	free(scratch_read(fixture->path, &first));
	add_member(fixture, "ab6", fixture->text + 30000, 300000);
	packed = scratch_read(fixture->path, &size);
	for (size_t cut = 0; cut < size; cut = next_cut(cut, first, size), cuts++) {
		scratch_write(fixture->path, packed, cut);
		/* one byte is not enough to recognise gzip */
		assert_int_equal(assert_as_zlib(fixture->path),
				 cut > 1 && cut != first && cut != first + 1);
	}
	assert_in_range(cuts, 60, 200);
	free(packed);
}

static void any_byte_may_be_damaged(void **state)
{
	struct fixture *fixture = *state;
	unsigned char *packed;
	size_t size, flips = 0, damages = 0;

	add_member(fixture, "wb6", fixture->text, 30000);
	add_member(fixture, "ab6", fixture->text + 30000, 300000);
	packed = scratch_read(fixture->path, &size);
	for (size_t at = 0; at < size; at += at < 12 || at + 10 > size ? 1 : 7919) {
		packed[at] ^= 1 << at % 8;
		scratch_write(fixture->path, packed, size);
		packed[at] ^= 1 << at % 8;
		damages += assert_as_zlib(fixture->path);
		flips++;
	}
	/* except the time and the system; without its magic number it is a plain file */
	assert_int_equal(damages, flips - 2 - 6);
	free(packed);
}

/* The piece with the damage is lost, and all behind it. */
static void nothing_is_read_behind_damage(void **state)
{
	struct fixture *fixture = *state;
	unsigned char *packed;
	struct whole whole;
	size_t size;

	add_member(fixture, "wb6", fixture->text, 1000);
	add_member(fixture, "ab6", fixture->text + 1000, UNZIP_PIECE + 1000);
	packed = scratch_read(fixture->path, &size);
	packed[size - 1] ^= 1; /* of its size */
	scratch_write(fixture->path, packed, size);
	free(packed);
	add_member(fixture, "ab6", fixture->text, 1000);
	assert_true(assert_as_zlib(fixture->path));
	whole = read_all(fixture->path);
	assert_int_equal(whole.size, 1000 + UNZIP_PIECE);
	assert_memory_equal(whole.text, fixture->text, whole.size);
	free(whole.text);
}

static void bytes_behind_members_are_ignored(void **state)
{
	static const char *const tails[] = { "x", "\x1f", "\x1f\x8a", "more that is not packed" };
	struct fixture *fixture = *state;
	unsigned char packed[4096], *member;
	size_t size;

	add_member(fixture, "wb6", fixture->text, 1000);
	member = scratch_read(fixture->path, &size);
	assert_in_range(size, 100, sizeof(packed) - 100);
	memcpy(packed, member, size);
	free(member);
	for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++) {
		memcpy(packed + size, tails[i], strlen(tails[i]));
		scratch_write(fixture->path, packed, size + strlen(tails[i]));
		assert_read(fixture->path, fixture->text, 1000, 1);
		assert_false(assert_as_zlib(fixture->path));
	}
	memcpy(packed + size, "\x1f\x8b more", 7);
	scratch_write(fixture->path, packed, size + 7);
	assert_true(assert_as_zlib(fixture->path));
}

/* A checksum that zlib checks and libdeflate does not. */
static void reads_headers_with_a_checksum(void **state)
{
	struct fixture *fixture = *state;
	gz_header header = { .hcrc = 1, .os = 3 };
	unsigned char packed[4096];
	z_stream stream = {
		.next_in = fixture->text,
		.avail_in = 1000,
		.next_out = packed,
		.avail_out = sizeof(packed),
	};

	assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
			 Z_OK);
	assert_int_equal(deflateSetHeader(&stream, &header), Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	assert_int_equal(packed[3], 2);
	scratch_write(fixture->path, packed, stream.total_out);
	assert_read(fixture->path, fixture->text, 1000, 1);
	packed[10] ^= 1;
	scratch_write(fixture->path, packed, stream.total_out);
	assert_true(assert_as_zlib(fixture->path));
	deflateEnd(&stream);
}

static void reports_files_that_cannot_be_read(void **state)
{
	struct unzip unzip;

	(void)state;
	assert_int_equal(unzip_open(&unzip, "/nonexistent/file"), -ENOENT);
	assert_int_equal(unzip_open(&unzip, "/"), -EISDIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_plain_files),
		cmocka_unit_test(members_are_read_whole),
		cmocka_unit_test(large_members_are_read_in_pieces),
		cmocka_unit_test(header_may_span_two_reads),
		cmocka_unit_test(refuses_pipes),
		cmocka_unit_test(file_may_be_cut_off_anywhere),
		cmocka_unit_test(any_byte_may_be_damaged),
		cmocka_unit_test(nothing_is_read_behind_damage),
		cmocka_unit_test(bytes_behind_members_are_ignored),
		cmocka_unit_test(reads_headers_with_a_checksum),
		cmocka_unit_test(reports_files_that_cannot_be_read),
	};

	return cmocka_run_group_tests_name("unzip", tests, set_up_unzip, tear_down_unzip);
}
