// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The thread that saves the symbols: it waits for a change, saves, and waits again. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracer/modules.h"
#include "tracer/publish.h"
#include "tracer/snapshot.h"

static void *run(void *data)
{
	struct modules *modules = data;
	uint64_t time;
	int err;

	pthread_mutex_lock(&modules->mutex);
	modules->task = syscall(SYS_gettid);
	pthread_cond_broadcast(&modules->changed);
	for (;;) {
		while (!modules->changed_at && !modules->ending)
			pthread_cond_wait(&modules->changed, &modules->mutex);
		if (!modules->changed_at)
			break;
		time = modules->changed_at;
		modules->changed_at = 0;
		pthread_mutex_unlock(&modules->mutex);
		err = snapshot_symbols(&modules->directory, time);
		if (!err && modules->publish)
			publish_symbols_changed(modules->publish);
		pthread_mutex_lock(&modules->mutex);
		if (err && !modules->err)
			modules->err = err;
	}
	pthread_mutex_unlock(&modules->mutex);
	return NULL;
}

int modules_start(struct modules *modules, const struct directory *directory,
		  struct publish *publish)
{
	int err;

	memset(modules, 0, sizeof(*modules));
	modules->directory.path = directory->path;
	modules->publish = publish;
	pthread_mutex_init(&modules->mutex, NULL);
	pthread_cond_init(&modules->changed, NULL);
	err = pthread_create(&modules->thread, NULL, run, modules);
	if (err)
		return -err;
	modules->started = true;
	pthread_mutex_lock(&modules->mutex);
	while (!modules->task)
		pthread_cond_wait(&modules->changed, &modules->mutex);
	pthread_mutex_unlock(&modules->mutex);
	return 0;
}

void modules_change(struct modules *modules, uint64_t time)
{
	pthread_mutex_lock(&modules->mutex);
	if (!modules->changed_at)
		modules->changed_at = time;
	pthread_cond_broadcast(&modules->changed);
	pthread_mutex_unlock(&modules->mutex);
}

int modules_end(struct modules *modules)
{
	if (!modules->started)
		return 0;
	pthread_mutex_lock(&modules->mutex);
	modules->ending = true;
	pthread_cond_broadcast(&modules->changed);
	pthread_mutex_unlock(&modules->mutex);
	pthread_join(modules->thread, NULL);
	modules->started = false;
	return modules->err;
}
