// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The dump gets its name last, once all of it is on disk. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/inside.h"
#include "tracer/pieces/dumps.h"
#include "tracer/pieces/piece_set.h"

#define HELD ".dump" /* the directory in the set */

/* The pieces are in it. */
static int complete_dump(struct dump_directory *directory, struct dump_pieces *pieces,
			 struct set_dump_result *result)
{
	int err = dump_pieces_make_checkpoints(pieces, &result->error);

	if (err)
		return error_set_at(&result->error, err, "a checkpoint");
	err = dump_directory_finish(directory);
	return err ? error_set_at(&result->error, err, directory->name) : 0;
}

/* Links, so that pieces which are removed while they are copied stay. */
static int hold_pieces(struct dump_pieces *held, unsigned int first, unsigned int last)
{
	int err;

	inside_remove_directory(held->from, HELD);
	err = inside_make_directory(held->from, HELD, 0700);
	if (err)
		return err;
	held->to = inside_open_directory(held->from, HELD);
	return held->to < 0 ? held->to : dump_pieces_take(held, first, last);
}

static void release_pieces(struct dump_pieces *held)
{
	dump_pieces_deinit(held);
	if (held->to < 0)
		return;
	close(held->to);
	inside_remove_directory(held->from, HELD);
}

static int take_pieces(const struct set_dump_settings *settings, const struct dump_request *request,
		       struct dump_pieces *pieces, struct set_dump_result *result)
{
	struct dump_pieces held = { .from = settings->set, .to = -1 };
	int err = settings->in_memory ? hold_pieces(&held, request->first, request->last) : 0;

	if (held.to >= 0)
		pieces->from = held.to;
	if (!err)
		err = dump_pieces_take(pieces, request->first, request->last);
	pieces->from = settings->set;
	release_pieces(&held);
	if (err)
		return error_set_at(&result->error, err,
				    err == -ENOENT
					    ? "no piece is finished, or --max-disk has removed it"
					    : "a piece of the set");
	return 0;
}

int set_dump_make(const struct set_dump_settings *settings, const struct dump_request *asked,
		  struct set_dump_result *result)
{
	struct dump_pieces pieces = { .from = settings->set };
	struct dump_request request = *asked;
	struct dump_directory directory;
	int err;

	request.first = settings->first;
	/* if it fails, the dump is not limited */
	if (settings->max_bytes)
		dump_size_limit(settings->set, request.last, settings->max_bytes, &request.first);
	err = dump_directory_make(&directory, settings->path, &request);
	*result = (struct set_dump_result){ 0 };
	memcpy(result->path, directory.path, sizeof(result->path));
	if (err)
		error_set_at(&result->error, err,
			     *directory.name ? directory.name : settings->path);
	pieces.to = directory.fd;
	if (!err)
		err = take_pieces(settings, &request, &pieces, result);
	if (!err)
		err = complete_dump(&directory, &pieces, result);
	result->pieces = (unsigned int)pieces.count;
	if (!err && pieces.numbers[0] > settings->first &&
	    !piece_set_has_checkpoint(pieces.to, pieces.numbers[0]))
		result->incomplete = pieces.numbers[0];
	if (err)
		dump_directory_abandon(&directory);
	dump_pieces_deinit(&pieces);
	dump_directory_close(&directory);
	return err;
}

int set_dump_finish_left(struct set_dump_left *left, struct set_dump_result *result)
{
	int err;

	*result = (struct set_dump_result){ 0 };
	memcpy(result->path, left->directory.path, sizeof(result->path));
	err = complete_dump(&left->directory, &left->pieces, result);
	result->pieces = (unsigned int)left->pieces.count;
	return err;
}
