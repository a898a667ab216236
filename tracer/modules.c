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
#include "tracer/modules.h"
#include "tracer/publish.h"

#define NO_MESSAGE 0 /* the kind of modules_compare() */

/*
 * When a module's init function has ended, the kernel replaces the module's symbols by a shorter
 * list. A reader of kallsyms that is within the list at this time misses symbols. So the symbols
 * are read again when no module is being loaded any more, and some time later than its change of
 * state, which comes a little before the replacement.
 */
#define READ_AGAIN_NS 50000000
#define READ_AGAIN_TRIES 40
#define NSEC_PER_SEC 1000000000

static int fail(struct modules *modules, int err, const char *what)
{
	snprintf(modules->directory.errmsg, sizeof(modules->directory.errmsg), "%s: %s", what,
		 strerror(-err));
	return err;
}

/* kernel/symbols, to append to it; NULL with errmsg set. */
static gzFile open_symbols(struct modules *modules)
{
	return directory_open_gz(&modules->directory, "kernel/symbols", true);
}

static int close_symbols(struct modules *modules, gzFile file, int err)
{
	int code = gzclose(file);

	if (!err && code != Z_OK)
		err = errno ? -errno : -EIO;
	return err ? fail(modules, err, "kernel/symbols") : 0;
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

/* Makes the list equal to the modules that are loaded now. */
static int compare(struct modules *modules, bool *changed)
{
	struct module_list now = { 0 };
	int err = module_list_read(&now);

	err = err ? fail(modules, err, "/proc/modules")
		  : module_list_sync(&modules->list, &now, changed);
	module_list_deinit(&now);
	return err;
}

/* Applies a change to the list. *changed: the list must be saved. */
static int apply(struct modules *modules, const struct kmt_message *message, bool *changed)
{
	struct listed_module module = {
		.address = message->key,
		.size = message->size,
		.init = message->kind == KMT_MESSAGE_MODULE_INIT,
	};

	if (message->kind == NO_MESSAGE)
		return compare(modules, changed);
	*changed = !module.init; /* the message about the module itself follows */
	if (message->kind == KMT_MESSAGE_MODULE_GONE) {
		module_list_unload(&modules->list, message->name);
		return 0;
	}
	memcpy(module.name, message->name, sizeof(module.name) - 1);
	return module_list_load(&modules->list, &module);
}

/* The symbols that all modules have now. Uses a file of the ready ones, if there is one. */
static int write_symbols(struct modules *modules, gzFile file, uint64_t time)
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
	if (err)
		return err;
	if (gzprintf(file, "# since %" PRIu64 "\n", time) <= 0)
		err = -EIO;
	if (!err)
		err = kallsyms_copy_modules(&kallsyms, file);
	kallsyms_close(&kallsyms);
	return err;
}

static int save(struct modules *modules, const struct kmt_message *changes, size_t count)
{
	bool changed, saved = false;
	uint64_t loaded_at = 0;
	gzFile file;
	int err = 0;

	if (!modules->listed)
		return 0;
	file = open_symbols(modules);
	if (!file)
		return -EIO;
	for (size_t i = 0; i < count && !err; i++) {
		err = apply(modules, &changes[i], &changed);
		if (!err && changed)
			err = write_list(modules, file, changes[i].time);
		saved |= changed;
		if (changed && changes[i].kind != KMT_MESSAGE_MODULE_GONE && !loaded_at)
			loaded_at = changes[i].time;
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
static bool prepare(struct modules *modules)
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
	struct kmt_message *changes = modules->changes;
	size_t count = modules->change_count;
	int err;

	modules->changes = NULL;
	modules->change_count = 0;
	pthread_mutex_unlock(&modules->mutex);
	err = save(modules, changes, count);
	free(changes);
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

static void *run(void *data)
{
	struct modules *modules = data;
	unsigned int tries = 0;
	bool preparing = true;

	modules->err = modules->on_start(modules->on_start_data);
	if (modules->err)
		fail(modules, modules->err, "privileges cannot be given up");
	else
		modules->err = save_first_list(modules);
	/* the first file is ready before the capture begins */
	while (modules->ready[0].at < modules->ready[0].end || modules->ready[0].fd < 0)
		if (!prepare(modules))
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
		} else if (modules->ending) {
			break;
		} else if (preparing) {
			pthread_mutex_unlock(&modules->mutex);
			preparing = prepare(modules);
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

static int append(struct kmt_message **list, size_t *count, const struct kmt_message *message)
{
	struct kmt_message *grown = array_grow(*list, *count, sizeof(**list));

	if (!grown)
		return -ENOMEM;
	*list = grown;
	grown[(*count)++] = *message;
	return 0;
}

/* Gives a change to the thread. The mutex is locked. */
static void add_change(struct modules *modules, const struct kmt_message *message)
{
	int err = append(&modules->changes, &modules->change_count, message);

	if (err && !modules->err)
		modules->err = fail(modules, err, "kernel/symbols");
}

void modules_message(struct modules *modules, const struct kmt_message *message)
{
	int err;

	if (!modules->started || !modules->listed)
		return;
	err = append(&modules->messages, &modules->message_count, message);
	if (!err)
		return;
	pthread_mutex_lock(&modules->mutex);
	if (!modules->err)
		modules->err = fail(modules, err, "kernel/symbols");
	pthread_mutex_unlock(&modules->mutex);
}

/* Is there a message that the module of message i was unloaded? */
static bool is_gone(const struct modules *modules, size_t i)
{
	const char *name = modules->messages[i].name;

	while (++i < modules->message_count)
		if (modules->messages[i].kind == KMT_MESSAGE_MODULE_GONE &&
		    !strcmp(modules->messages[i].name, name))
			return true;
	return false;
}

/* Adds the changes of message i, which is about a loaded module and has no address. */
static void locate(struct modules *modules, size_t i)
{
	struct kmt_message change = modules->messages[i];
	struct listed_module parts[MODULE_PARTS];
	size_t count = module_list_locate(change.name, parts);

	for (size_t part = 0; part < count; part++) {
		change.kind = parts[part].init ? KMT_MESSAGE_MODULE_INIT : KMT_MESSAGE_MODULE;
		change.key = parts[part].address;
		change.size = parts[part].size;
		add_change(modules, &change);
	}
}

void modules_pass_messages(struct modules *modules)
{
	if (!modules->message_count)
		return;
	pthread_mutex_lock(&modules->mutex);
	for (size_t i = 0; i < modules->message_count; i++) {
		const struct kmt_message *message = &modules->messages[i];

		if (message->kind == KMT_MESSAGE_MODULE && !message->key && !is_gone(modules, i))
			locate(modules, i);
		else
			add_change(modules, message);
	}
	modules->message_count = 0;
	pthread_cond_broadcast(&modules->changed);
	pthread_mutex_unlock(&modules->mutex);
}

void modules_compare(struct modules *modules, uint64_t time)
{
	const struct kmt_message compare = { .kind = NO_MESSAGE, .time = time };

	if (!modules->started)
		return;
	pthread_mutex_lock(&modules->mutex);
	add_change(modules, &compare);
	pthread_cond_broadcast(&modules->changed);
	pthread_mutex_unlock(&modules->mutex);
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
	free(modules->changes);
	free(modules->messages);
	modules->changes = modules->messages = NULL;
	module_list_deinit(&modules->list);
	return modules->err;
}
