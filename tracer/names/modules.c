// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The thread that saves modules and symbols: it waits for changes, saves, and waits again. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "tracer/names/modules.h"
#include "tracer/pieces/piece_set.h"
#include "tracer/publish/publish.h"

/*
 * When a module's init function has ended, the kernel replaces the module's symbols by a shorter
 * list. A reader of kallsyms misses symbols then, and starts again: see kallsyms.h. So the
 * symbols are read again when no module is being loaded any more, and some time later than its
 * change of state, which comes a little before the replacement.
 */
#define READ_AGAIN_NS 50000000
#define READ_AGAIN_TRIES 40
#define NSEC_PER_SEC 1000000000

static int fail_modules(struct modules *modules, int err, const char *what)
{
	snprintf(modules->directory.errmsg, sizeof(modules->directory.errmsg), "%s: %s", what,
		 strerror(-err));
	return err;
}

/* kernel/symbols, to append to it; NULL with errmsg set. */
static gzFile open_symbols(struct modules *modules)
{
	/* the directory of the next piece may have a link to this file already */
	int err = piece_unshare(modules->directory.fd, "kernel/symbols");

	if (err) {
		fail_modules(modules, err, "kernel/symbols");
		return NULL;
	}
	return directory_open_gz(&modules->directory, "kernel/symbols", true);
}

static int close_symbols(struct modules *modules, gzFile file, int err)
{
	int code = gzclose(file);

	if (!err && code != Z_OK)
		err = errno ? -errno : -EIO;
	return err ? fail_modules(modules, err, "kernel/symbols") : 0;
}

static int write_list(struct modules *modules, gzFile file, uint64_t time)
{
	if (time && gzprintf(file, "# since %" PRIu64 "\n", time) <= 0)
		return -EIO;
	return module_list_write(&modules->list, file);
}

static int save_first_list(struct modules *modules)
{
	gzFile file;

	if (!modules->listed)
		return 0;
	file = open_symbols(modules);
	if (!file)
		return -EIO;
	return close_symbols(modules, file, write_list(modules, file, 0));
}

static void free_changes(struct module_change *changes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		module_list_deinit(&changes[i].now);
	free(changes);
}

/* Applies a change to the list. *changed: the list must be saved. */
static int apply_module_change(struct modules *modules, const struct module_change *change,
			       bool *changed)
{
	const struct kmt_message *message = &change->message;
	struct listed_module module = {
		.address = message->key,
		.size = message->size,
		.init = message->kind == KMT_MESSAGE_MODULE_INIT,
	};

	if (message->kind == MODULES_COMPARE || message->kind == MODULES_LOST)
		return module_list_sync(&modules->list, &change->now, changed);
	*changed = !module.init; /* the message about the module itself follows */
	if (message->kind == KMT_MESSAGE_MODULE_GONE) {
		module_list_unload(&modules->list, message->name);
		return 0;
	}
	memcpy(module.name, message->name, sizeof(module.name) - 1);
	return module_list_load(&modules->list, &module);
}

/* Saves a change. *changed: the list has changed. */
static int save_change(struct modules *modules, const struct module_change *change, gzFile file,
		       bool *changed)
{
	int err = 0;

	if (change->message.kind == MODULES_LOST) {
		err = module_list_lose(&modules->list, &change->now);
		if (!err)
			err = write_list(modules, file, change->message.key);
	}
	if (!err)
		err = apply_module_change(modules, change, changed);
	return !err && *changed ? write_list(modules, file, change->message.time) : err;
}

/* Writes the symbols that all modules have now. Uses a file of the ready ones, if there is one. */
static int try_symbols(struct modules *modules, gzFile file, bool last)
{
	struct kallsyms kallsyms = { .fd = -1 };
	int err = 0;

	for (size_t i = 0; i < MODULES_READY && kallsyms.fd < 0; i++) {
		struct kallsyms *ready = &modules->ready[i];

		if (ready->fd < 0 || ready->at < ready->end)
			continue;
		kallsyms = *ready;
		ready->fd = -1;
	}
	if (kallsyms.fd < 0)
		err = kallsyms_open(&kallsyms, modules->modules_at);
	return err ? err : kallsyms_copy_modules(&kallsyms, file, last);
}

/* Without symbols, the addresses of these modules have the names of the modules only. */
static int write_symbols(struct modules *modules, gzFile file, uint64_t time)
{
	int err = -EAGAIN;

	if (gzprintf(file, "# since %" PRIu64 "\n", time) <= 0)
		return -EIO;
	for (int i = 0; i < KALLSYMS_TRIES && err == -EAGAIN; i++)
		err = try_symbols(modules, file, i == KALLSYMS_TRIES - 1);
	return err == -EAGAIN ? 0 : err;
}

static int save_module_changes(struct modules *modules, const struct module_change *changes,
			       size_t count)
{
	bool changed = false, saved = false;
	uint64_t loaded_at = 0;
	gzFile file;
	int err = 0;

	if (!modules->listed)
		return 0;
	file = open_symbols(modules);
	if (!file)
		return -EIO;
	for (size_t i = 0; i < count && !err; i++) {
		err = save_change(modules, &changes[i], file, &changed);
		saved |= changed;
		if (changed && changes[i].message.kind != KMT_MESSAGE_MODULE_GONE && !loaded_at)
			loaded_at = changes[i].message.time;
	}
	if (!err && loaded_at)
		err = write_symbols(modules, file, loaded_at);
	if (!err && loaded_at) {
		/* another module was loaded before: its list must be whole too */
		if (modules->read_again)
			err = write_symbols(modules, file, modules->read_again);
		modules->read_again = loaded_at;
	}
	err = close_symbols(modules, file, err);
	if (!err && modules->publish && saved)
		publish_symbols_changed(modules->publish);
	return err;
}

/* Reads the symbols of the last loaded modules again. */
static int save_again(struct modules *modules)
{
	gzFile file = open_symbols(modules);
	int err;

	if (!file)
		return -EIO;
	err = close_symbols(modules, file, write_symbols(modules, file, modules->read_again));
	modules->read_again = 0;
	if (!err && modules->publish)
		publish_symbols_changed(modules->publish);
	return err;
}

/* Reads a part of kallsyms in advance. False: all files are ready. */
static bool prepare_kallsyms(struct modules *modules)
{
	for (size_t i = 0; i < MODULES_READY && modules->listed; i++) {
		struct kallsyms *ready = &modules->ready[i];

		if (ready->fd >= 0 && ready->at >= ready->end)
			continue;
		if (ready->fd < 0 && kallsyms_open(ready, modules->modules_at))
			return false;
		if (!kallsyms_advance(ready) && ready->at < ready->end) {
			kallsyms_close(ready); /* it is shorter than before */
			return false;
		}
		return true;
	}
	return false;
}

static void save_changes(struct modules *modules)
{
	struct module_change *changes = modules->changes;
	size_t count = modules->change_count;
	int err;

	modules->changes = NULL;
	modules->change_count = 0;
	pthread_mutex_unlock(&modules->mutex);
	err = save_module_changes(modules, changes, count);
	free_changes(changes, count);
	pthread_mutex_lock(&modules->mutex);
	if (err && !modules->err)
		modules->err = err;
}

/* True: no module was being loaded, and for some time no change came. */
static bool wait_for_quiet(struct modules *modules, unsigned int *tries)
{
	struct timespec until;
	bool loading = false;
	int err;

	pthread_mutex_unlock(&modules->mutex);
	if (++*tries < READ_AGAIN_TRIES)
		loading = module_list_is_loading();
	clock_gettime(CLOCK_REALTIME, &until);
	pthread_mutex_lock(&modules->mutex);
	until.tv_nsec += READ_AGAIN_NS;
	until.tv_sec += until.tv_nsec / NSEC_PER_SEC;
	until.tv_nsec %= NSEC_PER_SEC;
	err = pthread_cond_timedwait(&modules->changed, &modules->mutex, &until);
	return err == ETIMEDOUT && !loading && !modules->change_count;
}

static void read_symbols_again(struct modules *modules, unsigned int *tries)
{
	int err;

	if (!wait_for_quiet(modules, tries))
		return;
	*tries = 0;
	pthread_mutex_unlock(&modules->mutex);
	err = save_again(modules);
	pthread_mutex_lock(&modules->mutex);
	if (err && !modules->err)
		modules->err = err;
}

static void take_next_directory(struct modules *modules)
{
	const struct directory next = modules->next;
	int err;

	pthread_mutex_unlock(&modules->mutex);
	err = piece_copy_newer(modules->directory.fd, next.fd, "kernel/symbols");
	pthread_mutex_lock(&modules->mutex);
	if (err && !modules->err)
		modules->err = fail_modules(modules, err, "kernel/symbols");
	modules->directory.path = next.path;
	modules->directory.fd = next.fd;
	modules->next.fd = -1;
}

static void *run_modules(void *data)
{
	struct modules *modules = data;
	unsigned int tries = 0;
	bool preparing = true;

	modules->err = modules->on_start(modules->on_start_data);
	if (modules->err)
		fail_modules(modules, modules->err, "privileges cannot be given up");
	else
		modules->err = save_first_list(modules);
	/* the first file is ready before the capture begins */
	while (modules->ready[0].at < modules->ready[0].end || modules->ready[0].fd < 0)
		if (!prepare_kallsyms(modules))
			break;
	pthread_mutex_lock(&modules->mutex);
	modules->task = syscall(SYS_gettid);
	pthread_cond_broadcast(&modules->changed);
	for (;;) {
		if (modules->change_count) {
			save_changes(modules);
			preparing = true;
			tries = 0;
		} else if (modules->read_again) {
			read_symbols_again(modules, &tries);
		} else if (modules->next.fd >= 0) {
			take_next_directory(modules);
		} else if (modules->ending) {
			break;
		} else if (preparing) {
			pthread_mutex_unlock(&modules->mutex);
			preparing = prepare_kallsyms(modules);
			pthread_mutex_lock(&modules->mutex);
		} else {
			pthread_cond_wait(&modules->changed, &modules->mutex);
		}
	}
	pthread_mutex_unlock(&modules->mutex);
	return NULL;
}

void modules_init(struct modules *modules)
{
	memset(modules, 0, sizeof(*modules));
	modules->next.fd = -1;
	for (size_t i = 0; i < MODULES_READY; i++)
		modules->ready[i].fd = -1;
	modules->listed = !module_list_read(&modules->list) && !modules->list.hidden;
}

int modules_start(struct modules *modules, const struct directory *directory,
		  struct publish *publish)
{
	int err;

	/* its path is another one after directory_commit() */
	modules->directory.path = directory->target;
	modules->directory.fd = directory->fd;
	modules->publish = publish;
	pthread_mutex_init(&modules->mutex, NULL);
	pthread_cond_init(&modules->changed, NULL);
	err = pthread_create(&modules->thread, NULL, run_modules, modules);
	if (err)
		return -err;
	modules->started = true;
	pthread_mutex_lock(&modules->mutex);
	while (!modules->task)
		pthread_cond_wait(&modules->changed, &modules->mutex);
	pthread_mutex_unlock(&modules->mutex);
	return 0;
}

void modules_switch(struct modules *modules, const struct directory *to)
{
	pthread_mutex_lock(&modules->mutex);
	modules->next.path = to->target;
	modules->next.fd = to->fd;
	pthread_cond_broadcast(&modules->changed);
	pthread_mutex_unlock(&modules->mutex);
}

bool modules_has_switched(struct modules *modules)
{
	bool switched;

	pthread_mutex_lock(&modules->mutex);
	switched = modules->next.fd < 0;
	pthread_mutex_unlock(&modules->mutex);
	return switched;
}

int modules_end(struct modules *modules)
{
	if (modules->started) {
		pthread_mutex_lock(&modules->mutex);
		modules->ending = true;
		pthread_cond_broadcast(&modules->changed);
		pthread_mutex_unlock(&modules->mutex);
		pthread_join(modules->thread, NULL);
		for (size_t i = 0; i < MODULES_READY; i++)
			kallsyms_close(&modules->ready[i]);
	}
	modules->started = false;
	free_changes(modules->changes, modules->change_count);
	free(modules->messages);
	modules->changes = NULL;
	modules->messages = NULL;
	module_list_deinit(&modules->list);
	return modules->err;
}
