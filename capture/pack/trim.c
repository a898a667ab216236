// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds the addresses that a capture uses, and the addresses of the symbols to keep for them. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "capture/capture.h"
#include "capture/pack/trim.h"
#include "capture/pack/trim_symbols.h"
#include "capture/reader.h"

struct trim {
	const struct capture *capture;
	struct address_set used, kept;
	struct error *error;
};

static int use_packet(struct trim *trim, const struct packet *packet)
{
	const struct kmt_record *record;
	struct kmt_long_record space;
	struct cursor cursor;
	int err = 0;

	cursor_init(&cursor, packet);
	while (!err && cursor_find(&cursor, &space, &record) > 0)
		err = address_set_add(&trim->used, record->call_site);
	return err;
}

/* Packets of a newer version, and damage, have no addresses that a report shows. */
static int use_stream(struct trim *trim, const char *path)
{
	struct stream stream;
	struct packet packet;
	int more, err = stream_open(&stream, path);

	if (err)
		return err == -ENOENT ? 0 : err;
	while (!err && (more = stream_next(&stream, &packet))) {
		struct packet_header header;

		if (more == -EBADMSG)
			more = stream_resync(&stream);
		else if (more == -EPROTONOSUPPORT && stream_peek(&stream, &header))
			stream_skip(&stream, &header);
		else if (more == 1)
			err = use_packet(trim, &packet);
		err = more < 0 && more != -EPROTONOSUPPORT ? more : err;
	}
	stream_close(&stream);
	return err;
}

static int use_streams(struct trim *trim)
{
	const struct capture *capture = trim->capture;
	int err = 0;

	for (size_t i = 0; i < capture->stream_count; i++)
		for (size_t j = 0; j < capture->streams[i].part_count && !err; j++) {
			__attribute__((cleanup(free_text))) char *path = capture_stream_path(
				&capture->parts.list[capture->streams[i].parts[j]],
				capture->streams[i].cpu);

			err = path ? use_stream(trim, path) : -ENOMEM;
			if (err)
				error_set_at(trim->error, err, path ? path : capture->path);
		}
	return err;
}

static int use_stacks(struct trim *trim)
{
	const struct stacks *stacks = &trim->capture->stacks;
	int err = 0;

	for (size_t i = 0; i < stacks->count; i++) {
		const struct stack *stack = &stacks->list[i];
		const uint64_t *frames = stacks_frames(stacks, stack);

		for (uint32_t j = 0; j < stack->frame_count && !stack->tgid && !err; j++) {
			err = address_set_add(&trim->used, frames[j]);
			/* a return address may be behind the end of the function that called */
			if (!err && frames[j])
				err = address_set_add(&trim->used, frames[j] - 1);
		}
	}
	return err ? error_set_at(trim->error, err, trim->capture->path) : 0;
}

static int trim_part(struct trim *trim, const struct capture_part *part)
{
	__attribute__((cleanup(free_text))) char *path = join_path(part->path, "kernel/symbols");
	int err = path ? trim_symbols_write(&trim->kept, path) : -ENOMEM;

	return err && err != -ENOENT ? error_set_at(trim->error, err, path ? path : part->path) : 0;
}

/* The symbols of all pieces of a set are in the last one: each keeps the same. */
static int trim_parts(struct trim *trim)
{
	const struct capture *capture = trim->capture;
	int err = use_streams(trim);

	if (!err)
		err = use_stacks(trim);
	if (!err) {
		err = trim_symbols_keep(&trim->kept, &capture->symbols, &trim->used);
		if (err)
			error_set_at(trim->error, err, capture->path);
	}
	for (size_t i = 0; i < capture->parts.count && !err; i++)
		err = trim_part(trim, &capture->parts.list[i]);
	return err;
}

int trim_capture(const char *path, struct error *error)
{
	struct trim trim = { .error = error };
	struct capture capture;
	int err = capture_open(&capture, path);

	if (err)
		return error_set(error, err, capture.error.text);
	trim.capture = &capture;
	if (capture.symbols.count && !capture.symbols.damaged && !capture.symbols.hidden)
		err = trim_parts(&trim);
	address_set_deinit(&trim.used);
	address_set_deinit(&trim.kept);
	capture_close(&capture);
	return err;
}
