// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Imports the lines of a text. Call sites and flags are names, and times are cut to microseconds.
 * The lines are in the order of the events.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "capture/import/text_import.h"

#define POINTER_DIGITS 16 /* of a hashed pointer, the first half zeros */

static void note_line(struct text_import *text, struct first_line *first, const char *why)
{
	if (first->number)
		return;
	first->number = text->line;
	snprintf(first->why, sizeof(first->why), "%s", why);
}

static void reject_event(struct text_import *text, const char *why)
{
	text->rejected_lines++;
	note_line(text, &text->rejected, why);
}

static void reject_line(struct text_import *text, const char *why)
{
	text->bad_lines++;
	note_line(text, &text->bad, why);
	reject_event(text, why);
}

/* 1, or 0: the line has no pointer. */
static int parse_pointer(struct text_import *text, const struct text_line *line, uint64_t *pointer)
{
	const char *at;
	char value[40];

	if (!text_line_field(line, "ptr=", NULL, value, sizeof(value)))
		return 0;
	if (!strcmp(value, "(nil)") || !strcmp(value, "(null)")) {
		*pointer = 0;
		return 1;
	}
	at = value;
	if (!number_parse(&at, 16, pointer) || *at)
		return 0;
	if (strlen(value) == POINTER_DIGITS && *pointer && !(*pointer >> 32))
		text->hashed++;
	return 1;
}

static int parse_sizes(struct text_import *text, const struct text_line *line,
		       struct import_event *event)
{
	char value[256];
	uint64_t node;

	if (!text_line_number(line, "bytes_req=", &event->requested) ||
	    !text_line_number(line, "bytes_alloc=", &event->allocated)) {
		reject_line(text, "its sizes are not numbers");
		return -EINVAL;
	}
	if (text_line_number(line, "node=", &node) && node <= INT16_MAX)
		event->node = (int64_t)node;
	if (text_line_field(line, "gfp_flags=", NULL, value, sizeof(value)) &&
	    gfp_bits_parse(&text->gfp_bits, &text->target->gfp, value, &event->gfp))
		return error_set(&text->target->error, -ENOMEM, strerror(ENOMEM));
	return 0;
}

/* Lines with equal times become one nanosecond apart, in their order. */
static uint64_t next_time(struct text_import *text, uint64_t time)
{
	if (text->target->begun && time <= text->time) {
		text->shifted++;
		time = text->time + 1;
	}
	text->time = time;
	return time;
}

static int count_lost(struct text_import *text, unsigned int cpu, uint64_t count, uint64_t time)
{
	number_add(&text->all_lost, count);
	return import_target_count_lost(text->target, cpu, count, time);
}

/* Counts the lost events of a line without a time, between the events before and after it. */
static int count_lost_before(struct text_import *text, uint64_t time)
{
	uint64_t count = text->lost_count;

	text->lost_count = 0;
	return count_lost(text, text->lost.cpu, count, text->target->begun ? text->time : time);
}

/* Imports the event that waits for its stack. */
static int release_event(struct text_import *text)
{
	uint64_t impossible = text->target->impossible, line = text->line;
	struct held_event *held = &text->held;
	int err;

	if (!held->is_held)
		return 0;
	held->is_held = false;
	held->event.cache = *held->cache ? held->cache : NULL;
	held->event.has_stack = text->has_stacks;
	held->event.frames = held->stack.frames;
	held->event.frame_count = held->stack.count;
	err = import_target_put_event(text->target, &held->event);
	text->line = held->line;
	if (!err && text->target->impossible > impossible)
		reject_event(text, "its address or size is impossible");
	text->line = line;
	return err;
}

static int import_frame(struct text_import *text, const struct text_frame *frame)
{
	struct held_event *held = &text->held;

	if (!held->is_held || !held->takes_frames)
		return 0;
	text->has_stacks = true;
	if (held->event.id != KMT_KMALLOC && held->event.id != KMT_CACHE_ALLOC)
		return 0;
	return text_stack_add(&held->stack, frame, &text->functions, text->target,
			      held->event.call_site, held->call_site, &text->stack_counts);
}

/* "<stack trace>" of ftrace, an event of its own behind that of the stack. */
static bool begins_stack(struct text_import *text, const struct text_line *line)
{
	if (strncmp(line->event, "<stack", 6) && strncmp(line->event, "kernel_stack:", 13))
		return false;
	text->held.takes_frames = text->held.is_held && text->held.event.task == line->tid &&
				  text->held.event.cpu == line->cpu;
	text->other_stacks += !text->held.takes_frames;
	return true;
}

static int import_lost_line(struct text_import *text, const struct text_line *line)
{
	int err = release_event(text);

	if (err)
		return err;
	if (line->has_time && !line->has_lost)
		reject_line(text, "it has no number of lost events");
	else
		text->unknown_lost += !line->has_lost;
	if (!line->has_lost)
		return 0;
	if (line->has_time)
		return count_lost(text, line->cpu, line->lost, next_time(text, line->time));
	err = count_lost_before(text, text->time);
	text->lost = *line;
	text->lost_count = line->lost;
	return err;
}

/* Events of kmem about pages, not slab objects: mm_page_alloc, ... */
static void note_other_event(struct text_import *text, const struct text_line *line)
{
	char name[sizeof(text->other_kmem.why)];

	snprintf(name, sizeof(name), "%.*s", (int)line->event_size, line->event);
	if (!strncmp(name, "mm_", 3) || !strcmp(name, "rss_stat"))
		note_line(text, &text->other_kmem, name);
}

static int import_event_line(struct text_import *text, const struct text_line *line)
{
	struct import_event event = {
		.id = text_line_id(line), .task = line->tid, .cpu = line->cpu, .node = KMT_NODE_ANY
	};
	struct held_event *held = &text->held;
	int err;

	if (begins_stack(text, line))
		return 0;
	err = release_event(text);
	if (!err)
		err = count_lost_before(text, line->time);
	if (!err && event.id == KMT_NONE)
		note_other_event(text, line);
	if (err || event.id == KMT_NONE)
		return err;
	if (!text->target->begun)
		snprintf(text->buffer, sizeof(text->buffer), "%s", line->buffer);
	if (strcmp(text->buffer, line->buffer)) {
		/* another buffer may have the same events: they would count twice */
		text->other_buffers++;
		return 0;
	}
	if (!parse_pointer(text, line, &event.pointer)) {
		text->no_pointer++;
		reject_event(text, "its pointer is hidden or missing");
		return import_target_count_lost(text->target, line->cpu, 1,
						next_time(text, line->time));
	}
	if (event.id == KMT_KMALLOC || event.id == KMT_CACHE_ALLOC) {
		err = parse_sizes(text, line, &event);
		if (err)
			return err == -EINVAL ? 0 : err;
	}
	if (event.id == KMT_KMALLOC || event.id == KMT_KFREE ||
	    !text_line_field(line, "name=", " bytes_req=", held->cache, sizeof(held->cache)))
		held->cache[0] = '\0';
	if (!text_line_field(line, "call_site=", " ptr=", held->call_site, sizeof(held->call_site)))
		held->call_site[0] = '\0';
	err = function_addresses_find(&text->functions, text->target, held->call_site,
				      &event.call_site);
	if (err)
		return err;
	event.time = next_time(text, line->time);
	text->coarse |= line->coarse;
	text->is_number |= line->is_number;
	text->no_cpu += !line->has_cpu;
	held->is_held = true;
	held->takes_frames = text->format->stack_follows;
	held->event = event;
	held->line = text->line;
	held->stack = (struct text_stack){ 0 };
	return import_target_name_task(text->target, line->tid, line->pid, line->comm, event.time);
}

/* "# hostname : vm", which perf script --header prints. */
static void parse_header(struct metadata *metadata, const char *line)
{
	static const struct {
		const char *key;
		size_t offset;
	} keys[] = {
		{ "# hostname : ", offsetof(struct metadata, hostname) },
		{ "# os release : ", offsetof(struct metadata, release) },
		{ "# arch : ", offsetof(struct metadata, machine) },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strncmp(line, keys[i].key, strlen(keys[i].key)))
			snprintf((char *)metadata + keys[i].offset, METADATA_TEXT, "%s",
				 line + strlen(keys[i].key));
}

/* "# entries-in-buffer/entries-written: 1500/4000   #P:2" */
static void parse_entries(struct text_import *text, const char *line)
{
	static const char key[] = "# entries-in-buffer/entries-written: ";
	const char *at = line + strlen(key);
	uint64_t kept, written;

	if (!strncmp(line, key, strlen(key)) && number_parse(&at, 10, &kept) && *at++ == '/' &&
	    number_parse(&at, 10, &written) && written > kept)
		text->overwritten = written - kept;
}

static int import_line(struct text_import *text, const char *line)
{
	struct text_line parsed;
	struct text_frame frame;

	switch (text->format->parse(&parsed, line)) {
	case TEXT_EVENT:
		return import_event_line(text, &parsed);
	case TEXT_LOST:
		return import_lost_line(text, &parsed);
	case TEXT_NO_TIME:
		text->no_time++;
		reject_line(text, "it has no time");
		return 0;
	case TEXT_BAD:
		reject_line(text, "it has no valid task in front of its time");
		return 0;
	default:
		if (text_frame_parse(&frame, line))
			return import_frame(text, &frame);
		text->held.takes_frames &= *line == '#';
		parse_header(&text->target->metadata, line);
		parse_entries(text, line);
		return 0;
	}
}

/*
 * A line that does not fit is ignored, and so is a last line without a newline: its last number may
 * have lost digits.
 */
static int import_lines(struct text_import *text, FILE *file, char *line)
{
	bool rest = false;
	int err = 0;

	while (!err && fgets(line, TEXT_LINE_BYTES, file)) {
		size_t size = strcspn(line, "\r\n");
		bool whole = line[size + strspn(line + size, "\r")] == '\n';

		text->line += !rest;
		text->cut = !whole;
		line[size] = '\0';
		if (!rest && whole)
			err = import_line(text, line);
		rest = !whole;
	}
	if (!err && ferror(file))
		err = error_set_at(&text->target->error, -EIO, text->path);
	if (!err)
		err = release_event(text);
	return err ? err : count_lost_before(text, text->time);
}

/* On other machines the kernel's configuration decides. */
static void set_page_size(struct metadata *metadata)
{
	static const char *const machines[] = { "x86_64", "i386", "i586", "i686", "s390x" };

	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		if (!strcmp(metadata->machine, machines[i]))
			metadata->page_size = 4096;
}

static int check_result(struct text_import *text)
{
	if (!text->target->events)
		return text_import_refuse(text);
	set_page_size(&text->target->metadata);
	text_import_add_notes(text);
	return 0;
}

int text_import(const struct text_format *format, struct import_target *target, const char *path)
{
	struct text_import text = { .format = format, .target = target, .path = path };
	char *line = malloc(TEXT_LINE_BYTES);
	FILE *file = fopen(path, "re");
	int err;

	if (!line || function_addresses_init(&text.functions))
		err = error_set(&target->error, -ENOMEM, strerror(ENOMEM));
	else if (!file)
		err = error_set_at(&target->error, -errno, path);
	else
		err = import_lines(&text, file, line);
	if (!err)
		err = check_result(&text);
	if (file)
		fclose(file);
	free(line);
	function_addresses_deinit(&text.functions);
	return err;
}
