// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* When the memory of processes is read, and into which file. */
#include "config.h"

#include <errno.h>

#include "cli/message.h"
#include "tracer/memory_table.h"

#define TABLE "kernel/process_memory"

static int result(struct session *session, int err)
{
	return err ? error_set_at(&session->error, err, TABLE ", from /proc") : 0;
}

int session_memory_open(struct session *session)
{
	const struct options *options = session->options;

	if (!options->proc_mem)
		return 0;
	session->process_memory = directory_open(&session->directory, TABLE, false);
	if (!session->process_memory)
		return error_set(&session->error, -errno, session->directory.errmsg);
	return result(session, memory_reader_open(&session->memory_reader, session->process_memory,
						  options->proc_mem_ns));
}

int session_memory_begin(struct session *session)
{
	return result(session, memory_reader_run(&session->memory_reader));
}

int session_memory_step(struct session *session, uint64_t now)
{
	bool was_full = session->memory_reader.is_full;
	int err = memory_reader_step(&session->memory_reader, now);

	if (session->memory_reader.is_full && !was_full && !session->options->quiet)
		info_msg(
			TABLE
			" has its largest size: the memory of processes is not read any more: capture shorter, or with a longer interval");
	return result(session, err);
}

int session_memory_switch(struct session *session, struct directory *next)
{
	FILE *file = session->process_memory;
	int err;

	if (!file)
		return 0;
	session->process_memory = session->memory_reader.file = NULL;
	err = directory_close(&session->directory, file, TABLE);
	if (err)
		return error_set(&session->error, err, session->directory.errmsg);
	session->process_memory = directory_open(next, TABLE, false);
	if (!session->process_memory)
		return error_set(&session->error, -errno, next->errmsg);
	return result(session,
		      memory_reader_switch(&session->memory_reader, session->process_memory));
}

int session_memory_complete(struct session *session)
{
	int err = 0;

	while (!err && !memory_reader_is_idle(&session->memory_reader))
		err = memory_reader_step(&session->memory_reader, 0);
	return result(session, err);
}

int session_memory_finish(struct session *session)
{
	FILE *file = session->process_memory;
	int err, failed;

	if (!file)
		return 0;
	err = result(session, memory_reader_run(&session->memory_reader));
	session->process_memory = NULL;
	failed = directory_close(&session->directory, file, TABLE);
	if (failed && !err)
		err = error_set(&session->error, failed, session->directory.errmsg);
	return err;
}
