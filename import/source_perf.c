// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What perf script printed of kmem's tracepoints. It is text for people: places are names, flags
 * too, and times are cut to microseconds. The order of the lines is that of the events.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "import/flags.h"
#include "import/functions.h"
#include "import/perf_line.h"
#include "import/source.h"
#include "base/number.h"

#define LINE_BYTES 16384
#define POINTER_DIGITS 16 /* of a pointer that the kernel hashed, half of them zeros */

struct perf {
	struct import_target *target;
	const char *path;
	struct functions functions;
	struct flags flags;
	uint64_t line;	  /* number of this one */
	uint64_t time;	  /* of the event before */
	uint64_t shifted; /* events that got another time, to keep their order */
	bool coarse;	  /* times are microseconds */
	uint64_t bad, first_bad, no_time, no_cpu, no_pointer, hashed, lost;
};

static bool is_perf(const unsigned char *bytes, size_t size)
{
	static const char key[] = " kmem:";

	return !memchr(bytes, '\0', size) && memmem(bytes, size, key, strlen(key));
}

static const struct {
	const char *name;
	uint8_t id;
} events[] = {
	{ "kmalloc", KMT_KMALLOC },
	{ "kmalloc_node", KMT_KMALLOC },
	{ "kfree", KMT_KFREE },
	{ "kmem_cache_alloc", KMT_CACHE_ALLOC },
	{ "kmem_cache_alloc_node", KMT_CACHE_ALLOC },
	{ "kmem_cache_free", KMT_CACHE_FREE },
};

static uint8_t id_of(const struct perf_line *line)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (strlen(events[i].name) == line->event_size &&
		    !strncmp(events[i].name, line->event, line->event_size))
			return events[i].id;
	return KMT_NONE;
}

static void note_bad(struct perf *perf)
{
	if (!perf->bad++)
		perf->first_bad = perf->line;
}

/* 1: it is told, 0: it is not. */
static int parse_pointer(struct perf *perf, const struct perf_line *line, uint64_t *pointer)
{
	const char *at;
	char text[40];

	if (!perf_line_field(line, "ptr=", NULL, text, sizeof(text)))
		return 0;
	if (!strcmp(text, "(nil)") || !strcmp(text, "(null)")) {
		*pointer = 0;
		return 1;
	}
	at = text;
	if (!number_parse(&at, 16, pointer) || *at)
		return 0;
	if (strlen(text) == POINTER_DIGITS && *pointer && !(*pointer >> 32))
		perf->hashed++;
	return 1;
}

static int parse_sizes(struct perf *perf, const struct perf_line *line, struct target_event *event)
{
	char text[256];
	const char *at;
	uint64_t node;

	if (!perf_line_number(line, "bytes_req=", &event->requested) ||
	    !perf_line_number(line, "bytes_alloc=", &event->allocated)) {
		note_bad(perf);
		return -EINVAL;
	}
	if (perf_line_field(line, "node=", NULL, text, sizeof(text))) {
		at = text;
		if (number_parse(&at, 10, &node) && !*at && node <= INT16_MAX)
			event->node = (int64_t)node;
	}
	if (perf_line_field(line, "gfp_flags=", NULL, text, sizeof(text)) &&
	    flags_parse(&perf->flags, &perf->target->gfp, text, &event->gfp))
		return target_fail(perf->target, ENOMEM, "%s", strerror(ENOMEM));
	return 0;
}

/* Lines that have one time are one nanosecond apart, in their order. */
static uint64_t next_time(struct perf *perf, uint64_t time)
{
	if (perf->target->begun && time <= perf->time) {
		perf->shifted++;
		time = perf->time + 1;
	}
	perf->time = time;
	return time;
}

static int take_event(struct perf *perf, const struct perf_line *line)
{
	struct target_event event = {
		.id = id_of(line), .task = line->tid, .cpu = line->cpu, .node = KMT_NODE_ANY
	};
	char place[512], cache[64];
	int err;

	if (event.id == KMT_NONE)
		return 0;
	if (!parse_pointer(perf, line, &event.pointer)) {
		perf->no_pointer++;
		return target_lose(perf->target, line->cpu, 1, next_time(perf, line->time));
	}
	if (event.id == KMT_KMALLOC || event.id == KMT_CACHE_ALLOC) {
		err = parse_sizes(perf, line, &event);
		if (err)
			return err == -EINVAL ? 0 : err;
	}
	if (event.id != KMT_KMALLOC && event.id != KMT_KFREE &&
	    perf_line_field(line, "name=", " bytes_req=", cache, sizeof(cache)) && *cache)
		event.cache = cache;
	if (!perf_line_field(line, "call_site=", " ptr=", place, sizeof(place)))
		place[0] = '\0';
	err = functions_place(&perf->functions, perf->target, place, &event.call_site);
	if (err)
		return err;
	event.time = next_time(perf, line->time);
	perf->coarse |= line->coarse;
	perf->no_cpu += !line->has_cpu;
	err = target_task(perf->target, line->tid, line->pid, line->comm, event.time);
	return err ? err : target_put(perf->target, &event);
}

static int take_lost(struct perf *perf, const struct perf_line *line)
{
	uint64_t count;
	const char *at = strstr(line->fields, " lost ");

	if (at)
		at += strlen(" lost ");
	if (!at || !number_parse(&at, 10, &count)) {
		note_bad(perf);
		return 0;
	}
	perf->lost += count;
	return target_lose(perf->target, line->cpu, count, next_time(perf, line->time));
}

/* "# hostname : vm", which perf script --header prints. */
static void take_header(struct metadata *metadata, const char *line)
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
			snprintf((char *)metadata + keys[i].offset, METADATA_TEXT, "%.*s",
				 (int)strcspn(line + strlen(keys[i].key), "\n"),
				 line + strlen(keys[i].key));
}

static int take_line(struct perf *perf, const char *text)
{
	struct perf_line line;

	switch (perf_line_parse(&line, text)) {
	case PERF_EVENT:
		return take_event(perf, &line);
	case PERF_LOST:
		return take_lost(perf, &line);
	case PERF_NO_TIME:
		perf->no_time++;
		/* fall through */
	case PERF_BAD:
		note_bad(perf);
		return 0;
	default:
		take_header(&perf->target->metadata, text);
		return 0;
	}
}

/* Of a line that is longer than text the rest is passed over. */
static int take_lines(struct perf *perf, FILE *file, char *text)
{
	bool rest = false;
	int err = 0;

	while (!err && fgets(text, LINE_BYTES, file)) {
		bool whole = strchr(text, '\n') != NULL || feof(file);

		perf->line += !rest;
		if (!rest && whole)
			err = take_line(perf, text);
		rest = !whole;
	}
	if (!err && ferror(file))
		err = target_fail(perf->target, EIO, "%s: %s", perf->path, strerror(EIO));
	return err;
}

static void tell(const struct perf *perf)
{
	struct import_target *target = perf->target;

	if (perf->bad)
		target_note(target,
			    "%s: lines of kmem that could not be understood: %" PRIu64
			    ", line %" PRIu64 " first: left out",
			    perf->path, perf->bad, perf->first_bad);
	if (perf->no_cpu)
		target_note(target,
			    "%s: lines that tell no CPU: %" PRIu64
			    ": taken for CPU 0; perf script -F +cpu prints it",
			    perf->path, perf->no_cpu);
	if (perf->no_pointer)
		target_note(target, "%s: lines that tell no pointer: %" PRIu64 ": counted as lost",
			    perf->path, perf->no_pointer);
	if (perf->hashed)
		target_note(target,
			    "%s: hashed pointers: %" PRIu64
			    ": different objects may share one, and none is an address",
			    perf->path, perf->hashed);
	if (perf->functions.unresolved)
		target_note(target, "%s: call sites that could not be understood: %" PRIu64,
			    perf->path, perf->functions.unresolved);
	if (perf->flags.left_out)
		target_note(target, "%s: more than 32 GFP flags, left out: %" PRIu64, perf->path,
			    perf->flags.left_out);
	if (perf->shifted)
		target_note(target,
			    "events that got a later time, to keep the order of the lines: %" PRIu64
			    "%s",
			    perf->shifted,
			    perf->coarse ? "; perf script --ns tells times to the nanosecond" : "");
	if (perf->lost)
		target_note(target,
			    "%" PRIu64
			    " events are lost, as the text tells: perf counts those of all "
			    "kinds together",
			    perf->lost);
	else
		target_note(target, "the text tells no lost events, which may be because there are "
				    "none: perf script --show-lost-events prints them");
	target_note(target, "addresses of functions and caches, and the bits of GFP flags, are "
			    "invented: the text tells their names only");
}

static int finish(struct perf *perf)
{
	if (!perf->target->events && perf->no_time)
		return target_fail(perf->target, ENODATA,
				   "%s: its lines have no time: print it with perf script -F "
				   "comm,tid,cpu,time,event,trace",
				   perf->path);
	if (!perf->target->events)
		return target_fail(perf->target, ENODATA,
				   "%s: holds no kmem event: record with perf record -a -e "
				   "'kmem:*' and print with perf script",
				   perf->path);
	tell(perf);
	return 0;
}

static int import_perf(struct import_target *target, char *const *paths, size_t count)
{
	struct perf perf = { .target = target, .path = paths[0] };
	char *text = malloc(LINE_BYTES);
	FILE *file = fopen(paths[0], "re");
	int err;

	(void)count;
	if (!text || functions_init(&perf.functions))
		err = target_fail(target, ENOMEM, "%s", strerror(ENOMEM));
	else if (!file)
		err = target_fail(target, errno, "%s: %s", paths[0], strerror(errno));
	else
		err = take_lines(&perf, file, text);
	if (!err)
		err = finish(&perf);
	if (file)
		fclose(file);
	free(text);
	functions_deinit(&perf.functions);
	return err;
}

const struct source source_perf = {
	.name = "perf",
	.sentence = "the text of perf script",
	.is = is_perf,
	.import = import_perf,
};
