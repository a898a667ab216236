// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads /proc and /proc/PID/task. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files.h"
#include "base/inside.h"
#include "base/number.h"
#include "tracer/load/machine.h"
#include "tracer/system/thread_list.h"

static int add_thread_id(struct thread_list *list, uint32_t id)
{
	uint32_t *ids = array_grow_zeroed(list->ids, &list->space, list->count + 1, sizeof(*ids));

	if (!ids)
		return -ENOMEM;
	list->ids = ids;
	ids[list->count++] = id;
	return 0;
}

static int add_threads(struct thread_list *list, const char *process)
{
	__attribute__((cleanup(close_directory))) DIR *threads = NULL;
	char path[NAME_MAX + sizeof("/proc//task")];
	const char *thread;
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%s/task", process);
	threads = opendir(path);
	if (!threads)
		return error_is_unavailable(-errno) ? 0 : -errno;
	while ((thread = inside_next(threads, &err)))
		if (atoi(thread) > 0)
			err = add_thread_id(list, (uint32_t)atoi(thread));
	return error_is_unavailable(err) ? 0 : err;
}

/* Are the processes of other users invisible to a process without privileges? */
static bool hides_processes(void)
{
	__attribute__((cleanup(close_file))) FILE *file = fopen("/proc/self/mountinfo", "re");
	__attribute__((cleanup(free_text))) char *line = NULL;
	bool hides = !file;
	size_t space = 0;

	while (file && getline(&line, &space, file) > 0) {
		const char *type = strstr(line, " - proc "), *option;

		option = type ? strstr(type, "hidepid=") : NULL;
		hides |= option && strncmp(option, "hidepid=0", 9) != 0 &&
			 strncmp(option, "hidepid=off", 11) != 0;
	}
	return hides;
}

int thread_list_read(struct thread_list *list)
{
	__attribute__((cleanup(close_directory))) DIR *proc = opendir("/proc");
	const char *process;
	int err = proc ? 0 : -errno;

	if (!err && hides_processes())
		err = -EPERM;
	*list = (struct thread_list){ .time = machine_now() };
	if (!err)
		err = add_thread_id(list, 0);
	while (!err && (process = inside_next(proc, &err)))
		if (atoi(process) > 0)
			err = add_threads(list, process);
	if (err)
		thread_list_deinit(list);
	else
		qsort(list->ids, list->count, sizeof(*list->ids), compare_u32);
	return err;
}

void thread_list_deinit(struct thread_list *list)
{
	free(list->ids);
	*list = (struct thread_list){ 0 };
}
