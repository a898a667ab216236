// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads /proc/PID/cgroup and /proc/self/mountinfo. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracer/load/cgroup_hierarchy.h"

#define DELETED " (deleted)"

/* Is the word one of a list separated by commas? */
static bool list_has(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
		if (!strncmp(list, word, length) && (!list[length] || list[length] == ','))
			return true;
	return false;
}

/* Splits "NUMBER:CONTROLLERS:PATH", and removes the newline. */
static bool split_cgroup_line(char *line, uint32_t *number, char **controllers, char **path)
{
	*number = (uint32_t)strtoul(line, controllers, 10);
	if (**controllers != ':')
		return false;
	++*controllers;
	*path = strchr(*controllers, ':');
	if (!*path)
		return false;
	*(*path)++ = '\0';
	(*path)[strcspn(*path, "\n")] = '\0';
	return true;
}

struct cgroup_hierarchy cgroup_hierarchy_find(void)
{
	struct cgroup_hierarchy hierarchy = { 0 };
	FILE *file = fopen("/proc/self/cgroup", "re");
	char *line = NULL, *controllers, *path;
	size_t space = 0;
	uint32_t number;

	while (file && getline(&line, &space, file) > 0) {
		if (!split_cgroup_line(line, &number, &controllers, &path))
			continue;
		if (number && !list_has(controllers, "memory"))
			continue;
		hierarchy.exists = true;
		if (number)
			hierarchy.number = number;
	}
	free(line);
	if (file)
		fclose(file);
	return hierarchy;
}

bool cgroup_hierarchy_path(const struct cgroup_hierarchy *hierarchy, const char *file_name,
			   char text[CGROUP_PATH_MAX])
{
	char *line = NULL, *controllers, *path;
	FILE *file = fopen(file_name, "re");
	bool found = false;
	size_t space = 0;
	uint32_t number;

	while (file && !found && getline(&line, &space, file) > 0)
		found = split_cgroup_line(line, &number, &controllers, &path) &&
			number == hierarchy->number;
	if (found) {
		size_t length = strlen(path), suffix = strlen(DELETED);

		found = *path == '/' && length < CGROUP_PATH_MAX &&
			(length < suffix || strcmp(path + length - suffix, DELETED) != 0);
		if (found)
			memcpy(text, path, length + 1);
	}
	free(line);
	if (file)
		fclose(file);
	return found;
}

/* The kernel writes a space, tab, newline and backslash of a path as \OOO. */
static void unescape_path(char *path)
{
	char *to = path;

	for (; *path; path++) {
		bool escaped = path[0] == '\\' && strspn(path + 1, "01234567") >= 3;

		*to++ = escaped ? (char)((path[1] - '0') << 6 | (path[2] - '0') << 3 |
					 (path[3] - '0'))
				: *path;
		path += escaped ? 3 : 0;
	}
	*to = '\0';
}

/*
 * The line is "ID PARENT DEVICE ROOT MOUNT OPTIONS... - TYPE SOURCE SUPER_OPTIONS". The root is "/"
 * if all of the hierarchy is mounted.
 */
static bool is_mount(const struct cgroup_hierarchy *hierarchy, const char *line,
		     char mount[CGROUP_PATH_MAX])
{
	char root[8], type[16], options[1024];
	const char *rest = strstr(line, " - ");

	if (!rest || sscanf(line, "%*s %*s %*s %7s %4095s", root, mount) != 2 ||
	    strcmp(root, "/") != 0 || sscanf(rest, " - %15s %*s %1023s", type, options) != 2)
		return false;
	unescape_path(mount);
	return hierarchy->number ? !strcmp(type, "cgroup") && list_has(options, "memory")
				 : !strcmp(type, "cgroup2");
}

/*
 * In another namespace than the first, the root of a mount and the paths of tasks are relative to
 * the namespace, and those of the kernel's events are not.
 */
static bool is_in_namespace(void)
{
	static const char first[] = "cgroup:[4026531835]"; /* PROC_CGROUP_INIT_INO */
	char name[64];
	ssize_t size = readlink("/proc/self/ns/cgroup", name, sizeof(name));

	return size > 0 &&
	       ((size_t)size != strlen(first) || memcmp(name, first, (size_t)size) != 0);
}

int cgroup_hierarchy_open(const struct cgroup_hierarchy *hierarchy)
{
	FILE *file = is_in_namespace() ? NULL : fopen("/proc/self/mountinfo", "re");
	char mount[CGROUP_PATH_MAX], *line = NULL;
	size_t space = 0;
	int fd = -1;

	while (file && fd < 0 && getline(&line, &space, file) > 0)
		if (is_mount(hierarchy, line, mount))
			fd = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(line);
	if (file)
		fclose(file);
	return fd;
}

bool cgroup_hierarchy_charges(const struct cgroup_hierarchy *hierarchy, int fd)
{
	int control = openat(fd, "cgroup.subtree_control", O_RDONLY | O_CLOEXEC);
	FILE *file = control < 0 ? NULL : fdopen(control, "r");
	bool found = hierarchy->number || control < 0;
	char controller[32];

	while (file && !found && fscanf(file, "%31s", controller) == 1)
		found = !strcmp(controller, "memory");
	if (file)
		fclose(file);
	else if (control >= 0)
		close(control);
	return found;
}
