/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tables of names that grow while events come: caches, tasks, cgroups, stacks, user symbols and
 * modules. Functions return 0, or -errno with the error set.
 */
#ifndef TRACER_NAME_TABLES_H
#define TRACER_NAME_TABLES_H

#include "base/error.h"
#include "capture/status.h"
#include "tracer/load/programs.h"
#include "tracer/names/modules.h"
#include "tracer/names/name_messages.h"
#include "tracer/names/stack_messages.h"
#include "tracer/names/user_stacks.h"
#include "tracer/options.h"
#include "tracer/publish/publish.h"

/* The sizes of tables before the first stream is switched. */
enum name_table_mark {
	MARK_CACHES, /* the first three: as name_messages_switch() */
	MARK_TASKS,
	MARK_CGROUPS,
	MARK_STACKS,
	MARK_USER_SYMBOLS,
	MARKS,
};

struct name_tables {
	const struct options *options;
	struct error *error;
	struct name_messages messages;
	struct stack_messages stacks;	/* if options->sampling.interval */
	struct user_stacks user_stacks; /* if options->sampling.user_stacks */
	struct function_namer namer;
	struct modules modules;
	uint64_t marks[MARKS];
};

/* publish: gets the names too; NULL: nothing is published. */
int name_tables_open(struct name_tables *names, struct directory *directory,
		     const struct programs *programs, struct publish *publish);
void name_tables_close(struct name_tables *names);

/* Once the programs are attached: the tasks that were there before. */
int name_tables_add_tasks(struct name_tables *names);

/* After a round over the rings: the names of the events that were taken out. */
int name_tables_read(struct name_tables *names);

/* Before the streams are switched; and after it, to the piece whose first event is at begin (ns).
 */
void name_tables_mark(struct name_tables *names);
int name_tables_switch(struct name_tables *names, const struct programs *programs,
		       struct directory *to, uint64_t begin);

/* Of a switch at the end: the names of the last events go to the old piece, too. */
int name_tables_read_last(struct name_tables *names);

/* After the programs are detached: the last names, and those of the functions on user stacks. */
int name_tables_finish(struct name_tables *names, const struct programs *programs,
		       struct status *status);

#endif
