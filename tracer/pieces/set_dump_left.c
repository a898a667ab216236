// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Dumps that a killed kmemtraced left. The oldest pieces in them may be removed from the set by
 * now: so a dump is removed only if it has no piece.
 */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "tracer/pieces/dumps.h"

static void deinit_left_dump(struct set_dump_left *left)
{
	dump_pieces_deinit(&left->pieces);
	dump_directory_close(&left->directory);
}

static void __attribute__((format(printf, 2, 3)))
say_text(void (*say)(const char *text), const char *format, ...)
{
	char text[DUMP_PATH + 300];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	say(text);
}

/* 0: it is to be finished. */
static int prepare_left_dump(struct set_dump_left *left, const struct set_dump_settings *settings,
			     const char *new_name, void (*say)(const char *text))
{
	int err = dump_directory_open(&left->directory, settings->path, new_name, &left->request);

	if (err == -EWOULDBLOCK)
		return err;
	left->pieces = (struct dump_pieces){ .from = settings->set, .to = left->directory.fd };
	if (!err)
		err = dump_pieces_take_rest(&left->pieces, left->request.first);
	if (!err)
		return 0;
	if (err == -ENOENT) {
		say_text(say,
			 "%s" DUMP_NEW
			 ": removed: kmemtraced was killed when this dump had no piece yet",
			 left->directory.path);
		dump_directory_abandon(&left->directory);
	} else {
		say_text(say, "%s" DUMP_NEW ": cannot be finished, and stays: %s",
			 left->directory.path, strerror(-err));
	}
	return err;
}

static int add_left_dump(struct set_dump_left_list *left, const struct set_dump_settings *settings,
			 const char *new_name, void (*say)(const char *text))
{
	struct set_dump_left *list = array_grow(left->list, left->count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	left->list = list;
	list[left->count] = (struct set_dump_left){ 0 };
	if (prepare_left_dump(&list[left->count], settings, new_name, say))
		deinit_left_dump(&list[left->count]);
	else
		left->count++;
	return 0;
}

int set_dump_find_left(struct set_dump_left_list *left, const struct set_dump_settings *settings,
		       void (*say)(const char *text))
{
	struct dump_list dumps;
	const char *set_name;
	__attribute__((cleanup(close_fd))) int parent =
		dump_directory_open_parent(settings->path, &set_name);
	int err;

	*left = (struct set_dump_left_list){ 0 };
	/* a directory that cannot be listed has no dumps of the caller */
	if (parent < 0 || dump_list_read(&dumps, parent, set_name, DUMP_IS_NEW))
		return 0;
	err = 0;
	for (size_t i = 0; i < dumps.count && !err; i++)
		err = add_left_dump(left, settings, dumps.names[i], say);
	dump_list_deinit(&dumps);
	return err;
}

void set_dump_left_deinit(struct set_dump_left_list *left)
{
	for (size_t i = 0; i < left->count; i++)
		deinit_left_dump(&left->list[i]);
	free(left->list);
	*left = (struct set_dump_left_list){ 0 };
}
