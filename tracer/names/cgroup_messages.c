// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of cgroups of a capture, from a snapshot and from messages. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "base/inside.h"
#include "kernel/cgroups.h"
#include "kernel/ring.h"
#include "tracer/load/machine.h"
#include "tracer/names/name_messages.h"

/*
 * The id of a cgroup is the inode number of its directory. A 32-bit kernel gives a program 32 bits
 * more, which no directory shows.
 */
static uint64_t id_of(uint64_t kernel_id)
{
	return (unsigned long)kernel_id;
}

static FILE *find_published_file(const struct cgroup_messages *cgroups)
{
	return cgroups->published ? *cgroups->published : NULL;
}

static bool is_wanted(const struct cgroup_messages *cgroups)
{
	return cgroups->file || (cgroups->hierarchy.exists && find_published_file(cgroups));
}

/* Each writes a line to the file, and to the text for publishing. 0 or -errno. */

static int put_cgroup(const struct cgroup_messages *cgroups, uint64_t id, uint64_t since,
		      const char *path)
{
	FILE *copy = find_published_file(cgroups);
	int err = cgroups->file ? cgroups_write_cgroup(cgroups->file, id, since, path) : 0;

	return err || !copy ? err : cgroups_write_cgroup(copy, id, since, path);
}

static int put_gone(const struct cgroup_messages *cgroups, uint64_t id, uint64_t time)
{
	FILE *copy = find_published_file(cgroups);
	int err = cgroups->file ? cgroups_write_gone(cgroups->file, id, time) : 0;

	return err || !copy ? err : cgroups_write_gone(copy, id, time);
}

static int put_member(const struct cgroup_messages *cgroups, const struct cgroup_member *member)
{
	FILE *copy = find_published_file(cgroups);
	int err = cgroups->file ? cgroups_write_member(cgroups->file, member) : 0;

	return err || !copy ? err : cgroups_write_member(copy, member);
}

static int put_uncharged(const struct cgroup_messages *cgroups)
{
	return cgroups->file ? cgroups_write_uncharged(cgroups->file) : 0;
}

static int add_known(struct cgroup_messages *cgroups, uint64_t id, const char *path)
{
	struct known_cgroup *list = array_grow(cgroups->list, cgroups->count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	cgroups->list = list;
	list[cgroups->count] = (struct known_cgroup){ id, strdup(path) };
	return list[cgroups->count].path ? (cgroups->count++, 0) : -ENOMEM;
}

static int add_found(struct cgroup_messages *cgroups, uint64_t id, const char *path)
{
	int err = put_cgroup(cgroups, id, 0, path);

	if (!err)
		err = add_known(cgroups, id, path);
	return err ? err
		   : hash_map_add(&cgroups->by_path, hash_keyed_text(cgroups->by_path.seed, path),
				  (uint32_t)cgroups->count - 1);
}

static void close_dir(DIR **directory)
{
	if (*directory)
		closedir(*directory);
}

/*
 * Adds the directory and all directories inside. A directory that is removed meanwhile is left out.
 */
static int add_directory(struct cgroup_messages *cgroups, int fd, char *path, size_t length)
{
	__attribute__((cleanup(close_dir))) DIR *directory = fdopendir(fd);
	struct stat status;
	const char *name;
	int err, list_err = 0;

	if (!directory) {
		err = -errno;
		close(fd);
		return err;
	}
	if (fstat(fd, &status))
		return 0;
	err = add_found(cgroups, status.st_ino, length ? path : "/");
	while (!err && (name = inside_next(directory, &list_err))) {
		int inside;

		if (length + strlen(name) + 2 > CGROUP_PATH_MAX)
			continue;
		inside = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (inside < 0)
			continue;
		sprintf(path + length, "/%s", name);
		err = add_directory(cgroups, inside, path, length + strlen(name) + 1);
		path[length] = '\0';
	}
	return err;
}

static uint64_t find_path(const struct cgroup_messages *cgroups, const char *path)
{
	uint32_t index =
		hash_map_find(&cgroups->by_path, hash_keyed_text(cgroups->by_path.seed, path));

	return index != HASH_MAP_NONE ? cgroups->list[index].id : 0;
}

int cgroup_messages_add_all(struct cgroup_messages *cgroups)
{
	struct cgroup_member idle = { 0 };
	char path[CGROUP_PATH_MAX] = "";
	int err, fd;

	if (!is_wanted(cgroups))
		return 0;
	err = hash_map_init(&cgroups->by_path);
	if (err)
		return err;
	fd = cgroup_hierarchy_open(&cgroups->hierarchy);
	if (fd < 0)
		return 0;
	if (!cgroup_hierarchy_charges(&cgroups->hierarchy, fd))
		err = put_uncharged(cgroups);
	if (!err)
		err = add_directory(cgroups, fd, path, 0);
	else
		close(fd);
	idle.id = find_path(cgroups, "/");
	return err || !idle.id ? err : put_member(cgroups, &idle);
}

int cgroup_messages_add_task(struct cgroup_messages *cgroups, unsigned long pid, unsigned long tid)
{
	struct cgroup_member member = { .number = (uint32_t)tid };
	char file[64], path[CGROUP_PATH_MAX];

	if (!is_wanted(cgroups))
		return 0;
	snprintf(file, sizeof(file), "/proc/%lu/task/%lu/cgroup", pid, tid);
	if (!cgroup_hierarchy_path(&cgroups->hierarchy, file, path))
		return 0;
	member.id = find_path(cgroups, path);
	return member.id ? put_member(cgroups, &member) : 0;
}

void cgroup_messages_end_snapshot(struct cgroup_messages *cgroups)
{
	hash_map_deinit(&cgroups->by_path);
	cgroups->by_path = (struct hash_map){ 0 };
	cgroups->tasks_added = machine_now();
}

static struct known_cgroup *find_known(struct cgroup_messages *cgroups, uint64_t id)
{
	for (size_t i = 0; i < cgroups->count; i++)
		if (cgroups->list[i].id == id)
			return &cgroups->list[i];
	return NULL;
}

/* The cgroups inside of one that is renamed have other paths too. */
static int rename_inside(struct cgroup_messages *cgroups, const char *old, const char *new,
			 uint64_t time)
{
	size_t length = strlen(old);
	int err = 0;

	for (size_t i = 0; i < cgroups->count && !err; i++) {
		struct known_cgroup *known = &cgroups->list[i];
		char *path;

		if (strncmp(known->path, old, length) != 0 || known->path[length] != '/')
			continue;
		if (asprintf(&path, "%s%s", new, known->path + length) < 0)
			return -ENOMEM;
		free(known->path);
		known->path = path;
		err = put_cgroup(cgroups, known->id, time, path);
	}
	return err;
}

/* A new cgroup, or one with a new name. */
static int take_cgroup(struct cgroup_messages *cgroups, uint64_t id, uint64_t time,
		       const char *path)
{
	struct known_cgroup *known = find_known(cgroups, id);
	__attribute__((cleanup(free_text))) char *old = NULL;
	int err = put_cgroup(cgroups, id, time, path);

	if (err)
		return err;
	if (!known)
		return add_known(cgroups, id, path);
	old = known->path;
	known->path = strdup(path);
	if (!known->path) {
		known->path = old;
		old = NULL;
		return -ENOMEM;
	}
	return strcmp(old, path) ? rename_inside(cgroups, old, path, time) : 0;
}

static int take_gone(struct cgroup_messages *cgroups, uint64_t id, uint64_t time)
{
	struct known_cgroup *known = find_known(cgroups, id);

	if (known) {
		free(known->path);
		*known = cgroups->list[--cgroups->count];
	}
	return put_gone(cgroups, id, time);
}

/*
 * A task that moved while the snapshot was made: the snapshot may have its new cgroup, and its old
 * one is not known.
 */
static int write_move(struct cgroup_messages *cgroups, struct cgroup_member member, uint64_t time,
		      uint64_t id)
{
	int err = 0;

	if (!cgroups->tasks_added || time < cgroups->tasks_added)
		err = put_member(cgroups, &member);
	member.since = time;
	member.id = id;
	return err ? err : put_member(cgroups, &member);
}

/* On a kernel without BTF, a process may be a thread that moves alone: so it gets both lines. */
static int take_task(struct cgroup_messages *cgroups, const struct kmt_message *message)
{
	struct cgroup_member thread = { .number = (uint32_t)message->key };
	struct cgroup_member process = { .number = message->tgid, .is_process = true };
	uint64_t id = id_of(message->cgroup);
	int err = write_move(cgroups, thread, message->time, id);

	return err || !message->size ? err : write_move(cgroups, process, message->time, id);
}

static int take_new_task(struct cgroup_messages *cgroups, const struct kmt_message *message)
{
	struct cgroup_member member = { .number = (uint32_t)message->key,
					.since = message->time,
					.id = id_of(message->cgroup) };

	return message->is_new ? put_member(cgroups, &member) : 0;
}

int cgroup_messages_take(struct cgroup_messages *cgroups, const struct kmt_message *message,
			 size_t size)
{
	const struct kmt_path_message *with_path = (const struct kmt_path_message *)message;

	if (!is_wanted(cgroups))
		return 0;
	switch (message->kind) {
	case KMT_MESSAGE_TASK:
		return take_new_task(cgroups, message);
	case KMT_MESSAGE_CGROUP_TASK:
		return take_task(cgroups, message);
	case KMT_MESSAGE_CGROUP:
		return size < sizeof(*with_path) ? 0
						 : take_cgroup(cgroups, id_of(message->key),
							       message->time, with_path->path);
	case KMT_MESSAGE_CGROUP_GONE:
		return take_gone(cgroups, id_of(message->key), message->time);
	default:
		return 0;
	}
}

void cgroup_messages_deinit(struct cgroup_messages *cgroups)
{
	for (size_t i = 0; i < cgroups->count; i++)
		free(cgroups->list[i].path);
	free(cgroups->list);
	hash_map_deinit(&cgroups->by_path);
	cgroups->list = NULL;
	cgroups->count = 0;
}
