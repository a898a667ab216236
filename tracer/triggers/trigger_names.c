// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Functions are read only if the name is not that of a cache: they are a hundred thousand. */
#include "config.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/suggest.h"
#include "tracer/triggers/trigger_state.h"

#define LINE_MAX_BYTES 1024

const struct trigger_name_files trigger_name_files = { "/sys/kernel/slab", "/proc/slabinfo",
						       "/proc/kallsyms" };

struct kernel_names {
	char **list;
	size_t count;
};

static void names_deinit(struct kernel_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->list[i]);
	free(names->list);
}

/* Without memory, a name is missing, and at most a hint is wrong. */
static void names_add(struct kernel_names *names, const char *name)
{
	char **list = array_grow(names->list, names->count, sizeof(*list));

	if (!list)
		return;
	names->list = list;
	list[names->count] = strdup(name);
	if (list[names->count])
		names->count++;
}

static bool names_have(const struct kernel_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (!strcmp(names->list[i], name))
			return true;
	return false;
}

/* Entries that begin with a colon are groups of merged caches. */
static void read_caches(struct kernel_names *caches, const char *path)
{
	__attribute__((cleanup(close_directory))) DIR *list = opendir(path);
	struct dirent *entry;

	while (list && (entry = readdir(list)))
		if (*entry->d_name != '.' && *entry->d_name != ':')
			names_add(caches, entry->d_name);
}

/* The first word of each line, behind two lines of heading. */
static void read_slabinfo(struct kernel_names *names, const char *path)
{
	__attribute__((cleanup(close_file))) FILE *file = fopen(path, "re");
	char line[LINE_MAX_BYTES];

	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, " \n")] = '\0';
		if (*line && *line != '#' && strcmp(line, "slabinfo") != 0)
			names_add(names, line);
	}
}

static void read_functions(struct kernel_names *functions, const char *path)
{
	__attribute__((cleanup(close_file))) FILE *file = fopen(path, "re");
	char line[LINE_MAX_BYTES], name[LINE_MAX_BYTES], type;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%*s %c %1023s", &type, name) == 2 && strchr("tTwW", type))
			names_add(functions, name);
}

static bool is_merged_with(const char *folder, const char *name, const char *target)
{
	char path[PATH_MAX], other[PATH_MAX];
	ssize_t length;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	length = readlink(path, other, sizeof(other) - 1);
	if (length < 0)
		return false;
	other[length] = '\0';
	return !strcmp(other, target);
}

/* The kernel's events have another name for the objects of a cache that it has merged. */
static void check_merged(const struct trigger *trigger, const struct trigger_name_files *files,
			 char *doubt)
{
	char path[PATH_MAX], target[PATH_MAX];
	struct kernel_names shown = { 0 };
	ssize_t length;

	snprintf(path, sizeof(path), "%s/%s", files->slab, trigger->name);
	length = readlink(path, target, sizeof(target) - 1);
	read_slabinfo(&shown, files->slabinfo);
	if (length > 0 && shown.count && !names_have(&shown, trigger->name)) {
		target[length] = '\0';
		for (size_t i = 0; i < shown.count && !*doubt; i++)
			if (is_merged_with(files->slab, shown.list[i], target))
				snprintf(
					doubt, TRIGGER_DOUBT,
					"the kernel has merged this slab cache with %s, and all objects count there: name that one",
					shown.list[i]);
	}
	names_deinit(&shown);
}

/* Says that no cache or function, as the scope asks, has the name now, and suggests a near name. */
static void describe_doubt(const struct trigger *trigger, const struct kernel_names *caches,
			   const struct kernel_names *functions, char *doubt)
{
	const char *what = trigger->scope == TRIGGER_OF_CACHE ? "no slab cache has"
			   : trigger->scope == TRIGGER_OF_FUNCTION
				   ? "no function has"
				   : "no slab cache and no function has";
	char hint[100];

	suggest_text(trigger->name, (const char *const *)caches->list, caches->count, hint,
		     sizeof(hint));
	if (!*hint)
		suggest_text(trigger->name, (const char *const *)functions->list, functions->count,
			     hint, sizeof(hint));
	snprintf(doubt, TRIGGER_DOUBT, "%s this name now%s%s", what, hint,
		 *hint ? "" : ": the trigger waits until a module brings it");
}

void trigger_names_check(const struct trigger *trigger, const struct trigger_name_files *files,
			 char doubt[TRIGGER_DOUBT])
{
	struct kernel_names caches = { 0 }, functions = { 0 };

	*doubt = '\0';
	if (trigger->scope == TRIGGER_OF_ALL)
		return;
	if (trigger->scope != TRIGGER_OF_FUNCTION)
		read_caches(&caches, files->slab);
	if (names_have(&caches, trigger->name)) {
		check_merged(trigger, files, doubt);
	} else {
		if (trigger->scope != TRIGGER_OF_CACHE)
			read_functions(&functions, files->kallsyms);
		if (!names_have(&functions, trigger->name) &&
		    (caches.count || trigger->scope == TRIGGER_OF_FUNCTION) &&
		    (functions.count || trigger->scope == TRIGGER_OF_CACHE))
			describe_doubt(trigger, &caches, &functions, doubt);
	}
	names_deinit(&caches);
	names_deinit(&functions);
}
