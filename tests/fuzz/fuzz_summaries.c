// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Blocks of summaries: what a block is written as is read as the same summary, and twice the same
 * summary is once. An odd first byte: the rest is a text of blocks; else it is the lines of one
 * block, which gets a right last line.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/summary/summary_block.h"
#include "fleet/summary/summary_file.h"
#include "tests/fuzz/fuzz.h"

static char *write_summary_text(struct summary *summary, size_t *size)
{
	char *text;

	summary_sort(summary);
	FUZZ_EXPECT(!summary_write_text(summary, &text, size));
	return text;
}

static void check_written(struct summary *summary)
{
	size_t size, again_size;
	char *text = write_summary_text(summary, &size), *again;
	const char *at = text;
	struct summary other, sum;

	FUZZ_EXPECT(summary_parse(&other, &at, text + size) == 1 && at == text + size);
	again = write_summary_text(&other, &again_size);
	FUZZ_EXPECT(size == again_size && !memcmp(text, again, size));
	free(again);
	FUZZ_EXPECT(!summary_init(&sum) && !summary_add(&sum, summary));
	FUZZ_EXPECT(summary_add(&sum, &other) == -EALREADY);
	again = write_summary_text(&sum, &again_size);
	FUZZ_EXPECT(size == again_size && !memcmp(text, again, size));
	free(again);
	free(text);
	summary_deinit(&sum);
	summary_deinit(&other);
}

/* The same from a file, whose reader goes on at the same places. */
static void read_file(const char *text, size_t size, size_t whole)
{
	struct summary_reader reader;
	struct summary summary;
	size_t found = 0;
	int more;

	fuzz_write("a.kms", text, size);
	FUZZ_EXPECT(!summary_reader_open(&reader, fuzz_path("a.kms")));
	while ((more = summary_reader_next(&reader, &summary))) {
		FUZZ_EXPECT(more == 1 || more == -EBADMSG);
		found += more == 1;
		if (more == 1)
			summary_deinit(&summary);
	}
	FUZZ_EXPECT(found == whole && reader.offset <= size);
	summary_reader_close(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	bool is_raw = fuzz_byte(&input) & 1;
	size_t header = strlen(SUMMARY_FILE_HEADER), length, whole = 0;
	char *text = malloc(header + input.left + SUMMARY_END_SIZE + 1);
	const char *at, *end;
	struct summary summary;
	int more;

	FUZZ_EXPECT(text);
	memcpy(text, SUMMARY_FILE_HEADER, header);
	memcpy(text + header, input.at, input.left);
	length = input.left;
	if (!is_raw) {
		text[header + length++] = '\n';
		length += summary_end_line(text + header, length, text + header + length);
	}
	at = text + header;
	end = at + length;
	while ((more = summary_parse(&summary, &at, end))) {
		FUZZ_EXPECT(more == 1 || more == -EBADMSG);
		whole += more == 1;
		if (more == 1) {
			check_written(&summary);
			summary_deinit(&summary);
		}
	}
	read_file(text, header + length, whole);
	free(text);
	return 0;
}
