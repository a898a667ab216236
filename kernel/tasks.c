// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tasks by thread id and time. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "kernel/tasks.h"

static int compare_tasks(const void *left, const void *right)
{
	const struct task *a = left, *b = right;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->since != b->since)
		return a->since < b->since ? -1 : 1;
	if (a->tgid != b->tgid)
		return a->tgid < b->tgid ? -1 : 1;
	return strcmp(a->comm, b->comm);
}

/* Another task renamed this one, so that its user was not looked up. */
static void keep_uid(struct task *task, const struct task *before)
{
	if (task->has_uid || task->tid != before->tid || task->tgid != before->tgid)
		return;
	task->has_uid = before->has_uid;
	task->uid = before->uid;
}

static int add_task(struct tasks *tasks, struct line *line)
{
	struct task *list, task = { 0 };

	if (!line_u32(line, &task.tid) || !line_u64(line, 10, &task.since) ||
	    !line_u32(line, &task.tgid))
		return 0;
	line_word(line, task.comm, sizeof(task.comm));
	task.has_uid = line_u32(line, &task.uid);
	list = array_grow(tasks->list, tasks->count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	tasks->list = list;
	list[tasks->count++] = task;
	return 0;
}

static int add_user(struct tasks *tasks, struct line *line)
{
	size_t size = (size_t)(line->end - line->at) + 1;
	uint32_t uid;
	char *name;
	int err = 0;

	if (!line_u32(line, &uid))
		return 0;
	name = malloc(size);
	if (!name)
		return -ENOMEM;
	line_word(line, name, size);
	if (*name)
		err = users_add(&tasks->users, uid, name);
	free(name);
	return err;
}

int tasks_parse(struct tasks *tasks, const char *text)
{
	struct line line;
	int err = 0;

	*tasks = (struct tasks){ 0 };
	while (!err && line_next(&line, &text)) {
		if (line_key(&line, "task"))
			err = add_task(tasks, &line);
		else if (line_key(&line, "user"))
			err = add_user(tasks, &line);
	}
	if (err) {
		tasks_deinit(tasks);
		return err;
	}
	users_sort(&tasks->users);
	if (tasks->count)
		qsort(tasks->list, tasks->count, sizeof(*tasks->list), compare_tasks);
	for (size_t i = 1; i < tasks->count; i++)
		keep_uid(&tasks->list[i], &tasks->list[i - 1]);
	return 0;
}

int task_write(FILE *file, const struct task *task)
{
	fprintf(file, "task %" PRIu32 " %" PRIu64 " %" PRIu32 " ", task->tid, task->since,
		task->tgid);
	text_write_word(file, task->comm);
	if (task->has_uid && *task->comm)
		fprintf(file, " %" PRIu32, task->uid);
	putc('\n', file);
	return text_write_result(file);
}

void tasks_deinit(struct tasks *tasks)
{
	free(tasks->list);
	users_deinit(&tasks->users);
	*tasks = (struct tasks){ 0 };
}

const struct task *tasks_find(const struct tasks *tasks, uint32_t tid, uint64_t time)
{
	size_t low = 0, high = tasks->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct task *task = &tasks->list[middle];

		if (task->tid < tid || (task->tid == tid && task->since <= time))
			low = middle + 1;
		else
			high = middle;
	}
	if (low && tasks->list[low - 1].tid == tid)
		return &tasks->list[low - 1];
	if (low < tasks->count && tasks->list[low].tid == tid)
		return &tasks->list[low];
	return NULL;
}
