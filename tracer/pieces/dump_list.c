// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A directory with another name is left alone: a user renames a dump to keep it. */
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/inside.h"
#include "base/number.h"
#include "tracer/pieces/dumps.h"

#define PREFIX ".dump."
#define STAMP_LENGTH 16 /* of "20261123T130500Z" */
#define NUMBER_LENGTH 8
#define OTHERS_WRITE (S_IWGRP | S_IWOTH)

static bool is_stamp(const char *text)
{
	static const char form[] = "00000000T000000Z";

	for (size_t i = 0; i < STAMP_LENGTH; i++)
		if (form[i] == '0' ? !isdigit((unsigned char)text[i]) : text[i] != form[i])
			return false;
	return true;
}

static enum dump_state state_of(const char *name, const char **end)
{
	static const struct {
		const char *suffix;
		enum dump_state state;
	} suffixes[] = { { DUMP_NEW, DUMP_IS_NEW }, { DUMP_REMOVED, DUMP_IS_REMOVED } };

	*end = name + strlen(name);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		size_t length = strlen(suffixes[i].suffix);

		if ((size_t)(*end - name) < length ||
		    strcmp(*end - length, suffixes[i].suffix) != 0)
			continue;
		*end -= length;
		return suffixes[i].state;
	}
	return DUMP_IS_FINISHED;
}

/* Of a dump of the set: the number in its second, and its state. False: no dump. */
static bool parse_dump_name(const char *name, const char *set_name, uint64_t *number,
			    enum dump_state *state)
{
	const size_t length = strlen(set_name);
	char digits[NUMBER_LENGTH + 1] = "";
	const char *end;

	if (strncmp(name, set_name, length) != 0 ||
	    strncmp(name + length, PREFIX, strlen(PREFIX)) != 0)
		return false;
	name += length + strlen(PREFIX);
	if (!is_stamp(name))
		return false;
	name += STAMP_LENGTH;
	*state = state_of(name, &end);
	*number = 1;
	if (name == end)
		return true;
	if (*name++ != '.' || end - name > NUMBER_LENGTH)
		return false;
	memcpy(digits, name, (size_t)(end - name));
	return number_in_range(digits, 2, UINT32_MAX, number);
}

static int compare_names(const void *a, const void *b, void *set_name)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	const size_t length = strlen(set_name) + strlen(PREFIX);
	int order = strncmp(x + length, y + length, STAMP_LENGTH);
	uint64_t number = 0, other = 0;
	enum dump_state state;

	if (order)
		return order;
	parse_dump_name(x, set_name, &number, &state);
	parse_dump_name(y, set_name, &other, &state);
	return (number > other) - (number < other);
}

/* Links, and what another user could have put there, are no dumps. */
static bool is_own_directory(int parent, const char *name)
{
	struct stat about;

	return !fstatat(parent, name, &about, AT_SYMLINK_NOFOLLOW) && S_ISDIR(about.st_mode) &&
	       about.st_uid == geteuid() && !(about.st_mode & OTHERS_WRITE);
}

static int add_dump(struct dump_list *list, const char *name)
{
	char **names = array_grow(list->names, list->count, sizeof(*names)), *copy;

	if (!names)
		return -ENOMEM;
	list->names = names;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	list->names[list->count++] = copy;
	return 0;
}

int dump_list_read(struct dump_list *list, int parent, const char *set_name, enum dump_state state)
{
	__attribute__((cleanup(close_directory))) DIR *opened = NULL;
	int fd = inside_open_directory(parent, "."), err = 0;
	const char *name;

	*list = (struct dump_list){ 0 };
	if (fd < 0)
		return fd;
	opened = fdopendir(fd);
	if (!opened) {
		close(fd);
		return -ENOMEM;
	}
	while ((name = inside_next(opened, &err))) {
		uint64_t number;
		enum dump_state found;

		if (parse_dump_name(name, set_name, &number, &found) && found == state &&
		    is_own_directory(parent, name))
			err = add_dump(list, name);
	}
	if (list->count)
		qsort_r(list->names, list->count, sizeof(*list->names), compare_names,
			(void *)(uintptr_t)set_name);
	if (err)
		dump_list_deinit(list);
	return err;
}

void dump_list_deinit(struct dump_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->names[i]);
	free(list->names);
	*list = (struct dump_list){ 0 };
}
