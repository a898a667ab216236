// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The metadata text: written, read back, and read when it is odd or hostile. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/utsname.h>
#include <time.h>

#include "tests/unit/unit.h"
#include "capture/format.h"
#include "capture/metadata.h"

static char *metadata_text(const struct metadata *metadata)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	assert_int_equal(metadata_write(metadata, file), 0);
	assert_int_equal(fclose(file), 0);
	assert_non_null(text);
	return text;
}

static void this_machine(void **state)
{
	struct metadata metadata, other;
	struct timespec begin, wall, monotonic;
	struct utsname names;
	int64_t error, took;
	int persona;

	(void)state;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	assert_int_equal(metadata_init(&metadata), 0);
	assert_int_equal(metadata_init(&other), 0);
	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_MONOTONIC, &monotonic);
	uname(&names);
	assert_memory_not_equal(metadata.uuid, other.uuid, 16);
	assert_int_equal(metadata.uuid[6] >> 4, 4);
	assert_int_equal(metadata.uuid[8] >> 6, 2);
	assert_int_equal(metadata.format, CAPTURE_FORMAT);
	assert_string_equal(metadata.release, names.release);
	assert_string_equal(metadata.machine, names.machine);
	assert_string_equal(metadata.hostname, names.nodename);
	assert_string_equal(metadata.tracer_version, PACKAGE_VERSION);
	assert_true(metadata.page_size >= 4096);
	assert_true(metadata.word_bits >= 8 * sizeof(void *));
	/* setarch i686 changes the name of the machine, not the kernel */
	persona = personality(0xffffffff);
	personality(PER_LINUX32);
	assert_int_equal(metadata_init(&other), 0);
	personality((unsigned long)persona);
	assert_int_equal(other.word_bits, metadata.word_bits);
	error = metadata.wall_offset - ((wall.tv_sec - monotonic.tv_sec) * INT64_C(1000000000) +
					wall.tv_nsec - monotonic.tv_nsec);
	/* both read two clocks, one after the other, and the machine may stop them in between */
	took = (monotonic.tv_sec - begin.tv_sec) * INT64_C(1000000000) + monotonic.tv_nsec -
	       begin.tv_nsec + 1000000;
	assert_in_range(error + took, 0, 2 * took);
}

static void written_and_read(void **state)
{
	struct metadata metadata = {
		.uuid = { 0x00, 0xff, 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 1, 2, 3, 4, 5,
			  6 },
		.big_endian = true,
		.format = CAPTURE_FORMAT,
		.word_bits = 32,
		.page_size = 65536,
		.wall_offset = 1700000000123456789,
		.hostname = "quote\" back\\slash\nline \x01"
			    "7 uuid = \"x\"; kmt_format = 9; /* \xc3\xa9",
		.release = "6.1.0",
		.version = "#1 SMP // \"",
		.machine = "armv7l",
		.tracer_version = "12.34.5",
	};
	struct metadata copy;
	struct error error = { 0 };
	char *text = metadata_text(&metadata);

	(void)state;
	assert_non_null(strstr(text, "tracer_major = 12; tracer_minor = 34;"));
	assert_non_null(strstr(text, "offset_s = 1700000000; offset = 123456789;"));
	assert_non_null(strstr(text, "\"00ff1234-5678-9abc-def0-010203040506\""));
	assert_int_equal(metadata_parse(&copy, text, &error), 0);
	assert_string_equal(error.text, "");
	assert_memory_equal(copy.uuid, metadata.uuid, 16);
	assert_true(copy.big_endian);
	assert_int_equal(copy.format, CAPTURE_FORMAT);
	assert_int_equal(copy.word_bits, 32);
	assert_int_equal(copy.page_size, 65536);
	assert_true(copy.wall_offset == metadata.wall_offset);
	assert_string_equal(copy.hostname, metadata.hostname);
	assert_string_equal(copy.release, metadata.release);
	assert_string_equal(copy.version, metadata.version);
	assert_string_equal(copy.machine, metadata.machine);
	assert_string_equal(copy.tracer_version, metadata.tracer_version);
	assert_string_equal(copy.source, "");
	assert_int_equal(copy.clock, METADATA_CLOCK_MONOTONIC);
	assert_int_equal(metadata_order(&copy), METADATA_ORDER_BIG);
	assert_int_equal(copy.piece, 0);
	assert_null(strstr(text, "kmt_piece"));
	assert_null(strstr(text, "kmt_source"));
	assert_non_null(strstr(text, "tracer_name = \"kmemtraced\""));
	free(text);
}

static void of_a_piece(void **state)
{
	struct metadata metadata = { .format = CAPTURE_FORMAT, .piece = 4000000001 }, copy;
	char *text = metadata_text(&metadata);

	(void)state;
	assert_int_equal(metadata_parse(&copy, text, NULL), 0);
	assert_int_equal(copy.piece, 4000000001);
	free(text);
}

static void of_an_import(void **state)
{
	static const enum metadata_clock clocks[] = { METADATA_CLOCK_MONOTONIC,
						      METADATA_CLOCK_OTHER, METADATA_CLOCK_EVENTS };
	static const enum metadata_order orders[] = { METADATA_ORDER_UNKNOWN, METADATA_ORDER_LITTLE,
						      METADATA_ORDER_BIG };
	struct metadata metadata = { .format = CAPTURE_FORMAT,
				     .source = "a \"recording\"",
				     .odd_requested = 1000,
				     .odd_allocated = UINT32_MAX },
			copy;
	char *text, name[40];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		metadata.clock = clocks[i];
		metadata.source_order = orders[i];
		text = metadata_text(&metadata);
		assert_non_null(strstr(text, "tracer_name = \"kmemtrace-import\""));
		snprintf(name, sizeof(name), "map = clock.%s.value",
			 metadata_clock_text(&metadata));
		assert_non_null(strstr(text, name));
		assert_int_equal(metadata_parse(&copy, text, NULL), 0);
		assert_string_equal(copy.source, metadata.source);
		assert_int_equal(copy.clock, clocks[i]);
		assert_int_equal(metadata_order(&copy), orders[i]);
		assert_int_equal(copy.odd_requested, 1000);
		assert_int_equal(copy.odd_allocated, UINT32_MAX);
		assert_false(copy.big_endian);
		free(text);
	}
}

#define HEAD "/* CTF 1.8 */\n"
#define UUID "uuid = \"2a6422d0-6cee-11e0-8c08-cb07d7b3a564\";"

static void white_space_and_order_do_not_matter(void **state)
{
	struct metadata metadata;

	(void)state;
	assert_int_equal(metadata_parse(&metadata,
					HEAD
					"kmt_format\t=\n1;// byte_order = be\n/* byte_order = be */"
					"byte_order/**/=/* */le;" UUID "kmt_word_bits=64",
					NULL),
			 0);
	assert_false(metadata.big_endian);
	assert_int_equal(metadata.uuid[15], 0x64);
	assert_int_equal(metadata.word_bits, 64);
	assert_int_equal(metadata.page_size, 4096);
	assert_true(metadata.wall_offset == 0);
	assert_string_equal(metadata.hostname, "");
}

/* Only an import has another clock than the kernel's. */
static void clock_without_source_is_ignored(void **state)
{
	struct metadata metadata;

	(void)state;
	assert_int_equal(metadata_parse(&metadata,
					HEAD UUID "byte_order = le; kmt_format = 1;"
						  "kmt_clock = \"events\"; kmt_source = \"\";",
					NULL),
			 0);
	assert_int_equal(metadata.clock, METADATA_CLOCK_MONOTONIC);
}

static void wrong_metadata_is_refused(void **state)
{
	static const struct {
		const char *text, *errmsg;
		int err;
	} wrong[] = {
		{ "", "begin", -EINVAL },
		{ "byte_order = le;" UUID "kmt_format = 1;", "begin", -EINVAL },
		{ HEAD, "kmt_format", -EINVAL },
		{ HEAD "byte_order = le;" UUID, "kmt_format", -EINVAL },
		{ HEAD "byte_order = le;" UUID "kmt_format = \"1\";", "kmt_format", -EINVAL },
		{ HEAD "byte_order = le; kmt_format = 1;", "uuid", -EINVAL },
		{ HEAD "byte_order = le; kmt_format = 1; uuid = \"2a6422d0\"", "uuid", -EINVAL },
		{ HEAD "byte_order = le; kmt_format = 1; uuid = 2a6422d0", "uuid", -EINVAL },
		{ HEAD "kmt_format = 1;" UUID, "byte_order", -EINVAL },
		{ HEAD "kmt_format = 1;" UUID "byte_order = lee;", "byte_order", -EINVAL },
		{ HEAD "kmt_format = 1;" UUID "byte_order = \"le\";", "byte_order", -EINVAL },
		{ HEAD "kmt_format = 1;" UUID "byte_order", "byte_order", -EINVAL },
		{ HEAD "kmt_format = 1;" UUID "byte_order =", "byte_order", -EINVAL },
		{ HEAD "kmt_format = 77;",
		  "format 77, this program reads up to 1; use a version newer "
		  "than " PACKAGE_VERSION,
		  -EPROTONOSUPPORT },
		{ HEAD "kmt_format = 77; tracer_version = \"5.0\";",
		  "; kmemtrace 5.0 wrote it: ", -EPROTONOSUPPORT },
		{ HEAD "kmt_format = 77; tracer_version = \"a b\";", "to 1; use a version newer",
		  -EPROTONOSUPPORT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct metadata metadata;
		struct error error = { 0 };

		assert_int_equal(metadata_parse(&metadata, wrong[i].text, &error), wrong[i].err);
		if (!strstr(error.text, wrong[i].errmsg))
			fail_msg("%s: %s", wrong[i].text, error.text);
	}
}

/* Text that is cut anywhere is read or refused; an unterminated string is cut to its field. */
static void hostile_metadata_is_safe(void **state)
{
	struct metadata metadata, copy;
	char *text, *hostname;

	(void)state;
	assert_int_equal(metadata_init(&metadata), 0);
	text = metadata_text(&metadata);
	for (size_t size = strlen(text); size--;) {
		char *cut = strndup(text, size);
		int err = metadata_parse(&copy, cut, NULL);

		assert_true(!err || err == -EINVAL);
		free(cut);
	}
	free(text);
	hostname = malloc(100000);
	memset(hostname, 'h', 99999);
	hostname[99999] = '\0';
	assert_true(asprintf(&text,
			     HEAD UUID "byte_order = be; kmt_format = 1; kmt_word_bits = 65;"
				       "kmt_page_size = 12345; offset_s = 99999999999; offset = 1;"
				       "machine = \"\\777\\0\\q\\\"\\\\\"; hostname = \"%s",
			     hostname) > 0);
	assert_int_equal(metadata_parse(&copy, text, NULL), 0);
	assert_int_equal(strlen(copy.hostname), METADATA_TEXT - 1);
	assert_string_equal(copy.machine, "q\"\\");
	assert_int_equal(copy.word_bits, 64);
	assert_int_equal(copy.page_size, 4096);
	assert_true(copy.wall_offset == 0);
	free(hostname);
	free(text);

	/* A repair does not know these values. */
	assert_int_equal(metadata_parse(&copy,
					HEAD UUID "byte_order = be; kmt_format = 1;"
						  "kmt_word_bits = 0; kmt_page_size = 0;"
						  "offset_s = 0; offset = 0;",
					NULL),
			 0);
	assert_int_equal(copy.word_bits, 0);
	assert_int_equal(copy.clock, METADATA_CLOCK_MONOTONIC);
	assert_int_equal(copy.page_size, 0);
	assert_true(copy.wall_offset == 0);
	/* a clock of a later version */
	assert_int_equal(metadata_parse(&copy,
					HEAD UUID "byte_order = be; kmt_format = 1;"
						  "kmt_source = \"a\"; kmt_clock = \"tai\";",
					NULL),
			 0);
	assert_int_equal(copy.clock, METADATA_CLOCK_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(this_machine),
		cmocka_unit_test(written_and_read),
		cmocka_unit_test(of_a_piece),
		cmocka_unit_test(of_an_import),
		cmocka_unit_test(white_space_and_order_do_not_matter),
		cmocka_unit_test(clock_without_source_is_ignored),
		cmocka_unit_test(wrong_metadata_is_refused),
		cmocka_unit_test(hostile_metadata_is_safe),
	};

	return cmocka_run_group_tests_name("metadata", tests, NULL, NULL);
}
