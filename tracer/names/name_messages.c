// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes each message (struct kmt_message) as a line of a table of names. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/inside.h"
#include "kernel/caches.h"
#include "kernel/ring.h"
#include "kernel/tasks.h"
#include "tracer/host/user_names.h"
#include "tracer/load/machine.h"
#include "tracer/names/modules.h"
#include "tracer/names/name_messages.h"
#include "tracer/names/table_switch.h"
#include "tracer/publish/publish.h"

#define CACHES_BYTES_MAX ((size_t)64 << 20)

static int fail_name_messages(struct name_messages *names, int err, const char *name)
{
	if (names->err)
		return -err; /* errmsg describes the first error */
	snprintf(names->errmsg, sizeof(names->errmsg), "%s%s%s: %s",
		 names->directory ? names->directory->path : "", names->directory ? "/" : "", name,
		 strerror(err));
	return -err;
}

/* The threads in /proc cannot be read. */
static int fail_proc(struct name_messages *names, int err, const char *path)
{
	snprintf(names->errmsg, sizeof(names->errmsg), "%s: %s", path, strerror(-err));
	return err;
}

int name_messages_write_task(struct name_messages *names, FILE *file, const struct task *task)
{
	int err = task->has_uid ? users_write_once(file, &names->users, task->uid) : 0;

	return err ? err : task_write(file, task);
}

static int write_task(struct name_messages *names, const struct task *task)
{
	FILE *published = names->publish ? names->publish->names : NULL;
	int err = names->tasks ? name_messages_write_task(names, names->tasks, task) : 0;

	if (!err && published)
		err = task_write(published, task);
	return err ? fail_name_messages(names, -err, "kernel/tasks") : 0;
}

static int check_cgroups(struct name_messages *names, int err)
{
	return err ? fail_name_messages(names, -err, "kernel/cgroups") : 0;
}

/* Each cache of an event gets a line. A name that is not known is the address, as in reports. */
static int write_cache(struct name_messages *names, struct cache *cache, const char *name)
{
	int err = 0;

	if (*name)
		snprintf(cache->name, sizeof(cache->name), "%s", name);
	else
		snprintf(cache->name, sizeof(cache->name), "0x%" PRIx64, cache->address);
	names->unknown_caches += !*name && !cache->size;
	if (names->publish)
		publish_cache(names->publish, cache);
	if (names->caches)
		err = caches_write_cache(names->caches, cache);
	return err ? fail_name_messages(names, -err, "kernel/caches") : 0;
}

static int handle_cache(struct name_messages *names, const struct kmt_message *message)
{
	struct cache cache = {
		.address = message->key,
		.since = message->time,
		.object_size = message->object_size,
		.size = message->size,
		.accounting = message->accounting,
	};

	return write_cache(names, &cache, message->name);
}

static int write_cache_gone(struct name_messages *names, const struct kmt_message *message)
{
	int err = 0;

	if (names->publish)
		publish_cache_gone(names->publish, message->key, message->time);
	if (names->caches)
		err = caches_write_gone(names->caches, message->key, message->time);
	return err ? fail_name_messages(names, -err, "kernel/caches") : 0;
}

static int handle_message(struct name_messages *names, const struct kmt_message *message)
{
	if (message->kind == KMT_MESSAGE_CACHE)
		return handle_cache(names, message);
	if (message->kind == KMT_MESSAGE_CACHE_GONE)
		return write_cache_gone(names, message);
	if (message->kind == KMT_MESSAGE_TASK) {
		struct task task = { .tid = message->key,
				     .tgid = message->tgid,
				     .since = message->time,
				     .has_uid = message->uid != KMT_UID_UNKNOWN,
				     .uid = message->uid };

		memcpy(task.comm, message->name, sizeof(task.comm));
		task.comm[sizeof(task.comm) - 1] = 0;
		return write_task(names, &task);
	}
	if (message->kind == KMT_MESSAGE_MODULE || message->kind == KMT_MESSAGE_MODULE_INIT ||
	    message->kind == KMT_MESSAGE_MODULE_GONE)
		modules_message(names->modules, message);
	return 0;
}

/*
 * All else gets a copy whose texts end. Keeps the first error, and goes on: the other tables are
 * still written.
 */
static int take_message(void *context, void *data, size_t size)
{
	struct name_messages *names = context;
	struct kmt_path_message message;
	int err;

	if (size < sizeof(message.head))
		return 0;
	memcpy(&message, data, size < sizeof(message) ? size : sizeof(message));
	message.head.name[sizeof(message.head.name) - 1] = '\0';
	message.path[sizeof(message.path) - 1] = '\0';
	err = handle_message(names, &message.head);
	if (!err)
		err = check_cgroups(names,
				    cgroup_messages_take(&names->cgroups, &message.head, size));
	if (err && !names->err)
		names->err = err;
	return 0;
}

int name_messages_open(struct name_messages *names, struct directory *directory, int names_fd)
{
	struct cgroup_hierarchy hierarchy = names->cgroups.hierarchy;

	memset(names, 0, sizeof(*names));
	names->cgroups.hierarchy = hierarchy;
	names->directory = directory;
	if (user_names_read(&names->users))
		return fail_name_messages(names, ENOMEM, "/etc/passwd");
	if (directory) {
		names->caches = directory_open(directory, "kernel/caches", true);
		names->tasks = directory_open(directory, "kernel/tasks", true);
		if (hierarchy.exists)
			names->cgroups.file = directory_open(directory, "kernel/cgroups", true);
		if (!names->caches || !names->tasks || (hierarchy.exists && !names->cgroups.file))
			return fail_name_messages(names, errno, "kernel");
	}
	names->buffer = ring_buffer__new(names_fd, take_message, names, NULL);
	if (!names->buffer)
		return fail_name_messages(names, errno, "the ring of names");
	return 0;
}

/* The real user id, of /proc/PID/task/TID/status. 0 or -errno. */
static int read_uid(const char *path, struct task *task)
{
	FILE *file = fopen(path, "re");
	char line[256];
	int err;

	if (!file)
		return -errno;
	while (!task->has_uid && fgets(line, sizeof(line), file))
		task->has_uid = sscanf(line, "Uid: %" SCNu32, &task->uid) == 1;
	err = ferror(file) ? -errno : 0;
	fclose(file);
	return err;
}

static int add_thread(struct name_messages *names, unsigned long pid, unsigned long tid)
{
	struct task task = { .tid = tid, .tgid = pid };
	char path[64];
	FILE *file;
	int err;

	snprintf(path, sizeof(path), "/proc/%lu/task/%lu/comm", pid, tid);
	file = fopen(path, "re");
	if (!file)
		return error_is_unavailable(-errno) ? 0 : fail_proc(names, -errno, path);
	if (fgets(task.comm, sizeof(task.comm), file))
		task.comm[strcspn(task.comm, "\n")] = 0;
	err = ferror(file) ? -errno : 0;
	fclose(file);
	if (!err) {
		snprintf(path, sizeof(path), "/proc/%lu/task/%lu/status", pid, tid);
		err = read_uid(path, &task);
	}
	if (err && !error_is_unavailable(err))
		return fail_proc(names, err, path);
	err = write_task(names, &task);
	return err ? err
		   : check_cgroups(names, cgroup_messages_add_task(&names->cgroups, pid, tid));
}

static int add_threads(struct name_messages *names, unsigned long pid)
{
	char path[64];
	DIR *threads;
	const char *thread;
	int err = 0, list_err = 0;

	snprintf(path, sizeof(path), "/proc/%lu/task", pid);
	threads = opendir(path);
	if (!threads)
		return error_is_unavailable(-errno) ? 0 : fail_proc(names, -errno, path);
	while (!err && (thread = inside_next(threads, &list_err))) {
		unsigned long tid = strtoul(thread, NULL, 10);

		if (tid)
			err = add_thread(names, pid, tid);
	}
	closedir(threads);
	if (list_err && !error_is_unavailable(list_err))
		return fail_proc(names, list_err, path);
	return err;
}

int name_messages_add_tasks(struct name_messages *names)
{
	struct task idle = { .comm = "swapper", .has_uid = true };
	const char *process;
	int err, list_err = 0;
	DIR *proc;

	if (!names->tasks && !(names->publish && names->publish->names))
		return 0;
	proc = opendir("/proc");
	if (!proc)
		return fail_proc(names, -errno, "/proc");
	err = write_task(names, &idle);
	if (!err)
		err = check_cgroups(names, cgroup_messages_add_all(&names->cgroups));
	while (!err && (process = inside_next(proc, &list_err))) {
		unsigned long pid = strtoul(process, NULL, 10);

		if (pid)
			err = add_threads(names, pid);
	}
	closedir(proc);
	cgroup_messages_end_snapshot(&names->cgroups);
	return list_err ? fail_proc(names, list_err, "/proc") : err;
}

int name_messages_read(struct name_messages *names)
{
	uint64_t time = machine_now();
	int got, more;

	got = more = ring_buffer__consume(names->buffer);
	while (more >= 0 && modules_locate(names->modules)) {
		more = ring_buffer__consume(names->buffer);
		got = more < 0 ? more : got + more;
	}
	modules_pass_messages(names->modules, time, *names->lost);
	if (got < 0 && !names->err)
		names->err = fail_name_messages(names, -got, "the ring of names");
	if (got && names->caches && fflush(names->caches) && !names->err)
		names->err = fail_name_messages(names, errno, "kernel/caches");
	if (got && names->tasks && fflush(names->tasks) && !names->err)
		names->err = fail_name_messages(names, errno, "kernel/tasks");
	if (got && names->cgroups.file && fflush(names->cgroups.file) && !names->err)
		names->err = fail_name_messages(names, errno, "kernel/cgroups");
	return names->err;
}

int name_messages_add_incomplete(struct name_messages *names, int map_fd)
{
	uint64_t address, *previous = NULL;
	struct kmt_partial_cache partial;
	int err = 0;

	while (!err && !bpf_map_get_next_key(map_fd, previous, &address)) {
		struct cache cache = { .address = address };

		previous = &address;
		if (bpf_map_lookup_elem(map_fd, &address, &partial) || partial.complete)
			continue;
		cache.since = partial.since;
		cache.object_size = partial.object_size;
		cache.size = partial.size;
		err = write_cache(names, &cache, partial.name);
	}
	return err;
}

/* All events need the name of their cache, so each table has all caches. */
static int write_caches_of(struct directory *from, FILE *file, uint64_t begin)
{
	__attribute__((cleanup(free_text))) char *text = NULL;
	struct caches caches;
	int err = read_file(from->fd, "kernel/caches", CACHES_BYTES_MAX, &text, NULL);

	if (!err)
		err = caches_parse(&caches, text);
	if (err)
		return err;
	for (size_t i = 0; i < caches.count && !err; i++)
		if (caches.list[i].until >= begin)
			err = caches_write_cache(file, &caches.list[i]);
	caches_deinit(&caches);
	return err;
}

int name_messages_switch(struct name_messages *names, struct directory *to, uint64_t begin,
			 const uint64_t marks[3])
{
	struct directory *from = names->directory;
	int err = table_switch(&names->caches, from, to, "kernel/caches", marks[0]);

	if (!err)
		err = write_caches_of(from, names->caches, begin);
	if (!err)
		err = table_switch(&names->tasks, from, to, "kernel/tasks", marks[1]);
	if (!err)
		err = table_switch(&names->cgroups.file, from, to, "kernel/cgroups", marks[2]);
	/* each table has the users of its tasks */
	for (size_t i = 0; i < names->users.count; i++)
		names->users.list[i].written = false;
	if (err)
		snprintf(names->errmsg, sizeof(names->errmsg), "%s: the tables of names: %s",
			 to->path, strerror(-err));
	return err;
}

int name_messages_close(struct name_messages *names)
{
	int err = 0, failed;

	if (names->buffer)
		ring_buffer__free(names->buffer);
	names->buffer = NULL;
	if (names->caches)
		err = directory_close(names->directory, names->caches, "kernel/caches");
	if (names->tasks) {
		failed = directory_close(names->directory, names->tasks, "kernel/tasks");
		err = err ? err : failed;
	}
	if (names->cgroups.file) {
		failed = directory_close(names->directory, names->cgroups.file, "kernel/cgroups");
		err = err ? err : failed;
	}
	cgroup_messages_deinit(&names->cgroups);
	users_deinit(&names->users);
	names->caches = names->tasks = names->cgroups.file = NULL;
	return err;
}
