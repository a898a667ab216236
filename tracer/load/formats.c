// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads tracefs, mounted or not. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "tracer/load/formats.h"
#include "tracer/load/kernel_mount.h"

#define FORMAT_MAX (1 << 20)

int formats_open(void)
{
	static const char *const paths[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	char probe[64];
	int fd;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		snprintf(probe, sizeof(probe), "%s/events", paths[i]);
		if (access(probe, F_OK))
			continue;
		fd = open(paths[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	return kernel_mount("tracefs");
}

static int read_event_file(int tracefs, const char *event, const char *file, char **text)
{
	char path[128];

	*text = NULL;
	snprintf(path, sizeof(path), "events/%s/%s", event, file);
	return read_file(tracefs, path, FORMAT_MAX, text, NULL);
}

int formats_read(int tracefs, const char *event, char **text)
{
	return read_event_file(tracefs, event, "format", text);
}

long formats_id(int tracefs, const char *event)
{
	char *text;
	long id = read_event_file(tracefs, event, "id", &text) ? -1 : strtol(text, NULL, 10);

	free(text);
	return id;
}

/*
 * Does a declaration, such as "field:__data_loc char[] name;" or "field:char comm[16];", declare
 * this field? The field's name is the last word, without brackets.
 */
static bool declares_field(const char *declaration, const char *end, const char *field)
{
	size_t length = strlen(field);
	const char *bracket = memchr(declaration, '[', end - declaration);

	if (bracket && bracket[1] != ']')
		end = bracket;
	return (size_t)(end - declaration) > length && !memcmp(end - length, field, length) &&
	       end[-(ptrdiff_t)length - 1] == ' ';
}

bool formats_find(const char *format, const char *field, struct kmt_field_position *position)
{
	*position = (struct kmt_field_position){ 0 };
	while ((format = strstr(format, "field:"))) {
		const char *end = strchr(format, ';');

		if (!end)
			break;
		if (declares_field(format, end, field) &&
		    sscanf(end, "; offset:%u; size:%u;", &position->offset, &position->size) == 2)
			return true;
		format = end;
	}
	*position = (struct kmt_field_position){ 0 };
	return false;
}

void formats_fields(int tracefs, struct kmt_field_position fields[KMT_FIELDS])
{
	static const struct {
		const char *event, *field;
	} list[KMT_FIELDS] = {
		[KMT_FIELD_ALLOC_POINTER] = { "kmem/kmem_cache_alloc", "ptr" },
		[KMT_FIELD_ALLOC_REQUESTED] = { "kmem/kmem_cache_alloc", "bytes_req" },
		[KMT_FIELD_ALLOC_ALLOCATED] = { "kmem/kmem_cache_alloc", "bytes_alloc" },
		[KMT_FIELD_ALLOC_NAME] = { "kmem/kmem_cache_alloc", "name" },
		[KMT_FIELD_FREE_POINTER] = { "kmem/kmem_cache_free", "ptr" },
		[KMT_FIELD_FREE_NAME] = { "kmem/kmem_cache_free", "name" },
		[KMT_FIELD_NEWTASK_PID] = { "task/task_newtask", "pid" },
		[KMT_FIELD_NEWTASK_COMM] = { "task/task_newtask", "comm" },
		[KMT_FIELD_NEWTASK_FLAGS] = { "task/task_newtask", "clone_flags" },
		[KMT_FIELD_RENAME_PID] = { "task/task_rename", "pid" },
		[KMT_FIELD_RENAME_COMM] = { "task/task_rename", "newcomm" },
		[KMT_FIELD_MODULE_LOAD_NAME] = { "module/module_load", "name" },
		[KMT_FIELD_MODULE_FREE_NAME] = { "module/module_free", "name" },
		[KMT_FIELD_CGROUP_ROOT] = { "cgroup/cgroup_mkdir", "root" },
		[KMT_FIELD_CGROUP_ID] = { "cgroup/cgroup_mkdir", "id" },
		[KMT_FIELD_CGROUP_PATH] = { "cgroup/cgroup_mkdir", "path" },
		[KMT_FIELD_MOVE_ROOT] = { "cgroup/cgroup_attach_task", "dst_root" },
		[KMT_FIELD_MOVE_ID] = { "cgroup/cgroup_attach_task", "dst_id" },
		[KMT_FIELD_MOVE_PID] = { "cgroup/cgroup_attach_task", "pid" },
	};

	for (size_t i = 0; i < KMT_FIELDS; i++) {
		char *format;

		fields[i] = (struct kmt_field_position){ 0 };
		if (!formats_read(tracefs, list[i].event, &format))
			formats_find(format, list[i].field, &fields[i]);
		free(format);
	}
}
