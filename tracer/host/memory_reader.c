// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Compares two lists of processes, the last reading and the present one, while it reads /proc. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/files.h"
#include "base/inside.h"
#include "tracer/host/memory_reader.h"
#include "tracer/load/machine.h"

#define STEP 32 /* processes: about 0.3 ms */

int memory_reader_open(struct memory_reader *reader, FILE *file, uint64_t interval)
{
	*reader = (struct memory_reader){ .interval = interval };
	reader->proc = opendir("/proc");
	if (!reader->proc)
		return -errno;
	reader->file = file;
	return 0;
}

void memory_reader_close(struct memory_reader *reader)
{
	if (reader->proc)
		closedir(reader->proc);
	free(reader->before.list);
	free(reader->now.list);
	*reader = (struct memory_reader){ 0 };
}

void memory_reader_request(struct memory_reader *reader)
{
	reader->requested = true;
}

/* 0, or -errno: ESRCH or ENOENT, if the process has ended. */
static int read_statm(const struct memory_reader *reader, const char *process,
		      struct process_pages *pages)
{
	char name[NAME_MAX + sizeof("/statm")], text[256];
	int fd, err = 0;
	ssize_t got;

	snprintf(name, sizeof(name), "%s/statm", process);
	fd = openat(dirfd(reader->proc), name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	got = read(fd, text, sizeof(text) - 1);
	if (got < 0)
		err = -errno;
	close(fd);
	if (err)
		return err;
	text[got] = '\0';
	return process_pages_parse(pages, text) ? 0 : -ESRCH;
}

static int add_process_memory(struct memory_reader_list *list, const struct process_memory *memory)
{
	struct process_memory *more =
		array_grow_zeroed(list->list, &list->space, list->count + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	list->list = more;
	more[list->count++] = *memory;
	return 0;
}

/* The processes before this one were not found again. */
static int write_gone(struct memory_reader *reader, uint64_t before_pid, uint64_t time)
{
	const struct memory_reader_list *before = &reader->before;
	int err = 0;

	while (!err && reader->compared < before->count &&
	       before->list[reader->compared].pid < before_pid) {
		const struct process_memory gone = { .pid = before->list[reader->compared++].pid,
						     .is_gone = true,
						     .time = time };

		err = process_memory_write(reader->file, &gone);
	}
	return err;
}

static int read_process(struct memory_reader *reader, const char *process)
{
	const struct memory_reader_list *before = &reader->before;
	struct process_memory memory = { .pid = (uint32_t)strtoul(process, NULL, 10),
					 .time = machine_now() };
	bool is_same = false;
	int err;

	if (!memory.pid)
		return 0;
	err = read_statm(reader, process, &memory.pages);
	if (err)
		return error_is_shortage(err) ? err : 0;
	err = write_gone(reader, memory.pid, memory.time);
	if (reader->compared < before->count && before->list[reader->compared].pid == memory.pid) {
		is_same = !memcmp(&before->list[reader->compared].pages, &memory.pages,
				  sizeof(memory.pages));
		reader->compared++;
	}
	if (!err && !is_same)
		err = process_memory_write(reader->file, &memory);
	return err ? err : add_process_memory(&reader->now, &memory);
}

static void begin_reading(struct memory_reader *reader)
{
	rewinddir(reader->proc);
	reader->reading = true;
	reader->begin = machine_now();
	reader->requested = false;
	reader->next = reader->interval ? reader->begin + reader->interval : UINT64_MAX;
	reader->compared = 0;
	reader->now.count = 0;
}

static int end_reading(struct memory_reader *reader)
{
	struct memory_reader_list list = reader->before;
	int err;

	reader->last = (struct process_reading){ reader->begin, machine_now() };
	err = write_gone(reader, UINT64_MAX, reader->last.end);
	if (!err)
		err = process_reading_write(reader->file, &reader->last);
	if (!err && fflush(reader->file))
		err = -errno;
	reader->reading = false;
	reader->before = reader->now;
	reader->now = list;
	reader->is_full = ftell(reader->file) > MEMORY_READER_BYTES_MAX;
	return err;
}

/* Reads up to count processes; after the last one the reading ends. */
static int read_some(struct memory_reader *reader, size_t count)
{
	const char *process = "";
	int err = 0;

	while (!err && count-- && (process = inside_next(reader->proc, &err)))
		err = read_process(reader, process);
	return err || process ? err : end_reading(reader);
}

bool memory_reader_is_idle(const struct memory_reader *reader)
{
	return !reader->file || reader->is_full || (!reader->reading && !reader->requested);
}

int memory_reader_switch(struct memory_reader *reader, FILE *file)
{
	int err = 0;

	reader->file = file;
	reader->is_full = false;
	for (size_t i = 0; i < reader->before.count && !err; i++)
		err = process_memory_write(file, &reader->before.list[i]);
	if (!err)
		err = process_reading_write(file, &reader->last);
	return err || !fflush(file) ? err : -errno;
}

int memory_reader_run(struct memory_reader *reader)
{
	if (!reader->file || reader->is_full)
		return 0;
	begin_reading(reader);
	return read_some(reader, SIZE_MAX);
}

int memory_reader_step(struct memory_reader *reader, uint64_t time)
{
	if (!reader->file || reader->is_full)
		return 0;
	if (!reader->reading) {
		if (!reader->requested && time < reader->next)
			return 0;
		begin_reading(reader);
	}
	return read_some(reader, STEP);
}
