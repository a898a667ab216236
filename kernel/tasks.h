/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tasks by thread id: their process, name and user. All may change with time (exec, reuse of an
 * id).
 */
#ifndef KERNEL_TASKS_H
#define KERNEL_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kernel/users.h"

struct task {
	uint32_t tid, tgid;
	uint64_t since; /* ns; 0: since before the capture */
	char comm[16];	/* NUL-terminated */
	bool has_uid;	/* it is known */
	uint32_t uid;	/* real user id */
};

struct tasks {
	struct task *list; /* by tid, then since */
	size_t count;
	struct users users;
};

/*
 * Lines "task TID SINCE TGID COMM [UID]" and "user UID NAME" of kernel/tasks, escaped as in
 * caches.h. A thread whose line has no uid keeps that of its line before. 0 or -errno.
 */
int tasks_parse(struct tasks *tasks, const char *text);
int task_write(FILE *file, const struct task *task);
void tasks_deinit(struct tasks *tasks);

/* Returns the task with the id at the time; before the first, the first with the id; or NULL. */
const struct task *tasks_find(const struct tasks *tasks, uint32_t tid, uint64_t time);

#endif
