// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Parses the kernel's texts: kfence_print_object() in mm/kfence/report.c and slab_debugfs_show() in
 * mm/slub.c write them, list_locations() in mm/slub.c before Linux 5.15.
 */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "kernel/tracks.h"

#define NSEC_PER_SEC UINT64_C(1000000000)
#define NSEC_PER_USEC 1000

/* One object, or one location of SLUB, while its lines are read. */
struct record {
	struct track track;
	bool in_stack; /* the lines that follow are frames of its allocation */
	bool is_freed;
	size_t stack_length;
};

static int add_frame(struct record *record, const char *frame, size_t length)
{
	size_t size = record->stack_length + length + 2;
	char *stack = realloc(record->track.stack, size);

	if (!stack)
		return -ENOMEM;
	record->track.stack = stack;
	if (record->stack_length)
		stack[record->stack_length++] = TRACK_FRAME_SEPARATOR;
	memcpy(stack + record->stack_length, frame, length);
	record->stack_length += length;
	stack[record->stack_length] = '\0';
	return 0;
}

/* Adds the track if it is whole; begins the next. */
static int end_record(struct tracks *tracks, struct record *record)
{
	struct track *track = &record->track;
	bool is_whole = *track->cache && track->stack && track->objects && !record->is_freed;
	int err = is_whole ? tracks_add(tracks, track) : 0;

	if (!is_whole || err)
		free(track->stack);
	*record = (struct record){ 0 };
	return err;
}

/* The number behind the word, in a line of this length. */
static bool number_behind(const char *line, size_t length, const char *word, uint64_t *number)
{
	const char *at = memmem(line, length, word, strlen(word));

	if (!at)
		return false;
	at += strlen(word);
	return number_parse(&at, 10, number);
}

/* "41.656713s" behind the word. */
static bool seconds_behind(const char *line, size_t length, const char *word, uint64_t *ns)
{
	const char *at = memmem(line, length, word, strlen(word));
	uint64_t seconds, micros;

	if (!at)
		return false;
	at += strlen(word);
	if (!number_parse(&at, 10, &seconds) || *at++ != '.' || !number_parse(&at, 10, &micros) ||
	    *at != 's' || seconds > UINT64_MAX / NSEC_PER_SEC - 1 ||
	    micros >= NSEC_PER_SEC / NSEC_PER_USEC)
		return false;
	*ns = seconds * NSEC_PER_SEC + micros * NSEC_PER_USEC;
	return true;
}

/* Before Linux 5.15, "kfence-#0 [0x…-0x…, size=32, cache=kmalloc-32] allocated by task 1:". */
static void begin_kfence(struct track *track, const char *line, size_t length)
{
	static const char key[] = "cache=";
	const char *name = memmem(line, length, key, strlen(key));
	size_t name_length;

	*track = (struct track){ .source = TRACK_KFENCE,
				 .youngest = TRACK_UNKNOWN,
				 .oldest = TRACK_UNKNOWN,
				 .pid_min = TRACK_UNKNOWN,
				 .pid_max = TRACK_UNKNOWN };
	if (!name || !number_behind(line, length, "size=", &track->bytes))
		return;
	name += strlen(key);
	name_length = strcspn(name, "]\n");
	if (name_length >= sizeof(track->cache))
		name_length = sizeof(track->cache) - 1;
	memcpy(track->cache, name, name_length);
	track->objects = 1;
}

/* now: ns since boot. */
static void take_allocation(struct record *record, const char *line, size_t length, uint64_t now)
{
	struct track *track = &record->track;
	uint64_t time, age;

	if (number_behind(line, length, "allocated by task ", &track->pid_min))
		track->pid_max = track->pid_min;
	if (seconds_behind(line, length, "s (", &age))
		track->youngest = track->oldest = age;
	else if (seconds_behind(line, length, " at ", &time) && time <= now)
		track->youngest = track->oldest = now - time;
	record->in_stack = true;
}

static bool has_word(const char *line, size_t length, const char *word)
{
	return memmem(line, length, word, strlen(word));
}

int tracks_parse_kfence(struct tracks *tracks, const char *text, uint64_t now)
{
	struct record record = { 0 };
	int err = 0;

	for (const char *line = text; *line && !err; line += *line == '\n') {
		size_t length = strcspn(line, "\n"), blanks = strspn(line, " ");

		if (!strncmp(line, "kfence-#", strlen("kfence-#"))) {
			err = end_record(tracks, &record);
			begin_kfence(&record.track, line, length);
		}
		if (has_word(line, length, "allocated by task "))
			take_allocation(&record, line, length, now);
		else if (has_word(line, length, "freed by task ") ||
			 has_word(line, length, "freeing by task "))
			record.is_freed = true;
		else if (record.in_stack && blanks && length > blanks && !record.is_freed && !err)
			err = add_frame(&record, line + blanks, length - blanks);
		line += length;
	}
	if (!err)
		return end_record(tracks, &record);
	free(record.track.stack);
	return err;
}

/* "LEAST/AVERAGE/MOST" or "BOTH" behind the word; "LEAST-MOST" of numbers of tasks. */
static void range_behind(const char *line, size_t length, const char *word, uint64_t *least,
			 uint64_t *most)
{
	const char *at = memmem(line, length, word, strlen(word));
	uint64_t number;

	*least = *most = TRACK_UNKNOWN;
	if (!at)
		return;
	at += strlen(word);
	if (!number_parse(&at, 10, &number))
		return;
	*least = *most = number;
	while ((*at == '/' || *at == '-') && (at++, number_parse(&at, 10, &number)))
		*most = number;
}

static uint64_t multiply_known(uint64_t a, uint64_t b)
{
	uint64_t product;

	return a == TRACK_UNKNOWN || __builtin_mul_overflow(a, b, &product) ? TRACK_UNKNOWN
									    : product;
}

/* "OBJECTS function+0x1/0x2 [module] waste=… age=… pid=… cpus=…" */
static int begin_slub(struct record *record, const char *line, size_t length, const char *cache,
		      uint64_t object_size, uint64_t tick)
{
	struct track *track = &record->track;
	const char *at = line + strspn(line, " ");
	size_t name_length;

	*track = (struct track){ .source = TRACK_SLUB };
	if (!number_parse(&at, 10, &track->objects) || *at++ != ' ')
		return 0;
	snprintf(track->cache, sizeof(track->cache), "%s", cache);
	track->bytes = multiply_known(track->objects, object_size);
	range_behind(line, length, " age=", &track->youngest, &track->oldest);
	track->youngest = multiply_known(track->youngest, tick);
	track->oldest = multiply_known(track->oldest, tick);
	range_behind(line, length, " pid=", &track->pid_min, &track->pid_max);
	record->in_stack = true;
	name_length = strcspn(at, " \n");
	/* the module; but not the next key */
	if (at[name_length] == ' ' && at[name_length + 1] == '[')
		name_length += 1 + strcspn(at + name_length + 1, " \n");
	return add_frame(record, at, name_length);
}

/* The name of a function, without its offset. */
static size_t function_length(const char *frame)
{
	return strcspn(frame, "+ ;");
}

/*
 * The first frame is the caller of the allocator; the stack behind it can begin with functions of
 * the allocator, and has the caller again.
 */
static void drop_allocator(struct record *record)
{
	char *stack = record->track.stack,
	     *first = stack ? strchr(stack, TRACK_FRAME_SEPARATOR) : NULL;
	size_t length = stack ? function_length(stack) : 0;

	for (char *at = first; at; at = strchr(at + 1, TRACK_FRAME_SEPARATOR)) {
		if (function_length(at + 1) != length || strncmp(at + 1, stack, length) != 0)
			continue;
		memmove(stack, at + 1, strlen(at + 1) + 1);
		return;
	}
}

int tracks_parse_slub(struct tracks *tracks, const char *text, const char *cache,
		      uint64_t object_size, uint64_t tick)
{
	static const char indent[] = "        "; /* of a frame; numbers have 7 digits */
	struct record record = { 0 };
	int err = 0;

	for (const char *line = text; *line && !err; line += *line == '\n') {
		size_t length = strcspn(line, "\n"), blanks = strspn(line, " ");

		if (blanks >= strlen(indent) && length > blanks) {
			if (record.in_stack)
				err = add_frame(&record, line + blanks, length - blanks);
		} else if (length && line[length] != '\n') {
			break; /* before Linux 5.15, the file ends after a page */
		} else if (length) {
			drop_allocator(&record);
			err = end_record(tracks, &record);
			if (!err)
				err = begin_slub(&record, line, length, cache, object_size, tick);
		}
		line += length;
	}
	drop_allocator(&record);
	if (!err)
		return end_record(tracks, &record);
	free(record.track.stack);
	return err;
}
