// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lines of words: written escaped, parsed word by word. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "base/printable.h"
#include "base/text.h"

static struct line line_of(const char *text)
{
	struct line line = { 0 };

	assert_true(line_next(&line, &text));
	assert_string_equal(text, "");
	return line;
}

static void expect_written(void (*write)(FILE *, const char *), const char *text,
			   const char *expected)
{
	char *written = NULL;
	size_t size;
	FILE *file = open_memstream(&written, &size);

	assert_non_null(file);
	write(file, text);
	assert_int_equal(text_write_result(file), 0);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(written, expected);
	free(written);
}

static void only_control_characters_and_wrong_utf8_are_escaped(void **state)
{
	(void)state;
	expect_written(printable_write, "a b\\c\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80~",
		       "a b\\c\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80~");
	expect_written(printable_write, "\x1b[31m\n\r\t\x7f", "\\x1b[31m\\x0a\\x0d\\x09\\x7f");
	/* U+009B begins a command of a terminal, U+00A0 does not */
	expect_written(printable_write, "\xc2\x9bx\xc2\xa0", "\\xc2\\x9bx\xc2\xa0");
	/* cut off, too long, a surrogate, beyond U+10FFFF */
	/* U+202E turns the rest of a line around, and U+200B is not seen: two names look the same
	 */
	expect_written(printable_write,
		       "a\xe2\x80\xae"
		       "b\xe2\x80\x8b",
		       "a\\xe2\\x80\\xaeb\\xe2\\x80\\x8b");
	expect_written(printable_write, "\xd8\x9c\xef\xbb\xbf\xf3\xa0\x81\x81\xe2\x80\xa8",
		       "\\xd8\\x9c\\xef\\xbb\\xbf\\xf3\\xa0\\x81\\x81\\xe2\\x80\\xa8");
	expect_written(printable_write, "\xe2\x80\x8a\xe2\x80\xaf\xe2\x80\x90",
		       "\xe2\x80\x8a\xe2\x80\xaf\xe2\x80\x90");
	expect_written(printable_write, "\xc3", "\\xc3");
	expect_written(printable_write, "\xe2\x82", "\\xe2\\x82");
	expect_written(printable_write, "\xc0\xaf", "\\xc0\\xaf");
	expect_written(printable_write, "\xed\xa0\x80", "\\xed\\xa0\\x80");
	expect_written(printable_write, "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
	expect_written(printable_write, "", "");
}

static void words_are_written_escaped(void **state)
{
	(void)state;
	expect_written(text_write_word, "kmalloc-64", "kmalloc-64");
	expect_written(text_write_word, "a b\\c\n\x7f\xff", "a\\x20b\\x5cc\\x0a\\x7f\\xff");
	expect_written(text_write_rest, "a b\\c\n", "a b\\x5cc\\x0a");
}

static void words_are_parsed_unescaped(void **state)
{
	struct line line = line_of("one  a\\x20b\\x5C \t\\x41 rest\\x0a of it\n");
	char text[40];

	(void)state;
	assert_true(line_key(&line, "one"));
	line_word(&line, text, sizeof(text));
	assert_string_equal(text, "a b\\");
	line_word(&line, text, sizeof(text));
	assert_string_equal(text, "A");
	line_rest(&line, text, sizeof(text));
	assert_string_equal(text, "rest\n of it");
	line_word(&line, text, sizeof(text));
	assert_string_equal(text, "");
}

static void damaged_escapes_stay_as_they_are(void **state)
{
	struct line line = line_of("\\x00 \\x4 \\xg1 \\\n");
	char text[40];

	(void)state;
	line_rest(&line, text, sizeof(text));
	assert_string_equal(text, "\\x00 \\x4 \\xg1 \\");
}

static void long_words_are_cut(void **state)
{
	struct line line = line_of("abcdef next\n");
	char text[4];

	(void)state;
	line_word(&line, text, sizeof(text));
	assert_string_equal(text, "abc");
	line_word(&line, text, sizeof(text));
	assert_string_equal(text, "nex");
}

static void word_of_another_kind_stays(void **state)
{
	struct line line = line_of("seen 12x 4294967296 0x1f 7\n");
	uint32_t small = 42;
	uint64_t number = 42;
	char text[8];

	(void)state;
	assert_false(line_key(&line, "see"));
	assert_false(line_key(&line, "seen2"));
	assert_true(line_key(&line, "seen"));
	assert_false(line_u64(&line, 10, &number));
	line_word(&line, text, sizeof(text));
	assert_string_equal(text, "12x");
	assert_false(line_u32(&line, &small));
	assert_int_equal(small, 42);
	assert_true(line_u64(&line, 10, &number));
	assert_true(number == 4294967296);
	assert_true(line_u64(&line, 16, &number));
	assert_int_equal(number, 0x1f);
	assert_true(line_u32(&line, &small));
	assert_int_equal(small, 7);
	assert_false(line_u32(&line, &small));
}

static void cut_off_line_is_not_parsed(void **state)
{
	const char *text = "one 1\n\ntwo 2";
	struct line line;

	(void)state;
	assert_true(line_next(&line, &text));
	assert_true(line_key(&line, "one"));
	assert_true(line_next(&line, &text));
	assert_false(line_key(&line, "two"));
	assert_false(line_next(&line, &text));
	assert_string_equal(text, "two 2");
}

static void failed_write_is_reported(void **state)
{
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	setbuf(full, NULL);
	text_write_word(full, "text");
	assert_int_not_equal(text_write_result(full), 0);
	fclose(full);
}

static bool has_no_memory;

void *__real_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_realloc(void *memory, size_t size)
{
	return has_no_memory ? NULL : __real_realloc(memory, size);
}

/* 100 lines, of which those from first on are written while there is no memory. */
static int write_lines(int first, int last, char **text, size_t *size)
{
	FILE *file = text_open(text, size);

	assert_non_null(file);
	for (int i = 0; i < 100; i++) {
		has_no_memory = i >= first && i < last;
		fprintf(file, "%0999d\n", i);
	}
	has_no_memory = false;
	return text_close(file, text);
}

static void a_text_is_whole_or_missing(void **state)
{
	char *text;
	size_t size;

	(void)state;
	assert_int_equal(write_lines(0, 0, &text, &size), 0);
	assert_int_equal(size, 100000);
	assert_int_equal(strlen(text), size);
	free(text);
	for (int first = 0; first < 90; first += 30) {
		assert_int_equal(write_lines(first, first + 30, &text, &size), -ENOMEM);
		assert_null(text);
	}
	assert_int_equal(text_close(text_open(&text, &size), &text), 0);
	assert_string_equal(text, "");
	assert_int_equal(size, 0);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_control_characters_and_wrong_utf8_are_escaped),
		cmocka_unit_test(words_are_written_escaped),
		cmocka_unit_test(words_are_parsed_unescaped),
		cmocka_unit_test(damaged_escapes_stay_as_they_are),
		cmocka_unit_test(long_words_are_cut),
		cmocka_unit_test(word_of_another_kind_stays),
		cmocka_unit_test(cut_off_line_is_not_parsed),
		cmocka_unit_test(failed_write_is_reported),
		cmocka_unit_test(a_text_is_whole_or_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
