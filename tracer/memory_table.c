// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <errno.h>

#include "cli/message.h"
#include "tracer/memory_table.h"

#define TABLE "kernel/process_memory"

static int set_table_error(struct memory_table *table, int err)
{
	return err ? error_set_at(table->error, err, TABLE ", from /proc") : 0;
}

int memory_table_open(struct memory_table *table, struct directory *directory, uint64_t interval)
{
	table->file = directory_open(directory, TABLE, false);
	if (!table->file)
		return error_set(table->error, -errno, directory->errmsg);
	return set_table_error(table, memory_reader_open(&table->reader, table->file, interval));
}

void memory_table_close(struct memory_table *table)
{
	memory_reader_close(&table->reader);
	if (table->file)
		fclose(table->file);
}

int memory_table_begin(struct memory_table *table)
{
	return set_table_error(table, memory_reader_run(&table->reader));
}

int memory_table_step(struct memory_table *table, uint64_t now)
{
	bool was_full = table->reader.is_full;
	int err = memory_reader_step(&table->reader, now);

	if (table->reader.is_full && !was_full && !table->quiet)
		info_msg(
			TABLE
			" has its largest size: the memory of processes is not read any more: capture shorter, or with a longer interval");
	return set_table_error(table, err);
}

int memory_table_switch(struct memory_table *table, struct directory *from, struct directory *to)
{
	FILE *file = table->file;
	int err;

	if (!file)
		return 0;
	table->file = table->reader.file = NULL;
	err = directory_close(from, file, TABLE);
	if (err)
		return error_set(table->error, err, from->errmsg);
	table->file = directory_open(to, TABLE, false);
	if (!table->file)
		return error_set(table->error, -errno, to->errmsg);
	return set_table_error(table, memory_reader_switch(&table->reader, table->file));
}

int memory_table_complete(struct memory_table *table)
{
	int err = 0;

	while (!err && !memory_reader_is_idle(&table->reader))
		err = memory_reader_step(&table->reader, 0);
	return set_table_error(table, err);
}

int memory_table_finish(struct memory_table *table, struct directory *directory)
{
	FILE *file = table->file;
	int err, failed;

	if (!file)
		return 0;
	err = set_table_error(table, memory_reader_run(&table->reader));
	table->file = NULL;
	failed = directory_close(directory, file, TABLE);
	if (failed && !err)
		err = error_set(table->error, failed, directory->errmsg);
	return err;
}
