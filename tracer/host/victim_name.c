// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "kernel/tasks.h"
#include "tracer/host/victim_name.h"

#define COMM_BYTES_MAX 4096

static void read_comm(uint32_t pid, char *name, size_t size)
{
	char path[64], *text = NULL;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/comm", pid);
	if (read_file(AT_FDCWD, path, COMM_BYTES_MAX, &text, NULL))
		return;
	text[strcspn(text, "\n")] = '\0';
	snprintf(name, size, "%s", text);
	free(text);
}

static void take_name(const char *line, char *name, size_t size)
{
	struct tasks tasks;

	if (tasks_parse(&tasks, line))
		return;
	if (tasks.count && *tasks.list[0].comm)
		snprintf(name, size, "%s", tasks.list[0].comm);
	tasks_deinit(&tasks);
}

/* Line by line: the whole file may be large, and memory is short. */
static void read_tasks(FILE *file, uint32_t pid, char *name, size_t size)
{
	char *line = NULL, begin[32];
	size_t space = 0;

	snprintf(begin, sizeof(begin), "task %" PRIu32 " ", pid);
	while (getline(&line, &space, file) >= 0)
		if (!strncmp(line, begin, strlen(begin)))
			take_name(line, name, size);
	free(line);
}

void victim_name(uint32_t pid, int directory, char *name, size_t size)
{
	FILE *file;
	int fd;

	*name = '\0';
	read_comm(pid, name, size);
	if (*name)
		return;
	fd = open_regular_file(directory, "kernel/tasks");
	file = fd < 0 ? NULL : fdopen(fd, "r");
	if (file) {
		read_tasks(file, pid, name, size);
		fclose(file);
	} else if (fd >= 0) {
		close(fd);
	}
}
