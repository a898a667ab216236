/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The table of the memory of processes, with --proc-mem: when it is read, and into which file.
 * Functions return 0, or -errno with the error set; without the option they do nothing.
 */
#ifndef TRACER_MEMORY_TABLE_H
#define TRACER_MEMORY_TABLE_H

#include "base/error.h"
#include "capture/directory.h"
#include "tracer/host/memory_reader.h"

struct memory_table {
	struct error *error;
	FILE *file; /* NULL: closed, or not wanted */
	struct memory_reader reader;
	bool quiet; /* no message when the table is full */
};

int memory_table_open(struct memory_table *table, struct directory *directory, uint64_t interval);
void memory_table_close(struct memory_table *table); /* all zero is allowed */
int memory_table_begin(struct memory_table *table);  /* the first reading */
int memory_table_step(struct memory_table *table, uint64_t now);

/* Between two readings: goes on in the directory of the next piece. */
int memory_table_switch(struct memory_table *table, struct directory *from, struct directory *to);

/* Ends a reading that has begun or was requested. */
int memory_table_complete(struct memory_table *table);

int memory_table_finish(struct memory_table *table, struct directory *directory); /* the last one */

#endif
