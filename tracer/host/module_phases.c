// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel sets the state of a module to Live, then replaces its list of symbols, then sets
 * initsize to 0.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/files.h"
#include "tracer/host/kallsyms.h"

#define MODULES_BYTES_MAX ((size_t)16 << 20)

/* A module without the file has no init functions any more, or is being removed. */
static void read_init(struct phase_of_module *module)
{
	char path[64 + KMT_NAME_SIZE], *text;
	struct stat about;

	snprintf(path, sizeof(path), "/sys/module/%s/initsize", module->name);
	if (read_file(AT_FDCWD, path, SYSFS_BYTES_MAX, &text, NULL))
		return;
	if (strtoull(text, NULL, 0))
		module->phase = MODULE_ENDING;
	free(text);
	/* sysfs makes new files, with new inodes, for each load */
	if (!stat(path, &about))
		module->id = about.st_ino;
}

static int add_module(struct module_phases *phases, const char *line)
{
	struct phase_of_module module = { .phase = MODULE_LOADED }, *list;
	char state[16];

	if (sscanf(line, "%63s %*s %*s %*s %15s", module.name, state) != 2)
		return 0;
	read_init(&module);
	if (!strcmp(state, "Loading"))
		module.phase = MODULE_LOADING;
	list = array_grow(phases->list, phases->count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	phases->list = list;
	list[phases->count++] = module;
	return 0;
}

int module_phases_read(struct module_phases *phases)
{
	char *text;
	int err;

	*phases = (struct module_phases){ 0 };
	err = read_file(AT_FDCWD, "/proc/modules", MODULES_BYTES_MAX, &text, NULL);
	if (err)
		return err;
	for (const char *line = text; *line && !err;) {
		err = add_module(phases, line);
		line = strchrnul(line, '\n');
		line += *line == '\n';
	}
	free(text);
	if (err)
		module_phases_deinit(phases);
	return err;
}

void module_phases_deinit(struct module_phases *phases)
{
	free(phases->list);
	*phases = (struct module_phases){ 0 };
}

bool module_phases_same(const struct module_phases *before, const struct module_phases *after,
			bool ending)
{
	if (before->count != after->count)
		return false;
	for (size_t i = 0; i < before->count; i++) {
		const struct phase_of_module *a = &before->list[i], *b = &after->list[i];

		if (strcmp(a->name, b->name) != 0 || a->id != b->id || a->phase != b->phase ||
		    (a->phase == MODULE_ENDING && !ending))
			return false;
	}
	return true;
}
