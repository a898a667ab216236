/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The dumps of a set of pieces. They lie beside it: "NAME.dump.20261123T130500Z", with the time in
 * UTC; those after the first of a second end in ".2", ".3" and so on. A dump that is not finished
 * has another ".new" at its end, and one that is being removed ".removed".
 */
#ifndef TRACER_PIECES_DUMP_LIST_H
#define TRACER_PIECES_DUMP_LIST_H

#include <stdbool.h>
#include <stddef.h>

#define DUMP_NEW ".new"
#define DUMP_REMOVED ".removed"

enum dump_state {
	DUMP_IS_FINISHED,
	DUMP_IS_NEW,
	DUMP_IS_REMOVED,
};

struct dump_list {
	char **names;
	size_t count;
};

/*
 * Lists the dumps of the set with this name in this state, the oldest first. Only directories of
 * the caller that no other user can write. parent: the open directory that holds the set. 0 or
 * -errno.
 */
int dump_list_read(struct dump_list *list, int parent, const char *set_name, enum dump_state state);
void dump_list_deinit(struct dump_list *list); /* all zero is allowed */

#endif
