/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A table that goes on in the next piece. */
#ifndef TRACER_NAMES_TABLE_SWITCH_H
#define TRACER_NAMES_TABLE_SWITCH_H

#include <stdint.h>
#include <stdio.h>

#include "capture/directory.h"

/* The bytes of a table until now; 0: it is not open. */
uint64_t table_mark(FILE *file);

/*
 * Closes the table in `from`, and opens the one in `to`, which may have lines already. Copies the
 * lines behind the mark to it, so that both tables have them. Does nothing if *file is NULL. 0 or
 * -errno, with errmsg of one of the directories set; *file may then be NULL.
 */
int table_switch(FILE **file, struct directory *from, struct directory *to, const char *name,
		 uint64_t mark);

#endif
