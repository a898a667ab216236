// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sums of owners, and their readings in a capture. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "kernel/where.h"

int where_add(struct where_reading *reading, const char *name, uint64_t bytes, uint64_t error)
{
	struct where_owner *list = array_grow(reading->list, reading->count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	reading->list = list;
	list[reading->count] = (struct where_owner){ .bytes = bytes, .error = error };
	snprintf(list[reading->count++].name, sizeof(list->name), "%s", name);
	return 0;
}

const struct where_owner *where_find(const struct where_reading *reading, const char *name)
{
	for (size_t i = 0; i < reading->count; i++)
		if (!strcmp(reading->list[i].name, name))
			return &reading->list[i];
	return NULL;
}

int64_t where_unexplained(const struct where_reading *reading, uint64_t *error)
{
	uint64_t sum = 0;

	*error = 0;
	for (size_t i = 0; i < reading->count; i++) {
		sum += reading->list[i].bytes;
		*error += reading->list[i].error;
	}
	return (int64_t)(reading->total - sum);
}

int where_write(FILE *file, const struct where_reading *reading)
{
	fprintf(file, "read %" PRIu64 " %" PRIu64 "\n", reading->time, reading->total);
	for (size_t i = 0; i < reading->count; i++) {
		fputs("owner ", file);
		text_write_word(file, reading->list[i].name);
		fprintf(file, " %" PRIu64 " %" PRIu64 "\n", reading->list[i].bytes,
			reading->list[i].error);
	}
	return text_write_result(file);
}

/* No machine has more, and sums of a few owners do not overflow. */
#define BYTES_MAX (UINT64_C(1) << 56)
#define OWNERS_MAX 64

static int parse_owner(struct where *where, struct line *line)
{
	struct where_reading *reading;
	struct where_owner owner;

	line_word(line, owner.name, sizeof(owner.name));
	if (!where->count || !*owner.name || !line_u64(line, 10, &owner.bytes) ||
	    !line_u64(line, 10, &owner.error) || owner.bytes > BYTES_MAX || owner.error > BYTES_MAX)
		return -EINVAL;
	reading = &where->list[where->count - 1];
	if (reading->count == OWNERS_MAX || where_find(reading, owner.name))
		return -EINVAL;
	return where_add(reading, owner.name, owner.bytes, owner.error);
}

/* Of more than two readings, the first and the last one stay. */
static int begin_owners(struct where *where, struct line *line)
{
	struct where_reading reading = { 0 };

	if (!line_u64(line, 10, &reading.time) || !line_u64(line, 10, &reading.total) ||
	    reading.total > BYTES_MAX)
		return -EINVAL;
	if (where->count == 2)
		where_reading_deinit(&where->list[--where->count]);
	where->list[where->count++] = reading;
	return 0;
}

int where_parse(struct where *where, const char *text)
{
	struct line line;
	int err = 0;

	*where = (struct where){ 0 };
	while (!err && line_next(&line, &text)) {
		if (line_key(&line, "read"))
			err = begin_owners(where, &line);
		else if (line_key(&line, "owner"))
			err = parse_owner(where, &line);
	}
	if (err)
		where_deinit(where);
	return err;
}

void where_reading_deinit(struct where_reading *reading)
{
	free(reading->list);
	*reading = (struct where_reading){ 0 };
}

void where_deinit(struct where *where)
{
	for (size_t i = 0; i < where->count; i++)
		where_reading_deinit(&where->list[i]);
	*where = (struct where){ 0 };
}
