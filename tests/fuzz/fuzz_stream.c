// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A capture as a stream, as kmemtrace-report reads it from a pipe: any bytes, or an archive whose
 * files come as frames. The views print what a terminal cannot obey, and nothing is written outside
 * of the temporary directory, which is removed.
 */
#include "config.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/format.h"
#include "capture/live_capture.h"
#include "report/report.h"
#include "tests/fuzz/fuzz.h"

static void put_frame(FILE *file, const char *kind, const char *name, const uint8_t *bytes,
		      size_t size)
{
	fprintf(file, "%s %s %zu\n", kind, name, size);
	fwrite(bytes, 1, size, file);
}

/* The first packet of each stream, with all tables or half of each; or the rest. */
static void put_frames(FILE *file, struct fuzz_input input, unsigned int how, bool is_rest)
{
	while (input.left) {
		struct packet_header header = { 0 };
		size_t size, first;
		const uint8_t *part = fuzz_part(&input, &size);
		const char *name;

		if (!size)
			continue;
		name = fuzz_names[*part % fuzz_name_count];
		part++;
		size--;
		first = how & 1 ? size / 2 : size;
		if (!strncmp(name, "cpu", 3)) {
			memcpy(&header, part, size < sizeof(header) ? size : sizeof(header));
			first = header.packet_bits / 8;
		}
		first = first > size ? size : first;
		if (!is_rest)
			put_frame(file, "append", name, part, first);
		else if (first < size)
			put_frame(file, how & 2 ? "replace" : "append", name, part + first,
				  size - first);
	}
}

/* A stream of the files of an archive, with checksums that are right. */
static char *make_stream(const struct fuzz_input *archive, unsigned int how, size_t *size)
{
	uint8_t *copy = (uint8_t *)fuzz_text(archive);
	struct fuzz_input input = { copy, archive->left };
	char *text = NULL;
	FILE *file = open_memstream(&text, size);

	FUZZ_EXPECT(file);
	if (how & 4)
		fuzz_repair_stream(copy, input.left, FUZZ_REPAIR_CRC);
	fputs(STREAM_FRAME_FIRST, file);
	put_frames(file, input, how, false);
	fputs("time 0\n", file);
	put_frames(file, input, how, true);
	fprintf(file, "time %" PRIu64 "\n", (uint64_t)how << 24);
	if (how & 8)
		fputs("end\n", file);
	FUZZ_EXPECT(!fclose(file));
	free(copy);
	return text;
}

static void read_stream(FILE *file, const struct view *view)
{
	struct report_options options = {
		.input = "-", .view = view, .renderer = &renderer_text, .threads = 1, .max_loss = -1
	};
	struct live_capture live;
	struct capture capture;
	char *text;
	size_t size;

	options.query = calloc(1, sizeof(*options.query));
	FUZZ_EXPECT(options.query);
	fuzz_output_begin();
	if (live_capture_open(&live, &capture, file))
		FUZZ_EXPECT(*capture.error.text);
	else
		report_print(&options, &capture);
	live_capture_close(&live);
	capture_close(&capture);
	text = fuzz_output_end(&size);
	fuzz_expect_printable(text, size);
	free(text);
	report_options_deinit(&options);
}

static void expect_empty(const char *path)
{
	DIR *directory = opendir(path);
	const struct dirent *entry;

	FUZZ_EXPECT(directory);
	while ((entry = readdir(directory)))
		FUZZ_EXPECT(!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."));
	closedir(directory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	unsigned int how = fuzz_byte(&input);
	char *text;
	size_t length = input.left;
	FILE *file;

	text = how & 0x80 ? fuzz_text(&input) : make_stream(&input, how, &length);
	fuzz_empty("temporary");
	setenv("TMPDIR", fuzz_path("temporary"), 1);
	file = length ? fmemopen(text, length, "r") : NULL;
	if (file) {
		read_stream(file, how & 0x40 ? &view_count : &view_events);
		fclose(file);
	}
	expect_empty(fuzz_path("temporary"));
	free(text);
	return 0;
}
