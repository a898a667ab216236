// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Every check of kmemtrace-check: each finds one wrong field in a packet with a correct CRC. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "tests/unit/unit.h"
#include "capture/reader.h"
#include "check/check.h"
#include "tests/unit/scratch.h"

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ORDER "big"
#else
#define ORDER "little"
#endif

/* In this machine's byte order, so that fields can be set. */
static const char consistent[] = "endian " ORDER "\n"
				 "begin 1s\n"
				 "end 2s\n"
				 "symbol 0xffff81000000 f\n"
				 "cache filp 0xffff00010000 232 256\n"
				 "alloc 1001ms 0 0xffff00100000 100/128 f+0x4\n"
				 "calloc 1002ms 0 0xffff00200000 filp f+0x8\n"
				 "flush\n"
				 "free 1003ms 0 0xffff00100000 f+0x10\n"
				 "cfree 1004ms 0 0xffff00200000 filp f+0x10\n"
				 "complete yes\n";

/* The problems of the capture, as text, to be freed. */
static char *check_text(const char *directory, uint64_t *count)
{
	struct check_result result = { 0 };
	struct check_problems problems = { 0 };
	FILE *printed = tmpfile();
	int saved = dup(STDOUT_FILENO);
	struct error error = { 0 };
	char *text;
	long size;
	int err;

	assert_non_null(printed);
	fflush(stdout);
	assert_true(dup2(fileno(printed), STDOUT_FILENO) >= 0);
	err = check_capture(directory, &problems, &result, &error);
	fflush(stdout);
	assert_true(dup2(saved, STDOUT_FILENO) >= 0);
	close(saved);
	assert_string_equal(error.text, "");
	assert_int_equal(err, 0);
	assert_int_equal(fseek(printed, 0, SEEK_END), 0);
	size = ftell(printed);
	rewind(printed);
	text = calloc(1, size + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, size, printed), size);
	fclose(printed);
	*count = problems.count;
	return text;
}

/* One field of a packet's header or of one of its records. */
struct patch {
	const char *expected; /* a part of the problems */
	size_t packet;
	size_t offset, size; /* bytes, in the packet */
	uint64_t value;
};

#define HEADER(field) \
	offsetof(struct packet_header, field), sizeof(((struct packet_header *)0)->field)
#define RECORD(index, field)                                                 \
	sizeof(struct packet_header) + (index) * sizeof(struct kmt_record) + \
		offsetof(struct kmt_record, field),                          \
		sizeof(((struct kmt_record *)0)->field)

static void apply_patch(const char *directory, const struct patch *patch)
{
	char *path = scratch_path(directory, "cpu0");
	struct packet_header header;
	unsigned char *bytes, *at;
	uint8_t value8 = patch->value;
	uint16_t value16 = patch->value;
	uint32_t value32 = patch->value;
	size_t size;

	bytes = scratch_read(path, &size);
	at = bytes;
	for (size_t i = 0; i < patch->packet; i++) {
		memcpy(&header, at, sizeof(header));
		at += header.packet_bits / 8;
		assert_true(at < bytes + size);
	}
	memcpy(at + patch->offset,
	       patch->size == 1	  ? (const void *)&value8
	       : patch->size == 2 ? (const void *)&value16
	       : patch->size == 4 ? (const void *)&value32
				  : (const void *)&patch->value,
	       patch->size > 8 ? 8 : patch->size);
	memcpy(&header, at, sizeof(header));
	header.crc = 0;
	memcpy(at, &header, sizeof(header));
	header.crc = crc32(0, at, header.packet_bits / 8);
	memcpy(at, &header, sizeof(header));
	scratch_write(path, bytes, size);
	free(bytes);
	free(path);
}

static const struct patch patches[] = {
	{ "byte 112: a packet of another capture", 1, HEADER(uuid), 1 },
	{ "byte 112: a packet of cpu7 in the stream of cpu0", 1, HEADER(cpu), 7 },
	{ "byte 112: a packet of the unknown stream class 1", 1, HEADER(stream_id), 1 },
	{ "byte 0: the first packet holds 0 records and 3 lost events", 0, HEADER(lost), 3 },
	{ "byte 112: lost events decrease from 3 to 0", 0, HEADER(lost), 3 },
	{ "byte 112: packet 5 where 1 is expected", 1, HEADER(number), 5 },
	{ "byte 320: packet 2 where 6 is expected", 1, HEADER(number), 5 },
	{ "byte 320: skipped events decrease from 9 to 0", 1, HEADER(skipped), 9 },
	{ "byte 320: the end of the sequence numbers decreases from 50 to 4", 1,
	  HEADER(sequence_end), 50 },
	{ "byte 320: a packet from 1000000000 ns on overlaps", 2, HEADER(time_first), 1000000000 },
	{ "byte 112: a packet of 2 records whose header says 3", 1, HEADER(records), 3 },
	{ "byte 112: the lowest sequence number is 0, the header says 1", 1, HEADER(sequence_first),
	  1 },
	{ "byte 320: sequence number 3 is beyond the header's end, 3", 2, HEADER(sequence_end), 3 },
	{ "byte 0: a packet without records for the sequence numbers 0 to 1", 0,
	  HEADER(sequence_end), 1 },
	{ "byte 112: a packet of 1664 bits of which 1600 are content", 1, HEADER(content_bits),
	  1600 },
	{ "byte 224: a record of the unknown kind 99", 1, RECORD(0, id), 99 },
	{ "byte 272: the bytes up to the end of the packet are not records", 1, RECORD(1, words),
	  7 },
	{ "byte 224: a record of 12 words, not 6", 1, RECORD(0, words), 12 },
	{ "byte 224: time 5 ns is not within its packet's", 1, RECORD(0, time), 5 },
	{ "byte 272: time steps back from 1001000000 ns to 5", 1, RECORD(1, time), 5 },
	{ "byte 272: sequence number 0 comes twice", 1, RECORD(1, sequence), 0 },
	{ "cpu0: sequence numbers missing: 1, stated as lost: 0", 1, RECORD(1, sequence), 0 },
	{ "cpu0: sequence numbers missing: 0, stated as lost: 2", 2, HEADER(lost), 2 },
	{ "cpu0: sequence numbers up to 9223372036854775808 are impossible", 2,
	  HEADER(sequence_end), (uint64_t)1 << 63 },
	{ "byte 224: 50 bytes allocated, 100 requested", 1, RECORD(0, allocated), 50 },
	{ "byte 432: a free with GFP flags 0x20", 2, RECORD(0, gfp), 0x20 },
	{ "byte 432: a free with node 3", 2, RECORD(0, node), 3 },
	{ "byte 224: an allocation with node -5", 1, RECORD(0, node), (uint64_t)-5 },
	{ "byte 432: a kfree whose last 8 bytes are not 0", 2, RECORD(0, cache), 1 },
	{ "byte 224: an object at the impossible address 0x11", 1, RECORD(0, pointer), 17 },
	{ "byte 224: an object at the impossible address 0xfffffffffffffff4", 1, RECORD(0, pointer),
	  (uint64_t)-12 },
	{ "byte 224: a call site at the impossible address 0x0", 1, RECORD(0, call_site), 0 },
	{ "byte 272: a slab cache at the impossible address 0x8", 1, RECORD(1, cache), 8 },
	{ "byte 272: a slab cache at the impossible address 0x0", 1, RECORD(1, cache), 0 },
	{ "byte 272: kernel/caches has no slab cache at 0xffff00010100", 1, RECORD(1, cache),
	  0xffff00010100 },
};

static void finds_nothing_in_a_consistent_capture(void **state)
{
	char *directory = scratch_capture(consistent);
	uint64_t count;
	char *text = check_text(directory, &count);

	(void)state;
	assert_string_equal(text, "");
	assert_int_equal(count, 0);
	free(text);
	scratch_remove(directory);
}

static void finds_each_wrong_field(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(patches) / sizeof(patches[0]); i++) {
		char *directory = scratch_capture(consistent);
		uint64_t count;
		char *text;

		apply_patch(directory, &patches[i]);
		text = check_text(directory, &count);
		if (!strstr(text, patches[i].expected))
			fail_msg("not found: \"%s\" in:\n%s", patches[i].expected, text);
		assert_true(count > 0);
		free(text);
		scratch_remove(directory);
	}
}

/* These bits may mean something else in a kind of a later version. */
static void an_unknown_kind_has_no_context(void **state)
{
	const uint16_t node = kmt_node_word(KMT_NODE_ANY, KMT_CONTEXT_NMI);
	const struct patch context = { "", 1, RECORD(0, node), node };

	(void)state;
	for (unsigned int id = 64; id < 256; id++) {
		const struct patch kind = { "", 1, RECORD(0, id), id };
		char *directory = scratch_capture(consistent);
		uint64_t count;
		char *text;

		apply_patch(directory, &context);
		text = check_text(directory, &count);
		assert_non_null(
			strstr(text, "byte 224: kmalloc in context 3, but kernel/status has"));
		free(text);
		apply_patch(directory, &kind);
		text = check_text(directory, &count);
		assert_non_null(strstr(text, "byte 224: a record of the unknown kind"));
		assert_null(strstr(text, "context"));
		free(text);
		scratch_remove(directory);
	}
}

static void finds_each_wrong_counter_of_the_status(void **state)
{
	static const struct {
		const char *from, *to, *expected;
	} changes[] = {
		{ "recorded 4", "recorded 5", "cpu0: recorded 5, but its stream has 4" },
		{ "seen 4", "seen 9",
		  "cpu0: seen 9 differs from the sum of recorded 4 + lost 0 + skipped 0" },
		{ " own 0", " own 1", "cpu0: own 1, but its stream has 0" },
		{ "\nskipped 0", "\nskipped 3", "skipped 3, but the streams have 0" },
		{ "\nskipped 0", "\nskipped 3", "skipped 3 in total, but 0 on all CPUs" },
		{ "cpu 0 ", "cpu 1 ", "the stream of cpu1 is missing" },
		{ "cpu 0 ", "cpu 1 ", "does not name the stream of cpu0, which exists" },
		{ "complete yes", "complete no ", "was cut off: kmemtraced did not finish it" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		char *directory = scratch_capture(consistent);
		char *path = scratch_path(directory, "kernel/status");
		size_t size;
		unsigned char *bytes = scratch_read(path, &size);
		unsigned char *at = memmem(bytes, size, changes[i].from, strlen(changes[i].from));
		uint64_t count;
		char *text;

		assert_non_null(at);
		memcpy(at, changes[i].to, strlen(changes[i].to));
		scratch_write(path, bytes, size);
		text = check_text(directory, &count);
		if (!strstr(text, changes[i].expected))
			fail_msg("not found: \"%s\" in:\n%s", changes[i].expected, text);
		free(text);
		free(bytes);
		free(path);
		scratch_remove(directory);
	}
}

static void prints_ten_problems_of_a_check(void **state)
{
	char *capture_text = NULL, *directory, *text;
	unsigned int lines = 0;
	uint64_t count;
	size_t size;
	FILE *file = open_memstream(&capture_text, &size);

	(void)state;
	assert_non_null(file);
	fputs("begin 1s\nend 2s\nsymbol 0xffff81000000 f\n", file);
	for (int i = 0; i < 17; i++)
		fprintf(file, "alloc %dms 0 0xffff00%06x 128/100 f+0x4\n", 1001 + i, 4096 * i);
	fputs("complete yes\n", file);
	assert_int_equal(fclose(file), 0);
	directory = scratch_capture(capture_text);
	text = check_text(directory, &count);
	assert_int_equal(count, 17);
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	assert_int_equal(lines, 11);
	assert_non_null(strstr(text, "cpu0: and 7 more problems of the check sizes\n"));
	free(text);
	free(capture_text);
	scratch_remove(directory);
}

static void accepts_as_many_unnamed_caches_as_names_were_lost(void **state)
{
	static const char capture_text[] =
		"begin 1s\nend 2s\nsymbol 0xffff81000000 f\n"
		"cache one 0xffff00010100 100 128\ncache two 0xffff00010200 100 128\n"
		"calloc 1010ms 0 0xffff00100000 one f+0x4\n"
		"calloc 1020ms 0 0xffff00200000 one f+0x4\n"
		"calloc 1030ms 0 0xffff00300000 two f+0x4\n"
		"complete yes\n";

	(void)state;
	for (unsigned int lost = 0; lost < 4; lost++) {
		static const uint64_t problems[] = { 3, 1, 0, 0 };
		char *directory = scratch_capture(capture_text);
		char *caches = scratch_path(directory, "kernel/caches");
		char *path = scratch_path(directory, "kernel/status");
		size_t size;
		unsigned char *bytes = scratch_read(path, &size);
		unsigned char *at = memmem(bytes, size, "names_lost 0", 12);
		uint64_t count;

		assert_non_null(at);
		at[11] = (unsigned char)('0' + lost);
		scratch_write(path, bytes, size);
		scratch_write(caches, "kmalloc kmalloc-8\n", 18);
		free(check_text(directory, &count));
		assert_int_equal(count, problems[lost]);
		free(bytes);
		free(path);
		free(caches);
		scratch_remove(directory);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_nothing_in_a_consistent_capture),
		cmocka_unit_test(finds_each_wrong_field),
		cmocka_unit_test(an_unknown_kind_has_no_context),
		cmocka_unit_test(finds_each_wrong_counter_of_the_status),
		cmocka_unit_test(accepts_as_many_unnamed_caches_as_names_were_lost),
		cmocka_unit_test(prints_ten_problems_of_a_check),
	};

	return cmocka_run_group_tests_name("check", tests, NULL, NULL);
}
