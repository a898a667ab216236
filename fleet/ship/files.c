// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include "fleet/ship/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files.h"
#include "base/inside.h"
#include "fleet/summary/summary_file.h"

#define OPEN_MAX_FILES 256

static int fail_files(struct ship_files *files, const char *path, int err)
{
	snprintf(files->errmsg, sizeof(files->errmsg), "%s: %s", path, strerror(-err));
	return err;
}

static struct ship_file *find_file(struct ship_files *files, const char *path,
				   const struct stat *status)
{
	for (size_t i = 0; i < files->count; i++) {
		struct ship_file *file = &files->list[i];

		/* a file that became shorter is another file */
		if (file->device == status->st_dev && file->inode == status->st_ino &&
		    strcmp(file->path, path) == 0 && (uint64_t)status->st_size >= file->size)
			return file;
	}
	return NULL;
}

static void set_status(struct ship_file *file, const struct stat *status)
{
	file->is_there = true;
	file->size = (uint64_t)status->st_size;
	file->changed_ns =
		(uint64_t)status->st_mtim.tv_sec * 1000000000 + (uint64_t)status->st_mtim.tv_nsec;
}

static struct ship_file *new_file(struct ship_files *files, const char *path,
				  const struct stat *status)
{
	struct ship_file *file, *list = array_grow(files->list, files->count, sizeof(*list));

	if (!list)
		return NULL;
	files->list = list;
	file = &list[files->count];
	*file = (struct ship_file){
		.path = strdup(path), .fd = -1, .device = status->st_dev, .inode = status->st_ino
	};
	if (!file->path)
		return NULL;
	files->count++;
	return file;
}

static int add_shipped_file(struct ship_files *files, const char *path, const struct stat *status,
			    bool in_directory)
{
	struct ship_file *file = find_file(files, path, status);

	if (!file) {
		file = new_file(files, path, status);
		if (!file)
			return fail_files(files, path, -ENOMEM);
		file->in_directory = in_directory;
	}
	set_status(file, status);
	return 0;
}

int ship_files_receive(struct ship_files *files, const char *name, int fd)
{
	struct ship_file *file;
	struct stat status;
	int err = 0;

	if (fstat(fd, &status))
		err = -errno;
	else if (!S_ISREG(status.st_mode))
		err = -EINVAL;
	file = err ? NULL : new_file(files, name, &status);
	if (!err && !file)
		err = -ENOMEM;
	if (err) {
		close(fd);
		return fail_files(files, name, err);
	}
	file->fd = fd;
	file->received = file->in_directory = true;
	return 0;
}

static bool has_suffix(const char *name)
{
	size_t length = strlen(name), suffix = strlen(SUMMARY_FILE_SUFFIX);

	return length > suffix && name[0] != '.' &&
	       strcmp(name + length - suffix, SUMMARY_FILE_SUFFIX) == 0;
}

static int scan_directory(struct ship_files *files, const char *path)
{
	__attribute__((cleanup(close_directory))) DIR *directory = opendir(path);
	const char *name;
	int err = directory ? 0 : -errno;

	while (!err && (name = inside_next(directory, &err))) {
		__attribute__((cleanup(free_text))) char *file = NULL;
		struct stat status;

		if (!has_suffix(name))
			continue;
		file = join_path(path, name);
		if (!file)
			return fail_files(files, path, -ENOMEM);
		/* links lead elsewhere; a file can be gone already */
		if (lstat(file, &status) || !S_ISREG(status.st_mode))
			continue;
		if (add_shipped_file(files, file, &status, true))
			return -ENOMEM;
	}
	return err ? fail_files(files, path, err) : 0;
}

static int scan_path(struct ship_files *files, const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return fail_files(files, path, -errno);
	if (S_ISDIR(status.st_mode))
		return scan_directory(files, path);
	return add_shipped_file(files, path, &status, false);
}

/* A file that was received stays the same one, whatever its name is now. */
static void look_at_received(struct ship_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		struct ship_file *file = &files->list[i];
		struct stat status;

		if (!file->received || fstat(file->fd, &status))
			continue;
		/* a writer cut a torn end off */
		if ((uint64_t)status.st_size < file->size)
			file->offset = file->sent_size = file->left_size = 0;
		set_status(file, &status);
		file->is_there = status.st_nlink > 0;
	}
}

static void drop_file(struct ship_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	free(file->path);
}

/* Was it removed, and not only renamed or replaced in the list? */
static bool is_lost(const struct ship_file *file)
{
	struct stat status;

	return file->fd >= 0 && ship_file_has_more(file) && !fstat(file->fd, &status) &&
	       !status.st_nlink;
}

/* 0 or -ENOMEM */
static int remove_missing(struct ship_files *files)
{
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < files->count; i++) {
		struct ship_file *file = &files->list[i], *gone;

		if (file->is_there) {
			files->list[kept++] = *file;
			continue;
		}
		gone = is_lost(file) ? array_grow(files->gone, files->gone_count, sizeof(*gone))
				     : NULL;
		if (gone) {
			files->gone = gone;
			files->gone[files->gone_count++] = *file;
			continue;
		}
		if (is_lost(file))
			err = -ENOMEM;
		drop_file(file);
	}
	files->count = kept;
	return err;
}

/* The summaries of a file that is removed are counted only while it is open. */
static void keep_open(struct ship_files *files)
{
	files->open_count = 0;
	for (size_t i = 0; i < files->count; i++) {
		struct ship_file *file = &files->list[i];

		if (file->received)
			continue;
		if (!ship_file_has_more(file)) {
			close_fd(&file->fd);
			file->fd = -1;
		} else if (file->fd < 0 && files->open_count < OPEN_MAX_FILES) {
			file->fd = open_regular_file(AT_FDCWD, file->path);
		}
		files->open_count += file->fd >= 0;
	}
}

static int compare_files(const void *a, const void *b)
{
	const struct ship_file *one = a, *other = b;

	if (one->changed_ns != other->changed_ns)
		return one->changed_ns < other->changed_ns ? -1 : 1;
	return strcmp(one->path, other->path);
}

int ship_files_scan(struct ship_files *files, char *const *paths, size_t count)
{
	int err = 0;

	files->errmsg[0] = '\0';
	for (size_t i = 0; i < files->count; i++)
		files->list[i].is_there = false;
	look_at_received(files);
	for (size_t i = 0; !err && i < count; i++)
		err = scan_path(files, paths[i]);
	if (!err && remove_missing(files))
		err = fail_files(files, "a list of files", -ENOMEM);
	if (err)
		return err;
	if (files->count)
		qsort(files->list, files->count, sizeof(*files->list), compare_files);
	keep_open(files);
	return 0;
}

void ship_files_forget_gone(struct ship_files *files)
{
	for (size_t i = 0; i < files->gone_count; i++)
		drop_file(&files->gone[i]);
	free(files->gone);
	files->gone = NULL;
	files->gone_count = 0;
}

void ship_files_deinit(struct ship_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		drop_file(&files->list[i]);
	free(files->list);
	ship_files_forget_gone(files);
	*files = (struct ship_files){ 0 };
}

int ship_file_read(const struct ship_file *file, struct summary_reader *reader)
{
	return file->fd >= 0 ? summary_reader_open_fd(reader, file->fd, file->path)
			     : summary_reader_open(reader, file->path);
}

bool ship_file_has_more(const struct ship_file *file)
{
	return !file->unusable && file->size != file->sent_size;
}
