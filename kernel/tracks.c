// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Merges tracks, and keeps them as text. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/array.h"
#include "base/text.h"
#include "kernel/tracks.h"

#define FRAMES_BYTES_MAX 65536 /* of one stack in a capture */

static const char *const names[TRACK_SOURCES] = { "kfence", "slub" };

const char *track_source_name(enum track_source source)
{
	return names[source];
}

int tracks_add(struct tracks *tracks, const struct track *track)
{
	struct track *list = array_grow(tracks->list, tracks->count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	tracks->list = list;
	list[tracks->count++] = *track;
	return 0;
}

static int compare_tracks(const void *left, const void *right)
{
	const struct track *a = left, *b = right;
	int order = (int)a->source - (int)b->source;

	if (!order)
		order = strcmp(a->cache, b->cache);
	return order ? order : strcmp(a->stack, b->stack);
}

static uint64_t add_limited(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* The range of both is known if both are. */
static void widen_range(uint64_t *least, uint64_t *most, uint64_t other_least, uint64_t other_most)
{
	bool is_known = *least != TRACK_UNKNOWN && *most != TRACK_UNKNOWN &&
			other_least != TRACK_UNKNOWN && other_most != TRACK_UNKNOWN;

	*least = is_known ? MIN(*least, other_least) : TRACK_UNKNOWN;
	*most = is_known ? MAX(*most, other_most) : TRACK_UNKNOWN;
}

void tracks_merge(struct tracks *tracks)
{
	size_t kept = 0;

	if (!tracks->count)
		return;
	qsort(tracks->list, tracks->count, sizeof(*tracks->list), compare_tracks);
	for (size_t i = 1; i < tracks->count; i++) {
		struct track *track = &tracks->list[i], *into = &tracks->list[kept];

		if (compare_tracks(into, track)) {
			tracks->list[++kept] = *track;
			continue;
		}
		into->objects = add_limited(into->objects, track->objects);
		into->bytes = add_limited(into->bytes, track->bytes);
		widen_range(&into->youngest, &into->oldest, track->youngest, track->oldest);
		widen_range(&into->pid_min, &into->pid_max, track->pid_min, track->pid_max);
		free(track->stack);
	}
	tracks->count = kept + 1;
}

static void write_number(FILE *file, uint64_t number)
{
	if (number == TRACK_UNKNOWN)
		fputs(" unknown", file);
	else
		fprintf(file, " %" PRIu64, number);
}

static int write_track(FILE *file, const struct track *track)
{
	static const char separator[] = { TRACK_FRAME_SEPARATOR, '\0' };
	char *frames = strdup(track->stack), *rest = frames, *frame;

	if (!frames)
		return -ENOMEM;
	fprintf(file, "track %s", names[track->source]);
	write_number(file, track->objects);
	write_number(file, track->bytes);
	write_number(file, track->youngest);
	write_number(file, track->oldest);
	write_number(file, track->pid_min);
	write_number(file, track->pid_max);
	putc(' ', file);
	text_write_word(file, track->cache);
	while ((frame = strsep(&rest, separator))) {
		if (!*frame)
			continue;
		putc(' ', file);
		text_write_word(file, frame);
	}
	putc('\n', file);
	free(frames);
	return 0;
}

int tracks_write(FILE *file, const struct tracks *tracks)
{
	int err = 0;

	for (size_t i = 0; i < tracks->reading_count; i++)
		fprintf(file, "read %s %" PRIu64 "\n", names[tracks->readings[i].source],
			tracks->readings[i].time);
	for (size_t i = 0; i < tracks->count && !err; i++)
		err = write_track(file, &tracks->list[i]);
	return err ? err : text_write_result(file);
}

static bool parse_source(struct line *line, enum track_source *source)
{
	for (int i = 0; i < TRACK_SOURCES; i++) {
		if (line_key(line, names[i])) {
			*source = (enum track_source)i;
			return true;
		}
	}
	return false;
}

static bool parse_known_number(struct line *line, uint64_t *number)
{
	*number = TRACK_UNKNOWN;
	return line_u64(line, 10, number) || line_key(line, "unknown");
}

/* The frames to the end of the line. NULL: no memory. */
static char *parse_frames(struct line *line)
{
	size_t size = MIN((size_t)(line->end - line->at) + 1, FRAMES_BYTES_MAX), length = 0;
	char *stack = calloc(1, size);

	while (stack && length + 1 < size) {
		char *frame = stack + length + (length ? 1 : 0);

		line_word(line, frame, size - (size_t)(frame - stack));
		if (!*frame)
			break;
		for (char *at = frame; (at = strchr(at, TRACK_FRAME_SEPARATOR));)
			*at = '?';
		if (length)
			stack[length] = TRACK_FRAME_SEPARATOR;
		length = (size_t)(frame - stack) + strlen(frame);
	}
	return stack;
}

/* Behind the key. */
static int parse_track(struct tracks *tracks, struct line *line)
{
	struct track track = { 0 };
	int err;

	if (!parse_source(line, &track.source) || !parse_known_number(line, &track.objects) ||
	    !parse_known_number(line, &track.bytes) || !parse_known_number(line, &track.youngest) ||
	    !parse_known_number(line, &track.oldest) || !parse_known_number(line, &track.pid_min) ||
	    !parse_known_number(line, &track.pid_max))
		return -EINVAL;
	line_word(line, track.cache, sizeof(track.cache));
	track.stack = parse_frames(line);
	if (!track.stack)
		return -ENOMEM;
	err = *track.cache ? tracks_add(tracks, &track) : -EINVAL;
	if (err)
		free(track.stack);
	return err;
}

/* Behind the key. Each source is read once. */
static int parse_reading(struct tracks *tracks, struct line *line)
{
	struct tracks_reading reading;

	if (!parse_source(line, &reading.source) || !line_u64(line, 10, &reading.time))
		return -EINVAL;
	for (size_t i = 0; i < tracks->reading_count; i++)
		if (tracks->readings[i].source == reading.source)
			return -EINVAL;
	tracks->readings[tracks->reading_count++] = reading;
	return 0;
}

int tracks_parse(struct tracks *tracks, const char *text)
{
	struct line line;
	int err = 0;

	*tracks = (struct tracks){ 0 };
	while (!err && line_next(&line, &text)) {
		if (line_key(&line, "track"))
			err = parse_track(tracks, &line);
		else if (line_key(&line, "read"))
			err = parse_reading(tracks, &line);
	}
	if (err)
		tracks_deinit(tracks);
	else
		tracks_merge(tracks);
	return err;
}

void tracks_deinit(struct tracks *tracks)
{
	for (size_t i = 0; i < tracks->count; i++)
		free(tracks->list[i].stack);
	free(tracks->list);
	*tracks = (struct tracks){ 0 };
}
