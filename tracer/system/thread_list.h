/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ids of all threads, from /proc. */
#ifndef TRACER_SYSTEM_THREAD_LIST_H
#define TRACER_SYSTEM_THREAD_LIST_H

#include <stddef.h>
#include <stdint.h>

/*
 * A thread that exists at `time` and until the list is read is in it; so is the idle thread, 0. The
 * ids are ascending.
 */
struct thread_list {
	uint64_t time; /* ns */
	uint32_t *ids;
	size_t count, space;
};

/* 0 or -errno; then the list is empty. -EPERM: not all processes are visible. */
int thread_list_read(struct thread_list *list);
void thread_list_deinit(struct thread_list *list);

#endif
