// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lines of frames. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "capture/stream_frame.h"

static const char *const words[] = {
	[STREAM_FRAME_APPEND] = "append",
	[STREAM_FRAME_REPLACE] = "replace",
	[STREAM_FRAME_TIME] = "time",
	[STREAM_FRAME_END] = "end",
};

int stream_frame_write(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size) {
		ssize_t written = write(fd, at, size);

		if (written < 0 && errno != EINTR)
			return -errno;
		if (written > 0) {
			at += written;
			size -= (size_t)written;
		}
	}
	return 0;
}

int stream_frame_begin(int fd, const struct stream_frame *frame)
{
	char line[STREAM_FRAME_LINE];
	int length;

	if (frame->kind == STREAM_FRAME_END)
		length = snprintf(line, sizeof(line), "%s\n", words[frame->kind]);
	else if (frame->kind == STREAM_FRAME_TIME)
		length = snprintf(line, sizeof(line), "%s %" PRIu64 "\n", words[frame->kind],
				  frame->time);
	else
		length = snprintf(line, sizeof(line), "%s %s %" PRIu64 "\n", words[frame->kind],
				  frame->name, frame->size);
	return stream_frame_write(fd, line, (size_t)length);
}

/* A capture's files only: a stream comes from anywhere. */
static bool is_file_name(const char *name)
{
	static const char *const names[] = {
		"metadata",	   "kernel/status",	    "kernel/symbols", "kernel/caches",
		"kernel/tasks",	   "kernel/topology",	    "kernel/gfp",     "kernel/formats",
		"kernel/slabinfo", "kernel/process_memory", "kernel/stacks",  "kernel/cgroups"
	};
	const char *digits = name + 3;
	uint64_t cpu;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return !strncmp(name, "cpu", 3) && *digits >= '0' && *digits <= '9' &&
	       number_parse(&digits, 10, &cpu) && !*digits && cpu <= UINT16_MAX;
}

static bool parse_file(struct stream_frame *frame, const char *text)
{
	const char *space = strchr(text, ' '), *number;

	if (!space || (size_t)(space - text) >= sizeof(frame->name))
		return false;
	memcpy(frame->name, text, (size_t)(space - text));
	number = space + 1;
	return is_file_name(frame->name) && number_parse(&number, 10, &frame->size) && !*number &&
	       frame->size <= STREAM_FRAME_BYTES_MAX;
}

int stream_frame_read(FILE *file, struct stream_frame *frame)
{
	char line[STREAM_FRAME_LINE];
	size_t length;

	*frame = (struct stream_frame){ 0 };
	if (!fgets(line, sizeof(line), file))
		return ferror(file) ? -errno : 0;
	length = strlen(line);
	if (!length || line[length - 1] != '\n')
		return feof(file) ? 0 : -EBADMSG;
	line[length - 1] = 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t word = strlen(words[i]);
		const char *rest = line + word + 1;

		if (strncmp(line, words[i], word) || (line[word] && line[word] != ' '))
			continue;
		frame->kind = (enum stream_frame_kind)i;
		if (i == STREAM_FRAME_END)
			return line[word] ? -EBADMSG : 1;
		if (!line[word])
			return -EBADMSG;
		if (i == STREAM_FRAME_TIME)
			return number_parse(&rest, 10, &frame->time) && !*rest ? 1 : -EBADMSG;
		return parse_file(frame, rest) ? 1 : -EBADMSG;
	}
	return -EBADMSG;
}
