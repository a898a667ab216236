// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Files of summaries: what is written is read; damage is found; hostile files do no harm. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "fleet/summary/summary_file.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

static void make_summary(struct summary *summary, uint64_t number)
{
	static const char *const names[SUMMARY_KINDS][SUMMARY_NAMES] = {
		{ "f", "kernel", "kmalloc-64" },
		{ "/a b\\c\n" },
		{ "-" },
	};
	char host[] = "a host", boot[] = "", kernel[] = "6.1", arch[] = "x86_64", role[] = "";

	assert_int_equal(summary_init(summary), 0);
	summary->begin = number;
	summary->end = number + 1;
	summary->live_at = number + 1;
	summary->live_hosts = 1;
	summary->cpu_ns = 17;
	summary->resident = 18;
	summary->missing = (struct missing){ .recorded = 1,
					     .lost = 2,
					     .skipped = 3,
					     .uncounted = 4,
					     .unobserved = 5,
					     .sampling = number % 2 ? 65536 : 0,
					     .names_lost = true };
	assert_int_equal(summary_add_source(summary, &(struct summary_source){ host, boot, 9,
									       number, number }),
			 0);
	assert_int_equal(summary_set_host(summary,
					  &(struct summary_host){ kernel, arch, role, 2, 3, 4, 5 }),
			 0);
	for (int i = 0; i < SUMMARY_KINDS; i++) {
		struct summary_row *row = summary_get_row(summary, (enum summary_kind)i, names[i]);

		assert_non_null(row);
		row->counts = (struct summary_counts){ 1, 2, 3, 4, 5, 6, 7, 8, UINT64_MAX, 0, 0 };
		if (summary->missing.sampling) {
			row->counts.allocated_variance = summary_round_variance(1e15 + i);
			row->counts.live_variance = summary_round_variance(1e25);
		}
	}
	summary_sort(summary);
}

static char *summary_text(const struct summary *summary, size_t *size)
{
	char *text;

	assert_int_equal(summary_write_text(summary, &text, size), 0);
	return text;
}

static char *make_text(uint64_t number, size_t *size)
{
	struct summary summary;
	char *text;

	make_summary(&summary, number);
	text = summary_text(&summary, size);
	summary_deinit(&summary);
	return text;
}

static void a_summary_has_this_text(void **state)
{
	size_t size;
	char *text = make_text(1, &size);

	(void)state;
	assert_string_equal(text, "summary 1 2 2 1\n"
				  "source a\\x20host - 9 1 1\n"
				  "host 6.1 x86_64 2 3 4 5 -\n"
				  "cost 17 18\n"
				  "bound 1 2 3 4 5 65536 1\n"
				  "code f kernel kmalloc-64 1 2 3 4 5 6 7 8 18446744073709551615 "
				  "1000000000622592 1.0000000000000001e+25\n"
				  "cgroup /a\\x20b\\x5cc\\x0a 1 2 3 4 5 6 7 8 18446744073709551615 "
				  "1000000000622592 1.0000000000000001e+25\n"
				  "comm - 1 2 3 4 5 6 7 8 18446744073709551615 1000000000622592 "
				  "1.0000000000000001e+25\n"
				  "end 8 1770512137\n");
	free(text);
}

static void what_is_written_is_read(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 2; i++) {
		size_t size, again_size;
		char *text = make_text(i, &size), *again;
		const char *at = text;
		struct summary summary;

		assert_int_equal(summary_parse(&summary, &at, text + size), 1);
		assert_ptr_equal(at, text + size);
		assert_string_equal(summary.sources[0].host, "a host");
		assert_string_equal(summary.sources[0].boot, "");
		assert_string_equal(summary.host.role, "");
		assert_string_equal(summary.rows[2].names[0], "-");
		again = summary_text(&summary, &again_size);
		assert_string_equal(again, text);
		summary_deinit(&summary);
		assert_int_equal(summary_parse(&summary, &at, text + size), 0);
		free(text);
		free(again);
	}
}

struct file {
	char *directory, *path;
};

static struct file file_setup(void)
{
	struct file file = { .directory = scratch_directory() };

	file.path = scratch_path(file.directory, "a.kms");
	return file;
}

static void file_teardown(struct file *file)
{
	scratch_remove(file->directory);
	free(file->path);
}

/* The numbers of the summaries, "!" for damage: "0!2". */
static void expect_read(const struct file *file, const char *text, size_t size,
			const char *expected)
{
	char found[64] = "", *at = found;
	struct summary_reader reader;
	struct summary summary;
	struct summary_head head;
	int more;

	scratch_write(file->path, text, size);
	assert_int_equal(summary_reader_open(&reader, file->path), 0);
	while ((more = summary_reader_next(&reader, &summary))) {
		if (more == 1) {
			*at++ = (char)('0' + summary.begin);
			summary_deinit(&summary);
		} else {
			assert_int_equal(more, -EBADMSG);
			assert_non_null(strstr(reader.errmsg, "a.kms: the summary at byte "));
			*at++ = '!';
		}
		*at = '\0';
	}
	assert_string_equal(found, expected);
	if (*found && at[-1] != '!')
		assert_int_equal(reader.offset, size);
	/* the heads alone say the same */
	assert_int_equal(summary_reader_seek(&reader, strlen(SUMMARY_FILE_HEADER)), 0);
	for (at = found; (more = summary_reader_skip(&reader, &head)); at++) {
		*at = more == 1 ? (char)('0' + head.begin) : '!';
		if (more == 1)
			assert_int_equal(head.summaries, 1);
	}
	assert_string_equal(found, expected);
	summary_reader_close(&reader);
}

/* A file of three summaries; *starts: where each begins and the last ends. */
static char *make_file(size_t starts[4])
{
	char *text = calloc(1, 8192);

	assert_non_null(text);
	strcpy(text, SUMMARY_FILE_HEADER);
	for (uint64_t i = 0; i < 3; i++) {
		size_t size;
		char *block = make_text(i, &size);

		starts[i] = strlen(text);
		strcat(text, block);
		free(block);
	}
	starts[3] = strlen(text);
	return text;
}

static void files_are_read(void **state)
{
	struct file file = file_setup();
	struct summary_reader reader;
	struct summary_head head;
	struct summary summary;
	size_t starts[4];
	char *text = make_file(starts);

	(void)state;
	expect_read(&file, text, starts[3], "012");
	expect_read(&file, text, starts[0], "");
	assert_int_equal(summary_reader_open(&reader, file.path), 0);
	assert_int_equal(summary_reader_next(&reader, &summary), 0);
	summary_reader_close(&reader);
	scratch_write(file.path, text, starts[3]);
	assert_int_equal(summary_reader_open(&reader, file.path), 0);
	assert_int_equal(summary_reader_skip(&reader, &head), 1);
	assert_int_equal(head.end, 1);
	assert_int_equal(summary_reader_skip(&reader, &head), 1);
	assert_int_equal(head.offset, starts[1]);
	assert_int_equal(summary_reader_next(&reader, &summary), 1);
	assert_int_equal(summary.begin, 2);
	summary_deinit(&summary);
	assert_int_equal(summary_reader_seek(&reader, head.offset), 0);
	assert_int_equal(summary_reader_next(&reader, &summary), 1);
	assert_int_equal(summary.begin, 1);
	assert_int_equal(reader.offset, starts[2]);
	summary_deinit(&summary);
	summary_reader_close(&reader);
	free(text);
	file_teardown(&file);
}

static void a_block_cut_off_anywhere_is_skipped(void **state)
{
	struct file file = file_setup();
	size_t starts[4];
	char *text = make_file(starts);

	(void)state;
	for (size_t end = starts[2] + 1; end < starts[3]; end++)
		expect_read(&file, text, end, "01!");
	free(text);
	file_teardown(&file);
}

/* Bytes that are missing from the middle block: the writer was stopped, and another went on. */
static void a_hole_is_skipped(void **state)
{
	struct file file = file_setup();
	size_t starts[4];
	char *text = make_file(starts), *cut = malloc(8192);

	(void)state;
	assert_non_null(cut);
	for (size_t end = starts[1] + 1; end < starts[2]; end++) {
		memcpy(cut, text, end);
		if (cut[end - 1] == '\n') {
			memcpy(cut + end, text + starts[2], starts[3] - starts[2]);
			expect_read(&file, cut, end + starts[3] - starts[2], "0!2");
		}
	}
	free(cut);
	free(text);
	file_teardown(&file);
}

static void every_damaged_byte_is_found(void **state)
{
	static const char values[] = { '\0', '\n', ' ', 'x', '0', '\xff' };
	struct file file = file_setup();
	size_t starts[4];
	char *text = make_file(starts);

	(void)state;
	for (size_t at = starts[1]; at < starts[2]; at++)
		for (size_t i = 0; i <= sizeof(values); i++) {
			char old = text[at];

			text[at] = i < sizeof(values) ? values[i] : (char)(old ^ 1);
			if (text[at] != old)
				expect_read(&file, text, starts[3], "0!2");
			text[at] = old;
		}
	free(text);
	file_teardown(&file);
}

static void other_versions_are_refused(void **state)
{
	static const struct {
		const char *text;
		int err;
	} cases[] = {
		{ "", -EBADMSG },
		{ "kmemtrace-summaries", -EBADMSG },
		{ "kmemtrace-summaries 2\n", -EPROTONOSUPPORT },
		{ "kmemtrace-summaries 10\n", -EPROTONOSUPPORT },
		{ "kmemtrace-capture 1\n", -EBADMSG },
		{ "summary 1 2 3 1\n", -EBADMSG },
	};
	struct file file = file_setup();
	struct summary_reader reader;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		scratch_write(file.path, cases[i].text, strlen(cases[i].text));
		assert_int_equal(summary_reader_open(&reader, file.path), cases[i].err);
		assert_non_null(strstr(reader.errmsg, "a.kms: "));
	}
	assert_int_equal(summary_reader_open(&reader, file.directory), -EISDIR);
	assert_int_equal(summary_reader_open(&reader, "/missing.kms"), -ENOENT);
	file_teardown(&file);
}

/* Parses these lines as a block with a right checksum. */
static int parse_block(const char *lines, struct summary *summary)
{
	size_t count = 0, size = strlen(lines);
	char *text = malloc(size + 64);
	const char *at = text;
	int result;

	assert_non_null(text);
	for (const char *line = lines; (line = strchr(line, '\n')); line++)
		count++;
	sprintf(text, "%send %zu %lu\n", lines, count,
		crc32(0, (const unsigned char *)lines, (unsigned int)size));
	result = summary_parse(summary, &at, text + strlen(text));
	assert_ptr_equal(at, text + strlen(text));
	free(text);
	return result;
}

#define FIRST "summary 1 2 3 1\nsource h b 1 2 3\n"

static void later_versions_are_read(void **state)
{
	struct summary summary;

	(void)state;
	assert_int_equal(parse_block("summary 1 2 3 4 more\nnew 1 2\nsource h b 1 2 3 9\n\n"
				     "bound 1 2 3 4 5 6 7 8 x\n"
				     "comm c 1 2 3 4 5 6 7 8 9 10 11 12\n"
				     "code f m c 1 2 3 4 5 6 7 8 9\n",
				     &summary),
			 1);
	assert_int_equal(summary.row_count, 2);
	assert_int_equal(summary.rows[0].counts.live_bytes, 9);
	assert_true(summary.rows[0].counts.live_variance == SUMMARY_VARIANCE_UNIT);
	assert_null(summary.host.kernel);
	summary_deinit(&summary);
}

static void several_hosts_have_no_facts_of_one(void **state)
{
	struct summary summary;

	(void)state;
	assert_int_equal(parse_block("summary 1 2 3 1\nsource g b 1 2 3\nsource h b 1 2 3\n"
				     "host 6.1 x86_64 1 2 3 4 -\n",
				     &summary),
			 1);
	assert_null(summary.host.kernel);
	summary_deinit(&summary);
}

static void wrong_lines_are_refused(void **state)
{
	static const char *const cases[] = {
		"summary 1 2 3 1\n", /* no source */
		"summary 1 2 3\nsource h b 1 2 3\n",
		"summary 3 2 3 1\nsource h b 1 2 3\n",
		"summary 18446744073709551616 2 3 1\nsource h b 1 2 3\n",
		"summary 1 2 3 1\nsource h b 1 3 2\n",
		"summary 1 2 3 1\nsource h b 1 2\n",
		FIRST "source h b 1 3 4\n",
		FIRST "host 6.1 x86_64 4294967296 1 2 3 -\n",
		FIRST "host 6.1 x86_64 1 1 2 3\n",
		FIRST "cost 1\n",
		FIRST "bound 1 2 3 4 5 6\n",
		FIRST "comm\n",
		FIRST "comm c 1 2 3 4 5 6 7 8\n",
		FIRST "comm c 1 2 3 4 5 6 7 8 -9\n",
		FIRST "code f m 1 2 3 4 5 6 7 8 9\n",
		FIRST "bound 1 2 3 4 5 6 7\ncomm c 1 2 3 4 5 6 7 8 9 10\n",
		FIRST "bound 1 2 3 4 5 6 7\ncomm c 1 2 3 4 5 6 7 8 9 10 nan\n",
		FIRST "bound 1 2 3 4 5 6 7\ncomm c 1 2 3 4 5 6 7 8 9 10 -1\n",
		FIRST "bound 1 2 3 4 5 6 7\ncomm c 1 2 3 4 5 6 7 8 9 10 1e999\n",
		FIRST "bound 1 2 3 4 5 6 7\ncomm c 1 2 3 4 5 6 7 8 9 10 1x\n",
	};
	struct summary summary;

	(void)state;
	assert_int_equal(parse_block(FIRST, &summary), 1);
	summary_deinit(&summary);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (parse_block(cases[i], &summary) != -EBADMSG)
			fail_msg("%s", cases[i]);
}

static void huge_texts_are_bounded(void **state)
{
	struct file file = file_setup();
	struct summary summary;
	size_t size = 3 * SUMMARY_BLOCK_MAX / 2, starts[4];
	char *text = make_file(starts), *huge = malloc(size + 8192), *words;

	(void)state;
	/* no newline, then a whole block */
	assert_non_null(huge);
	memset(huge, 'a', size);
	memcpy(huge, text, starts[1]);
	memcpy(huge + starts[1], "summary ", 8);
	expect_read(&file, huge, size, "0!");
	huge[size] = '\n';
	memcpy(huge + size + 1, text + starts[2], starts[3] - starts[2]);
	expect_read(&file, huge, size + 1 + starts[3] - starts[2], "0!2");
	free(huge);
	free(text);
	/* many words, and a long one */
	words = malloc(2 << 20);
	assert_non_null(words);
	strcpy(words, FIRST "comm ");
	memset(words + strlen(words), 'w', 10000);
	strcpy(words + strlen(FIRST) + 10005, " 1 2 3 4 5 6 7 8 9");
	size = strlen(words);
	for (; size < 1 << 20; size += 2)
		memcpy(words + size, " 7", 3);
	strcpy(words + size, "\n");
	assert_int_equal(parse_block(words, &summary), 1);
	assert_int_equal(strlen(summary.rows[0].names[0]), SUMMARY_NAME_SIZE - 1);
	assert_int_equal(summary.rows[0].counts.live_bytes, 9);
	summary_deinit(&summary);
	free(words);
	file_teardown(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_summary_has_this_text),
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(files_are_read),
		cmocka_unit_test(a_block_cut_off_anywhere_is_skipped),
		cmocka_unit_test(a_hole_is_skipped),
		cmocka_unit_test(every_damaged_byte_is_found),
		cmocka_unit_test(other_versions_are_refused),
		cmocka_unit_test(later_versions_are_read),
		cmocka_unit_test(several_hosts_have_no_facts_of_one),
		cmocka_unit_test(wrong_lines_are_refused),
		cmocka_unit_test(huge_texts_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
